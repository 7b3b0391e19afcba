// What predictions are worth beyond accuracy: by pipeline, by class. SPDX-License-Identifier: Apache-2.0
import { chosen } from "./accuracy.js";
import { fixed, h, section, sortableTable } from "./dom.js";

const heading = (title) => title.replace(/^[a-z]/, (first) => first.toUpperCase()).replace(/ %$/, " (%)");

function byPipeline({ metrics, levels, names }) {
    const rows = names.map((name, i) => ({ name, values: metrics.mean[i], ...levels?.count[i] }));
    const shown = metrics.about.map((about, k) => ({ ...about, k })).filter(({ k }) => rows.some(({ values }) => values[k] !== null));
    return sortableTable({
        caption: "Means over subjects",
        rows,
        columns: [
            { title: "Pipeline", value: (r) => r.name },
            ...shown.map(({ title, text, scale, decimals, k }) => ({ title: heading(title), note: text, number: true, value: (r) => r.values[k],
                text: (r) => (r.values[k] === null ? "–" : fixed(scale * r.values[k], decimals)) })),
            levels ? { title: "Above chance", note: "Subjects whose accuracy is above the level of chance", number: true, value: (r) => r.above, text: (r) => `${r.above} of ${r.of}` } : null,
        ].filter(Boolean),
    });
}

function byClass(run, pipeline) {
    const rows = run.by_class[pipeline]?.map((one, k) => ({ ...one, name: run.classes[k] }));
    if (!rows) return h("p", { class: "note" }, "There are no predictions of this pipeline.");
    const part = (name, title, note) => ({ title, note, number: true, value: (r) => r[name], text: (r) => fixed(r[name], 3) });
    return sortableTable({
        caption: `Classes under ${run.names[pipeline]}, all subjects`,
        rows,
        columns: [
            { title: "Class", value: (r) => r.name },
            { title: "Trials", number: true, value: (r) => r.trials },
            { title: "Predicted", number: true, value: (r) => r.predicted },
            part("precision", "Precision", "Of the predictions of the class, the share that is right"),
            part("recall", "Recall", "Of the trials of the class, the share that is predicted right"),
            part("f1", "F1", "The harmonic mean of precision and recall"),
            part("auc", "AUC", "Area under the ROC curve, the class against the rest"),
        ],
    });
}

export function metrics(run) {
    if (!run.by_class) return null;
    const trials = run.levels && (run.levels.low === run.levels.high ? `${fixed(100 * run.levels.low, 1)} %` : `${fixed(100 * run.levels.low, 1)} to ${fixed(100 * run.levels.high, 1)} %, by the number of a subject's trials`);
    return section("metrics", "Metrics",
        trials ? h("p", {}, `A subject is above chance where the accuracy is higher than guessing among equally frequent classes exceeds in one of 20 cases (binomial): here ${trials}.`) : null,
        byPipeline(run),
        h("h3", {}, "Class by class"),
        chosen(["Pipeline"], run.names, [0], (p) => byClass(run, p)));
}
