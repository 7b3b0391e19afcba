// Charts: what all of them share. SPDX-License-Identifier: Apache-2.0
import * as Plot from "@observablehq/plot";
import { h, numbers } from "./dom.js";

export { Plot };

// Told apart by subjects of any colour vision (Okabe and Ito); page.css has the tones for light and dark.
export const colours = Array.from({ length: 7 }, (_, i) => `var(--c${i + 1})`);
export const colour = (i) => colours[i % colours.length];

// Charts of the page, all drawn at once, whoever prints or captures it; and again when their room changes its width.
const charts = new Map();

// Columns that page.css has on paper.
const columns = (place) => (place.closest(".grid.pair") ? 2 : place.closest(".grid") ? 3 : 1);

function draw(chart, paper) {
    const room = paper ? Math.floor(paper / columns(chart.place)) - 12 : Math.max(240, Math.floor(chart.place.clientWidth || 640));
    const width = Math.min(chart.most, room);
    if (width === chart.width) return;
    chart.width = width;
    const { x, y, ...options } = chart.options(width);
    const svg = Plot.plot({ width, marginBottom: 46, ...options, x: { labelOffset: 40, labelArrow: "none", ...x }, y: { labelArrow: "none", ...y }, style: { fontSize: "12px" } });
    // Plot labels its groups, which ARIA does not allow for elements without a role.
    for (const group of svg.querySelectorAll("g[aria-label]")) {
        group.dataset.mark = group.getAttribute("aria-label");
        group.removeAttribute("aria-label");
    }
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", chart.title);
    chart.place.replaceChildren(svg);
}

// Draws what is on the page, no wider than `paper` where that is given. A chart that was drawn and is gone from the page is forgotten.
export function redraw(paper) {
    for (const [place, chart] of charts) {
        if (place.isConnected) draw(chart, paper);
        else if (chart.width) charts.delete(place);
    }
}

// A figure with its caption; options(width) is what Plot draws, table() its numbers.
export function figure({ title, note, legend, options, table, most = 1040, id }) {
    const place = h("div", { class: "plot" });
    charts.set(place, { place, options, title, most, width: 0 });
    place.style.minHeight = `${options(640).height}px`;
    return h("figure", { id }, h("figcaption", {}, h("strong", {}, title), note ? [" ", h("span", {}, note)] : null), legend, place,
        table ? numbers(table) : null);
}

export function key(entries) {
    return h("ul", { class: "key" }, entries.map(({ name, colour: tone, dash, shape }) => {
        const mark = h("span", { class: `mark ${shape ?? (dash ? "dash" : "")}`, "aria-hidden": "true" });
        mark.style.setProperty("--tone", tone);
        return h("li", {}, mark, name);
    }));
}

// Ticks of a logarithmic axis, at least two however short it is: powers of ten, or 1, 2 and 5 times those, or round numbers.
export function logTicks(least, most) {
    const inside = (list) => list.map((x) => Number(x.toPrecision(12))).filter((x) => x >= least && x <= most);
    const powers = [];
    for (let k = Math.floor(Math.log10(least)); k <= Math.log10(most); k++) powers.push(10 ** k);
    const tens = inside(powers), step = Math.ceil(tens.length / 5);
    if (tens.length > 2) return tens.filter((_, i) => i % step === 0);
    const finer = inside(powers.flatMap((p) => [p, 2 * p, 5 * p]));
    if (finer.length > 1) return finer;
    const unit = 10 ** Math.floor(Math.log10((most - least) / 2 || least));
    for (const step of [5 * unit, 2 * unit, unit]) {
        const first = Math.ceil(least / step), round = inside(Array.from({ length: 40 }, (_, i) => (first + i) * step));
        if (round.length > 1) return round;
    }
    return [least, most];
}

// Room for names on the left of a chart, within what a phone has.
export const nameWidth = (names, width) => Math.min(Math.floor(width * 0.42), 18 + 7 * Math.max(...names.map((name) => [...name].length)));
export const nameLength = (width) => Math.max(8, Math.floor((width * 0.42 - 18) / 7));
