// Accuracy by the number of labelled target trials. SPDX-License-Identifier: Apache-2.0
import { Plot, colour, figure, key } from "./chart.js";
import { chanceText, h, percent, section, sortableTable } from "./dom.js";

function chart({ curve, pipelines, chance }) {
    const rows = pipelines.flatMap((name, pipeline) => curve.points[pipeline].flatMap((point, i) => (point.mean === null ? [] : [{ ...point, name, pipeline, number: curve.numbers[i] }])));
    const most = curve.numbers.at(-1), tone = (d) => colour(d.pipeline);
    // Bars of pipelines stand side by side.
    const place = (d) => d.number + 0.008 * (most - curve.numbers[0]) * (d.pipeline - (pipelines.length - 1) / 2);
    return figure({
        id: "curve-chart",
        title: "Accuracy by labelled target trials",
        note: "Mean over subjects, with its 95 % interval (Student's t).",
        legend: key([...pipelines.map((name, i) => ({ name, colour: colour(i) })), ...(chance === null ? [] : [{ name: `chance (${chanceText(chance)} %)`, colour: "var(--soft)", dash: true }])]),
        options: () => ({
            height: 360, marginLeft: 48, marginRight: 16,
            x: { label: "Labelled target trials of each class", inset: 4 + 6 * pipelines.length, ticks: curve.numbers, tickFormat: "d", labelAnchor: "center" },
            y: { label: "Accuracy (%)", percent: true, grid: true, nice: true },
            marks: [
                ...(chance === null ? [] : [Plot.ruleY([chance], { stroke: "var(--soft)", strokeDasharray: "4 3", strokeWidth: 1.5 })]),
                Plot.ruleX(rows.filter(({ low }) => low !== null), { x: place, y1: "low", y2: "high", stroke: tone, strokeWidth: 2, strokeOpacity: 0.6 }),
                Plot.lineY(rows, { x: place, y: "mean", z: "pipeline", stroke: tone, strokeWidth: 2 }),
                Plot.dot(rows, { x: place, y: "mean", r: 4, fill: tone, title: (d) => `${d.name}, ${d.number} of each class: ${percent(d.mean)} % (${percent(d.low)} to ${percent(d.high)})`, tip: true }),
            ],
        }),
        table: () => sortableTable({ caption: "Accuracy by labelled target trials", rows, columns: [
            { title: "Pipeline", value: (d) => d.name }, { title: "Trials of each class", number: true, value: (d) => d.number },
            { title: "Accuracy (%)", number: true, value: (d) => d.mean, text: (d) => `${percent(d.mean)} ± ${percent(d.deviation)}` },
            { title: "95 % interval", number: true, value: (d) => d.low, text: (d) => `${percent(d.low)} – ${percent(d.high)}` }] }),
    });
}

export function curve(run) {
    if (!run.curve) return null;
    const { numbers, points: all } = run.curve, first = all[0][0], last = all[0].at(-1);
    return section("curve", "Learning curve",
        h("p", {}, `The first ${numbers.join(", ")} labelled trials of each class of the target subject are fitted on with the source subjects. All numbers are scored on the same trials, those behind the first ${numbers.at(-1)} of each class.`,
            first.mean !== null && last.mean !== null ? ` From ${numbers[0]} to ${numbers.at(-1)}, ${run.pipelines[0]} goes from ${percent(first.mean)} to ${percent(last.mean)} %.` : ""),
        chart(run));
}
