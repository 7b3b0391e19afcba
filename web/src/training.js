// Training by step, of all runs that trained the same pipeline. SPDX-License-Identifier: Apache-2.0
import { chosen } from "./accuracy.js";
import { Plot, colour, figure, key, logTicks } from "./chart.js";
import { h, section, sortableTable } from "./dom.js";

const groups = [
    ["Losses", ["loss", "cross_entropy", "reconstruction"]],
    ["Scatter on the manifold", ["within_action", "between_action", "action_ratio", "within_subject", "between_subject", "subject_ratio"]],
    ["Stability", ["gradient_norm", "eigen_least", "eigen_largest", "rank"]],
];
const logarithmic = new Set(["gradient_norm", "eigen_least", "eigen_largest"]);

// Unconstrained trainings are blue and the others orange where there are both, as in the figures; else by place.
export function runColours(runs) {
    const free = runs.map(({ run }) => run?.settings?.unconstrained === true), mixed = new Set(free).size > 1;
    return runs.map((_, index) => colour(mixed ? 2 * free.slice(0, index).filter((one) => one === free[index]).length + (free[index] ? 0 : 1) : index));
}

// Rows {run, step, mean, low, high} of one series in every run that has it.
function rowsOf(runs, pipeline, series) {
    return runs.flatMap((run, index) => {
        const curves = run.training.find((one) => one.pipeline === pipeline);
        const found = curves?.series.find(({ name }) => name === series);
        return !found ? [] : curves.step.flatMap((step, i) => (found.mean[i] === null ? [] : [{ run: index, step, mean: found.mean[i], low: found.low[i], high: found.high[i] }]));
    });
}

// A number that never changes is a sentence, not a chart.
function panel(runs, pipeline, series, title) {
    const rows = rowsOf(runs, pipeline, series);
    if (!rows.length) return null;
    if (rows.every(({ low, high }) => low === rows[0].low && high === rows[0].low)) return h("p", { class: "note constant" }, h("strong", {}, title), ` ${Number(rows[0].low.toPrecision(6))} at every step.`);
    const log = logarithmic.has(series) && rows.every(({ low }) => low > 0);
    const tones = runColours(runs), tone = (d) => tones[d.run], last = Math.max(...runs.flatMap((run) => run.training.filter((one) => one.pipeline === pipeline).map(({ step }) => step.at(-1))));
    const least = Math.min(...rows.map(({ low }) => low)), most = Math.max(...rows.map(({ high }) => high));
    return figure({
        title, note: log ? "logarithmic" : null, most: 520,
        options: () => ({
            height: 190, marginLeft: 52, marginRight: 10, marginTop: 12,
            x: { label: "Step", ticks: 5, domain: [0, last] },
            y: log ? { label: null, grid: true, type: "log", domain: [least, most], ticks: logTicks(least, most), tickFormat: "~g" } : { label: null, grid: true, nice: true, ticks: 4 },
            marks: [
                Plot.areaY(rows, { x: "step", y1: "low", y2: "high", z: "run", fill: tone, fillOpacity: 0.2 }),
                Plot.lineY(rows, { x: "step", y: "mean", z: "run", stroke: tone, strokeWidth: 2 }),
            ],
        }),
        table: () => sortableTable({ caption: title, rows, columns: [
            { title: "Run", value: (d) => runs[d.run].label }, { title: "Step", number: true, value: (d) => d.step },
            ...["mean", "low", "high"].map((name) => ({ title: { mean: "Mean", low: "10 %", high: "90 %" }[name], number: true, value: (d) => d[name], text: (d) => d[name].toPrecision(4) }))] }),
    });
}

function panels(runs, pipeline) {
    const titles = new Map(runs.flatMap((run) => run.training.flatMap(({ series }) => series.map(({ name, title }) => [name, title]))));
    const having = runs.map((run, index) => ({ run, index, curves: run.training.find((one) => one.pipeline === pipeline) })).filter(({ curves }) => curves);
    return h("div", {},
        h("p", { class: "note" }, "Line: mean over subjects; band: the middle 80 % of them. ",
            having.map(({ run, curves }) => `${runs.length > 1 ? `${run.label}: ` : ""}${curves.subjects} subjects, ${curves.steps} steps${curves.best_step === null ? "" : `, the kept parameters are of step ${Math.round(curves.best_step)} on average`}. `)),
        having.length > 1 ? key(having.map(({ run, index }) => ({ name: run.label, colour: runColours(runs)[index] }))) : null,
        groups.map(([title, series]) => {
            const all = series.map((name) => panel(runs, pipeline, name, titles.get(name))).filter(Boolean);
            return all.length ? [h("h3", {}, title), h("div", { class: "grid" }, all)] : null;
        }));
}

export function training(run, data) {
    if (!run.training.length) return null;
    const trained = new Set(run.training.map(({ pipeline }) => pipeline));
    const names = [...run.pipelines.filter((name) => trained.has(name)), ...[...trained].filter((name) => !run.pipelines.includes(name))];
    return section("training", "Training", chosen(["Pipeline"], names, [0], (i) => panels(data.runs, names[i])));
}
