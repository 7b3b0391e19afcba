// The same pipelines in several runs, on the same subjects. SPDX-License-Identifier: Apache-2.0
import { forestFigure } from "./accuracy.js";
import { Plot, colour, figure, key, nameLength, nameWidth } from "./chart.js";
import { brief, fixed, h, pValue, parts, percent, points, section, sortableTable } from "./dom.js";

const meanText = ({ mean, deviation }) => `${percent(mean)} ± ${percent(deviation)}`;

// One dot for each run that has the pipeline: {row, run, name, n, mean, deviation, ...}.
function dotsOf(comparisons, names) {
    return names.flatMap((name, row) => {
        const own = comparisons.filter(({ pipeline }) => pipeline === name);
        return [{ row, name, run: 0, ...own[0].first }, ...own.map((c) => ({ row, name, run: c.run, ...c.own }))];
    });
}

function means(comparisons, names, labels) {
    const dots = dotsOf(comparisons, names), shown = [...new Set(dots.map(({ run }) => run))].sort((a, b) => a - b);
    const spans = names.map((name, row) => dots.filter((d) => d.row === row).map(({ mean }) => mean)).map((all, row) => ({ row, from: Math.min(...all), to: Math.max(...all) }));
    // Dots that would lie on one another are put apart.
    const covered = (d) => dots.some((e) => e !== d && e.row === d.row && Math.abs(e.mean - d.mean) < 0.01);
    const place = (d) => d.row + (covered(d) ? 0.2 * (shown.indexOf(d.run) - (shown.length - 1) / 2) : 0);
    return figure({
        id: "means",
        title: "Each pipeline in each run",
        note: "One dot for each run: the mean over subjects.",
        legend: key(shown.map((run) => ({ name: labels[run], colour: colour(run) }))),
        options: (width) => ({
            height: 60 + 26 * names.length,
            marginLeft: nameWidth(names, width), marginRight: 16,
            x: { label: "Accuracy (%)", percent: true, grid: true, nice: true, labelAnchor: "center" },
            y: { domain: [names.length - 0.4, -0.6], ticks: names.map((_, i) => i), tickSize: 0, label: null, tickFormat: (i) => brief(names[i], nameLength(width)) },
            marks: [
                Plot.ruleY(spans, { x1: "from", x2: "to", y: "row", stroke: "var(--soft)", strokeWidth: 1.5, strokeOpacity: 0.6 }),
                Plot.dot(dots, { x: "mean", y: place, r: 5, fill: (d) => colour(d.run), title: (d) => `${d.name}, ${labels[d.run]}: ${meanText(d)} %`, tip: true }),
            ],
        }),
        table: () => sortableTable({ caption: "Mean accuracy by run", rows: dots, columns: [
            { title: "Pipeline", value: (d) => d.name }, { title: "Run", value: (d) => labels[d.run] },
            { title: "Accuracy (%)", number: true, value: (d) => d.mean, text: meanText }, { title: "Subjects", number: true, value: (d) => d.n }] }),
    });
}

function differences(comparisons, labels, several) {
    const rows = comparisons.map((c) => ({ name: several ? `${c.pipeline}, ${labels[c.run]}` : c.pipeline, ...c.difference }));
    return forestFigure({ id: "changes", rows, title: `What ${several ? "the other runs gain" : `${labels[comparisons[0].run]} gains`} on ${labels[0]}`,
        note: "Mean over subjects of the paired difference, with its 95 % interval (Student's t).", label: "Points of accuracy gained" });
}

function testsTable(comparisons, labels, several) {
    const [{ run: other }] = comparisons, note = "mean ± standard deviation over subjects";
    return sortableTable({
        caption: "The same pipelines in other runs",
        rows: comparisons,
        columns: [
            { title: "Pipeline", value: (c) => c.pipeline, text: (c) => parts(c.pipeline) },
            several ? { title: "Run", value: (c) => labels[c.run] } : null,
            ...(comparisons.some((c) => c.seen) ? [{ title: `Target data used${several ? "" : `, ${brief(labels[other])}`}`, value: (c) => c.seen ?? "the same" }, { title: `Target data used, ${brief(labels[0])}`, value: (c) => c.first_seen ?? "the same" }] : []),
            comparisons.some((c) => c.trials) ? { title: "Trials", number: true, note: "that the comparison is of", value: (c) => c.trials ?? null, text: (c) => (!c.trials ? "all" : c.trials === c.first_trials ? String(c.trials) : `${c.trials} and ${c.first_trials}`) } : null,
            { title: several ? "Accuracy (%)" : `${brief(labels[other])} (%)`, number: true, note, value: (c) => c.own.mean, text: (c) => meanText(c.own) },
            { title: `${brief(labels[0])} (%)`, number: true, note, value: (c) => c.first.mean, text: (c) => meanText(c.first) },
            { title: "Difference (points)", number: true, value: (c) => c.difference.mean, text: (c) => points(c.difference.mean) },
            { title: "95 % interval", number: true, value: (c) => c.difference.low, text: (c) => (typeof c.difference.low === "number" ? `${points(c.difference.low)} to ${points(c.difference.high)}` : "–") },
            { title: "d_z", number: true, note: "mean over deviation of the differences", value: (c) => c.difference.effect, text: (c) => fixed(c.difference.effect, 2) },
            { title: "Better : worse", number: true, note: "subjects", value: (c) => c.difference.wins - c.difference.losses, text: (c) => `${c.difference.wins} : ${c.difference.losses} of ${c.difference.n}` },
            { title: "p", number: true, note: "Wilcoxon's signed-rank test", value: (c) => c.p, text: (c) => pValue(c.p) },
            { title: "p (Holm)", number: true, note: "corrected over all rows", value: (c) => c.p_holm, text: (c) => pValue(c.p_holm) },
        ].filter(Boolean),
    });
}

export function comparison(run, { runs, comparisons }) {
    if (!comparisons.length) return null;
    const labels = runs.map(({ label }) => label), names = [...new Set(comparisons.map(({ pipeline }) => pipeline))];
    const several = comparisons.some((c) => c.run !== comparisons[0].run), certain = comparisons.filter((c) => c.p_holm < 0.05).length;
    return section("comparison", "Comparison",
        h("p", {}, "The same pipelines in other runs, each on the subjects, and the trials of one set, that all runs with it have. A difference is ", h("strong", {}, several ? "the other run" : labels[comparisons[0].run]), " less ", h("strong", {}, labels[0]),
            `, subject by subject. ${certain || "None"} of the ${comparisons.length} differences ${certain > 1 ? "are" : "is"} more than chance (Wilcoxon's signed-rank test, p below 0.05 after Holm's correction over all of them).`),
        h("div", { class: "grid pair" }, means(comparisons, names, labels), differences(comparisons, labels, several)),
        testsTable(comparisons, labels, several));
}
