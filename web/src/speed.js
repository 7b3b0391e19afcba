// Seconds per subject, beside the paper's. SPDX-License-Identifier: Apache-2.0
import { Plot, figure, key, logTicks, nameLength, nameWidth } from "./chart.js";
import { brief, seconds, section, sortableTable } from "./dom.js";

export function speed(run) {
    const rows = run.table.map((row, i) => ({ name: run.names[i], own: row.seconds, paper: row.paper })).filter(({ own }) => own > 0);
    if (!rows.length) return null;
    const shown = rows.flatMap(({ own, paper }) => [own, paper ?? own]), least = Math.min(...shown) / 1.15, most = Math.max(...shown) * 1.15;
    const compared = rows.some(({ paper }) => paper !== null);
    return section("speed", "Speed", figure({
        id: "seconds",
        title: "Seconds per subject",
        note: compared ? "Fitting and predicting. The paper's figures are its alignment and its classifier added, on an RTX 4060." : "Fitting and predicting. The paper has no figures for this dataset.",
        legend: compared ? key([{ name: "this run", colour: "var(--c1)" }, { name: "paper", colour: "var(--c2)", shape: "diamond" }]) : null,
        options: (width) => ({
            height: 60 + 26 * rows.length, marginLeft: nameWidth(run.names, width), marginRight: 16,
            x: { type: "log", label: "Seconds (logarithmic)", grid: true, labelAnchor: "center", domain: [least, most], ticks: logTicks(least, most), tickFormat: "~g" },
            y: { domain: [rows.length - 0.4, -0.6], ticks: rows.map((_, i) => i), tickSize: 0, label: null, tickFormat: (i) => brief(rows[i].name, nameLength(width)) },
            marks: [
                Plot.ruleY(rows.filter((d) => d.paper), { x1: "own", x2: "paper", y: (d) => rows.indexOf(d), stroke: "var(--rule)" }),
                Plot.dot(rows.filter((d) => d.paper), { x: "paper", y: (d) => rows.indexOf(d), symbol: "diamond", r: 4.5, fill: "var(--c2)" }),
                Plot.dot(rows, { x: "own", y: (_, i) => i, r: 4.5, fill: "var(--c1)", title: (d) => `${d.name}: ${seconds(d.own)} s${d.paper ? `, paper ${seconds(d.paper)} s` : ""}`, tip: true }),
            ],
        }),
        table: () => sortableTable({ caption: "Seconds per subject", rows, columns: [
            { title: "Pipeline", value: (d) => d.name }, { title: "This run", number: true, value: (d) => d.own, text: (d) => seconds(d.own) },
            { title: "Paper", number: true, value: (d) => d.paper, text: (d) => seconds(d.paper) },
            { title: "Times faster", number: true, value: (d) => d.paper && d.paper / d.own, text: (d) => (d.paper ? (d.paper / d.own).toPrecision(3) : "–") }] }),
    }));
}
