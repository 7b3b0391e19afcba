// What each part is worth, and tests between pipelines. SPDX-License-Identifier: Apache-2.0
import { forestFigure } from "./accuracy.js";
import { fixed, h, pValue, percent, points, section, sortableTable } from "./dom.js";

// A heading of its own only where it says more than that of the section.
function variants({ rows, title, baseline }, alone) {
    const changed = rows.filter(({ change }) => typeof change === "number").map((row) => ({ name: row.name, mean: row.change, low: row.low ?? null, high: row.high ?? null }));
    return [
        alone && (title ?? "Ablation") === "Ablation" ? null : h("h3", {}, title ?? "Ablation"),
        changed.length ? forestFigure({ id: "variants", rows: changed, title: "What each change does to accuracy", note: baseline ? `Against ${baseline}.` : null, label: "Points of accuracy" }) : null,
        sortableTable({ caption: "Variants", rows, columns: [
            { title: "Variant", value: (r) => r.name },
            { title: "Accuracy (%)", number: true, value: (r) => r.mean, text: (r) => `${percent(r.mean)}${typeof r.deviation === "number" ? ` ± ${percent(r.deviation)}` : ""}` },
            { title: "Change (points)", number: true, value: (r) => r.change, text: (r) => points(r.change) },
            { title: "95 % interval", number: true, value: (r) => r.low, text: (r) => (typeof r.low === "number" ? `${points(r.low)} to ${points(r.high)}` : "–") },
        ] }),
    ];
}

function tests({ comparisons, test }, alone) {
    const labels = (side) => (comparisons.some((r) => r[`labels_${side}`] !== undefined)
        ? [{ title: `Labels of ${side.toUpperCase()}`, number: true, note: "labelled trials of each target subject that it looked at", value: (r) => r[`labels_${side}`] }] : []);
    return [
        alone ? null : h("h3", {}, "Statistics"),
        test ? h("p", { class: "note" }, test) : null,
        sortableTable({ caption: "Paired comparisons", rows: comparisons, columns: [
            { title: "A", value: (r) => r.a },
            ...labels("a"),
            { title: "B", value: (r) => r.b },
            ...labels("b"),
            { title: "n", number: true, value: (r) => r.n },
            ...(comparisons.some(({ trials }) => trials) ? [{ title: "Trials", number: true, note: "that both are scored on", value: (r) => r.trials }] : []),
            { title: "A less B (points)", number: true, value: (r) => r.mean_gain, text: (r) => points(r.mean_gain) },
            { title: "95 % interval", number: true, value: (r) => r.low, text: (r) => (typeof r.low === "number" ? `${points(r.low)} to ${points(r.high)}` : "–") },
            { title: "d_z", number: true, value: (r) => r.d_z, text: (r) => fixed(r.d_z, 2) },
            { title: "p", number: true, value: (r) => r.p, text: (r) => pValue(r.p) },
            { title: "p (Holm)", number: true, value: (r) => r.p_holm, text: (r) => pValue(r.p_holm) },
            { title: "A better (%)", number: true, value: (r) => r.fraction, text: (r) => percent(r.fraction, 0) },
        ] }),
    ];
}

export function ablation(run) {
    if (!run.ablation && !run.statistics) return null;
    return section("ablation", run.ablation ? (run.statistics ? "Ablation and statistics" : "Ablation") : "Statistics",
        run.ablation ? variants(run.ablation, !run.statistics) : null, run.statistics ? tests(run.statistics, !run.ablation) : null);
}
