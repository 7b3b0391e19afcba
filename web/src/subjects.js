// Subject by subject: accuracies and confusions, the worst first. SPDX-License-Identifier: Apache-2.0
import { chosen } from "./accuracy.js";
import { h, parts, percent, section, sortableTable } from "./dom.js";

const mean = (values) => {
    const known = values.filter((x) => x !== null);
    return known.length ? known.reduce((sum, x) => sum + x, 0) / known.length : null;
};

function table(run) {
    const least = Math.min(run.chance ?? 1, ...run.accuracy.flat().filter((x) => x !== null));
    const shade = (x) => (x === null ? 0 : Math.round((32 * (x - least)) / (1 - least || 1)));
    const rows = run.subjects.map((name, s) => ({ name: run.few[s] ? `${name} *` : name, all: run.accuracy.map((row) => row[s]), above: run.levels?.above.map((row) => row[s]) ?? [], mean: mean(run.accuracy.map((row) => row[s])) }));
    return sortableTable({
        caption: `Accuracy by subject (%), worst first; a heading sorts${run.levels ? "; grey: not above the level of chance" : ""}`,
        rows, sort: 1, dense: true,
        columns: [
            { title: "Subject", value: (r) => r.name },
            { title: "Mean", number: true, value: (r) => r.mean, text: (r) => percent(r.mean) },
            ...run.names.map((title, i) => ({ title, number: true, value: (r) => r.all[i], text: (r) => percent(r.all[i]), shade: (r) => shade(r.all[i]), tone: (r) => (r.above[i] === 0 ? "chance" : null) })),
        ],
    });
}

// One confusion as a small table: rows truth, columns prediction.
function matrix(run, title, count) {
    const n = run.classes.length;
    const total = (i) => count.slice(i * n, i * n + n).reduce((sum, x) => sum + x, 0);
    const trials = count.reduce((sum, x) => sum + x, 0), right = run.classes.reduce((sum, _, i) => sum + count[i * n + i], 0);
    return h("table", { class: "confusion" },
        h("caption", {}, h("strong", {}, title), ` ${percent(right / trials)} % of ${trials}`),
        h("thead", {}, h("tr", {}, h("td", {}), run.classes.map((name) => h("th", { scope: "col" }, parts(name))))),
        h("tbody", {}, run.classes.map((name, i) => h("tr", {}, h("th", { scope: "row" }, parts(name)), run.classes.map((_, j) => {
            const part = total(i) ? count[i * n + j] / total(i) : 0;
            const cell = h("td", { class: i === j ? "right" : null }, percent(part, 0), h("small", {}, String(count[i * n + j])));
            cell.style.setProperty("--shade", `${Math.round(45 * part)}%`);
            return cell;
        })))));
}

const FIRST = 7;

function confusions(run, pipeline) {
    const counts = run.confusion[pipeline];
    const sum = counts.reduce((total, one) => total.map((x, k) => x + one[k]), counts[0].map(() => 0));
    const order = run.subjects.map((_, s) => s).filter((s) => run.accuracy[pipeline][s] !== null)
        .sort((a, b) => run.accuracy[pipeline][a] - run.accuracy[pipeline][b]);
    const one = (s) => matrix(run, run.subjects[s], counts[s]);
    const grid = h("div", { class: "grid confusions" }, matrix(run, "All subjects", sum), order.slice(0, FIRST).map(one));
    const more = h("button", { type: "button", class: "more", onclick: () => {
        grid.append(...order.slice(FIRST).map(one));
        more.remove();
    } }, `Show the other ${order.length - FIRST} subjects`);
    return h("div", {}, grid, order.length > FIRST ? more : null);
}

export function subjects(run) {
    return section("subjects", "Subjects", table(run),
        run.confusion ? h("h3", {}, "Confusion matrix") : null,
        run.confusion ? h("p", { class: "note" }, "Rows are the truth, columns the prediction; per cent of a row, and trials. Subjects with the lowest accuracy come first.") : null,
        run.confusion ? chosen(["Pipeline"], run.names, [0], (p) => confusions(run, p))
            : h("p", { class: "note" }, "The folder has no predictions.csv: there are no confusions to show."));
}
