// Accuracy: the paper's table, every subject, two pipelines, differences. SPDX-License-Identifier: Apache-2.0
import { Plot, figure, key, nameLength, nameWidth, redraw } from "./chart.js";
import { brief, chanceText, fixed, h, percent, points, seconds, section, select, sortableTable } from "./dom.js";

function paperTable(run) {
    const most = run.table[0].mean, knows = run.knowledge.some(({ labels }) => labels > 0);
    const rows = run.table.map((row, i) => ({ ...row, ...run.knowledge[i], name: run.pipelines[i] }));
    return sortableTable({
        caption: "Accuracy by pipeline",
        rows,
        columns: [
            { title: "Pipeline", value: (r) => r.name, text: (r) => (r.mean === most && r.labels === rows[0].labels ? h("strong", {}, r.name) : r.name) },
            knows ? { title: "Labels", number: true, note: "labelled trials of each target subject that it looked at, which are not scored", value: (r) => r.labels } : null,
            run.same_trials ? null : { title: "Trials", number: true, note: "that it is scored on", value: (r) => r.trials },
            { title: "Accuracy (%)", number: true, note: "mean ± standard deviation over subjects", value: (r) => r.mean, text: (r) => `${percent(r.mean)} ± ${percent(r.deviation)}` },
            { title: "95 % interval", number: true, value: (r) => r.low, text: (r) => `${percent(r.low)} – ${percent(r.high)}` },
            run.same_trials ? null : { title: "In common (%)", number: true, note: "on the trials that all pipelines are scored on", value: (r) => r.common, text: (r) => percent(r.common) },
            { title: "z", number: true, note: "mean over subjects of (accuracy − mean)/deviation over pipelines", value: (r) => r.z, text: (r) => fixed(r.z, 2) },
            { title: "Kappa", number: true, value: (r) => r.kappa, text: (r) => fixed(r.kappa, 3) },
            { title: "Seconds per subject", number: true, value: (r) => r.seconds, text: (r) => seconds(r.seconds) },
            { title: "Subjects", number: true, value: (r) => r.n },
        ].filter(Boolean),
    });
}

// Dots that would lie on one another are put apart, the same way every time.
const apart = (subject) => ((subject * 7) % 11) / 10 - 0.5;
const chanceRule = (run, mark) => (run.chance === null ? [] : [mark([run.chance], { stroke: "var(--c2)", strokeDasharray: "4 3", strokeWidth: 1.5 })]);

// The level above which a subject beats chance: a line, or a band where subjects differ in their number of trials; and how many do.
function levelMarks({ levels }) {
    if (!levels) return [];
    const { low, high, count } = levels, line = { stroke: "var(--c2)", strokeWidth: 1 };
    return [
        ...(high > low ? [Plot.rectX([0], { x1: low, x2: high, fill: "var(--c2)", fillOpacity: 0.14 })] : []),
        Plot.ruleX(high > low ? [low, high] : [low], line),
        Plot.text(count, { frameAnchor: "right", dx: 50, y: (_, i) => i, text: (d) => `${d.above} of ${d.of}`, textAnchor: "end", fill: "var(--soft)" }),
    ];
}

// All results as rows {pipeline, name, subject, accuracy}.
function allDots(run) {
    return run.accuracy.flatMap((row, pipeline) => row.flatMap((accuracy, subject) =>
        accuracy === null ? [] : [{ pipeline, subject, accuracy, above: run.levels?.above[pipeline][subject] ?? null, name: run.names[pipeline], who: run.subjects[subject] }]));
}

function strip(run) {
    const dots = allDots(run), means = run.table.map((row, pipeline) => ({ ...row, pipeline }));
    return figure({
        id: "strip",
        title: "Every subject under every pipeline",
        note: `One dot per subject; diamond and bar are the mean and its 95 % interval.${run.levels ? " At the right, how many subjects are above the level of chance." : ""}`,
        legend: run.chance === null ? null : key([{ name: `chance (${chanceText(run.chance)} %)`, colour: "var(--c2)", dash: true },
            ...(run.levels ? [{ name: "level that chance exceeds in one of 20 cases", colour: "var(--c2)", shape: "rule" }, { name: "subject above it", colour: "var(--c1)" }, { name: "subject not above it", colour: "var(--c1)", shape: "ring" }] : [])]),
        options: (width) => ({
            height: 60 + 30 * run.pipelines.length,
            marginLeft: nameWidth(run.names, width), marginRight: run.levels ? 58 : 16,
            x: { label: "Accuracy (%)", percent: true, grid: true, nice: true, labelAnchor: "center" },
            y: { domain: [run.pipelines.length - 0.4, -0.6], ticks: run.pipelines.map((_, i) => i), tickSize: 0, label: null, tickFormat: (i) => brief(run.names[i], nameLength(width)) },
            marks: [
                ...chanceRule(run, Plot.ruleX), ...levelMarks(run),
                Plot.dot(dots, { x: "accuracy", y: (d) => d.pipeline + 0.6 * apart(d.subject), r: 2.8, fill: (d) => (d.above === 0 ? "none" : "var(--c1)"), fillOpacity: 0.55, stroke: (d) => (d.above === 0 ? "var(--c1)" : "none"), className: "dots", title: (d) => `${d.who}, ${d.name}: ${percent(d.accuracy)} %`, tip: true }),
                Plot.ruleY(means.filter((d) => d.low !== null), { x1: "low", x2: "high", y: "pipeline", strokeWidth: 2.5 }),
                Plot.dot(means, { x: "mean", y: "pipeline", symbol: "diamond", r: 4.5, fill: "currentColor" }),
            ],
        }),
        table: () => sortableTable({ caption: "Accuracy of every subject", rows: dots, columns: [
            { title: "Subject", value: (d) => d.who }, { title: "Pipeline", value: (d) => d.name },
            { title: "Accuracy", number: true, value: (d) => d.accuracy, text: (d) => String(d.accuracy) }] }),
    });
}

// The difference of places a and b, whichever way it is stored.
export function difference(run, a, b) {
    const stored = run.pairs.find((pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a));
    if (!stored || stored.a === a) return stored;
    const turned = (x) => (x === null ? null : -x);
    return { ...stored, a, b, first: stored.second, second: stored.first, mean: turned(stored.mean), low: turned(stored.high), high: turned(stored.low), effect: turned(stored.effect), wins: stored.losses, losses: stored.wins };
}

function paired(run, a, b) {
    const pair = difference(run, a, b);
    const first = pair.first ?? run.accuracy[a], second = pair.second ?? run.accuracy[b];
    const lines = run.subjects.flatMap((who, s) => (first[s] === null || second[s] === null ? []
        : [{ who, a: first[s], b: second[s], better: first[s] > second[s], same: first[s] === second[s] }]));
    const ends = lines.flatMap((line) => [{ ...line, end: "b", value: line.b }, { ...line, end: "a", value: line.a }]);
    const tone = (d) => (d.same ? "var(--soft)" : d.better ? "var(--c1)" : "var(--c2)");
    return figure({
        id: "paired",
        most: 560,
        title: `${run.names[a]} against ${run.names[b]}`,
        note: pair.n > 0 && pair.wins === 0 && pair.losses === 0 ? `Equal on all ${pair.n} subjects.` : `${points(pair.mean)} points, 95 % interval ${points(pair.low)} to ${points(pair.high)}; better on ${pair.wins} of ${pair.n}, worse on ${pair.losses}; d_z ${fixed(pair.effect, 2)}.${run.same_trials ? "" : ` On the ${pair.trials} trials that both are scored on.`}`,
        legend: key([{ name: `better with ${run.names[a]}`, colour: "var(--c1)" }, { name: "worse", colour: "var(--c2)" }, { name: "equal", colour: "var(--soft)" }]),
        options: (width) => ({
            height: 380, marginLeft: 44, marginRight: 16, marginBottom: 30,
            x: { type: "point", domain: ["b", "a"], padding: 0.35, label: null, tickSize: 0, tickFormat: (end) => brief(run.names[end === "a" ? a : b], Math.floor(width / 16)) },
            y: { label: "Accuracy (%)", percent: true, grid: true, nice: true },
            marks: [
                ...chanceRule(run, Plot.ruleY),
                Plot.link(lines, { x1: () => "b", x2: () => "a", y1: "b", y2: "a", stroke: tone, strokeOpacity: 0.65 }),
                Plot.dot(ends, { x: "end", y: "value", r: 3.2, fill: tone, title: (d) => `${d.who}: ${percent(d.b)} → ${percent(d.a)} %`, tip: true }),
            ],
        }),
        table: () => sortableTable({ caption: "The two pipelines by subject", rows: lines, sort: 3, columns: [
            { title: "Subject", value: (d) => d.who }, { title: run.names[b], number: true, value: (d) => d.b, text: (d) => percent(d.b) },
            { title: run.names[a], number: true, value: (d) => d.a, text: (d) => percent(d.a) },
            { title: "Difference (points)", number: true, value: (d) => d.a - d.b, text: (d) => points(d.a - d.b) }] }),
    });
}

// Means with intervals about zero: rows {name, mean, low, high}.
export function forestFigure({ id, title, note, rows, label }) {
    const names = rows.map(({ name }) => name);
    const tone = (d) => (d.low > 0 ? "var(--c1)" : d.high < 0 && d.high !== null ? "var(--c2)" : "var(--soft)");
    return figure({
        id, title, note,
        legend: key([{ name: "above zero", colour: "var(--c1)" }, { name: "below", colour: "var(--c2)" }, { name: "interval holds zero", colour: "var(--soft)" }]),
        options: (width) => ({
            height: 60 + 26 * rows.length,
            marginLeft: nameWidth(names, width), marginRight: 16,
            x: { label, percent: true, grid: true, nice: true, labelAnchor: "center", tickFormat: (x) => (x > 0 ? `+${x}` : String(x).replace("-", "−")) },
            y: { domain: [rows.length - 0.4, -0.6], ticks: rows.map((_, i) => i), tickSize: 0, label: null, tickFormat: (i) => brief(names[i], nameLength(width)) },
            marks: [
                Plot.ruleX([0], { stroke: "currentColor" }),
                Plot.ruleY(rows.filter((d) => typeof d.low === "number"), { x1: "low", x2: "high", y: (d) => rows.indexOf(d), stroke: tone, strokeWidth: 2.5 }),
                Plot.dot(rows, { x: "mean", y: (_, i) => i, r: 4.5, fill: tone, title: (d) => `${d.name}: ${points(d.mean)} (${points(d.low)} to ${points(d.high)})`, tip: true }),
            ],
        }),
        table: () => sortableTable({ caption: title, rows, columns: [
            { title: "Name", value: (d) => d.name }, { title: "Points", number: true, value: (d) => d.mean, text: (d) => points(d.mean) },
            { title: "95 % from", number: true, value: (d) => d.low, text: (d) => points(d.low) }, { title: "to", number: true, value: (d) => d.high, text: (d) => points(d.high) }] }),
    });
}

function forest(run, a) {
    const rows = run.names.map((name, b) => ({ name, ...difference(run, a, b) })).filter((row) => row.n !== undefined);
    return forestFigure({ id: "forest", rows, title: `What ${run.names[a]} gains on each other pipeline`, note: `Mean over subjects of the paired difference, with its 95 % interval (Student's t)${run.same_trials ? "" : "; each on the trials that both are scored on"}.`, label: "Points of accuracy gained" });
}

// A chart behind choices: `make` is called again with what is chosen.
export function chosen(labels, names, start, make) {
    const place = h("div"), choice = [...start];
    const show = () => {
        place.replaceChildren(make(...choice));
        redraw();
    };
    show();
    return h("div", {}, h("div", { class: "choices" }, labels.map((label, i) => select(label, names, choice[i], (value) => {
        choice[i] = value;
        show();
    }))), place);
}

export function accuracy(run) {
    const several = run.pipelines.length > 1;
    return section("accuracy", "Accuracy", paperTable(run), strip(run),
        several ? h("div", { class: "grid pair" },
            h("div", {}, h("h3", {}, "Two pipelines, subject by subject"), chosen(["Pipeline", "against"], run.names, [0, 1], (a, b) =>
                (a === b ? h("p", { class: "note" }, "Choose two different pipelines.") : paired(run, a, b)))),
            h("div", {}, h("h3", {}, "One pipeline against all others"), chosen(["Pipeline"], run.names, [0], (a) => forest(run, a)))) : null);
}
