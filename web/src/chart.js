// Charts: what all of them share. SPDX-License-Identifier: Apache-2.0
import * as Plot from "@observablehq/plot";
import { h, numbers } from "./dom.js";

export { Plot };

// Told apart by people of any colour vision (Okabe and Ito); page.css has the tones for light and dark.
export const colours = Array.from({ length: 7 }, (_, i) => `var(--c${i + 1})`);
export const colour = (i) => colours[i % colours.length];

// Charts that are on the page, to be drawn again when it changes its width.
const drawn = new Set();

function draw(chart) {
    const width = Math.max(240, Math.min(chart.most, Math.floor(chart.place.clientWidth || 640)));
    if (width === chart.width) return;
    chart.width = width;
    const svg = Plot.plot({ width, ...chart.options(width), style: { fontSize: "12px" } });
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", chart.title);
    chart.place.replaceChildren(svg);
}

export function redraw() {
    for (const chart of drawn) chart.place.isConnected ? draw(chart) : drawn.delete(chart);
}

// A figure with its caption; options(width) is what Plot draws, table() its numbers.
export function figure({ title, note, legend, options, table, most = 1040, id }) {
    const place = h("div", { class: "plot" });
    const chart = { place, options, title, most, width: 0 };
    drawn.add(chart);
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

// Room for names on the left of a chart, within what a phone has.
export const nameWidth = (names, width) => Math.min(Math.floor(width * 0.42), 18 + 7 * Math.max(...names.map((name) => [...name].length)));
export const nameLength = (width) => Math.max(8, Math.floor((width * 0.42 - 18) / 7));
