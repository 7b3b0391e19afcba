// What linear pipelines look at: a sentence and scalp maps for each branch. SPDX-License-Identifier: Apache-2.0
import { h, parts, percent, section, select, wide } from "./dom.js";
import { colourBar, diverging, s } from "./scalp.js";

// A surface is a text: a blank off the head, else a character whose place among the shades is the value.
function surfaceImage({ surface }, size, shades) {
    const canvas = h("canvas", { width: size, height: size }), context = canvas.getContext("2d"), image = context.createImageData(size, size);
    [...surface].forEach((character, i) => character !== " " && image.data.set([...diverging((2 * shades.indexOf(character)) / (shades.length - 1) - 1), 255], 4 * i));
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
}

function head(map, { electrodes, size, largest }, shades, name) {
    const strongest = map.values.reduce((best, value, i) => (Math.abs(value) > Math.abs(map.values[best]) ? i : best), 0);
    return s("svg", { viewBox: "-1.1 -1.2 2.2 2.3", role: "img", class: "tiny", "aria-label": `${name}: strongest at ${electrodes[strongest]?.name ?? "no known place"}` },
        ...(map.surface ? [s("image", { href: surfaceImage(map, size, shades), x: -1, y: -1, width: 2, height: 2, preserveAspectRatio: "none", style: "clip-path: circle(50%)" })] : []),
        s("path", { d: "M-0.14,-0.99L0,-1.16L0.14,-0.99", fill: "none", stroke: "var(--soft)", "stroke-width": 0.04 }),
        s("circle", { r: 1, fill: "none", stroke: "var(--soft)", "stroke-width": 0.04 }),
        ...electrodes.map(({ x, y, name: channel }, i) => s("circle", { cx: x, cy: -y, r: 0.035, fill: map.surface ? "#1f2430" : `rgb(${diverging(map.values[i] / largest)})` }, s("title", {}, `${channel}: ${map.values[i]}`))));
}

function branch(about, classes, shades) {
    const unit = about.kind === "power" ? "log power" : "the set's unit";
    return [about.branch === about.pipeline ? null : h("h4", {}, about.branch), h("p", { class: "sentence" }, `${about.sentence}.`),
        h("p", { class: "note" }, `${percent(about.part, 0)} % of the decisions; ${unit} per standard deviation of the class's score.`),
        about.electrodes.length ? wide(`Scalp maps of ${about.branch}`,
            h("table", { class: "heads" },
                h("thead", {}, h("tr", {}, h("td", {}), classes.map((name) => h("th", { scope: "col" }, parts(name))))),
                h("tbody", {}, about.columns.map(({ title, share, heads }) => h("tr", {}, h("th", { scope: "row" }, title, h("span", {}, `${percent(share, 0)} %`)),
                    heads.map((map, k) => h("td", {}, head(map, about, shades, `${classes[k]}, ${title}`))))))),
            s("svg", { viewBox: "-1.05 1.15 2.1 0.45", class: "bar", role: "img", "aria-label": `Colours from −${about.largest} to ${about.largest}` }, ...colourBar(about.largest)))
            : h("p", { class: "note" }, "None of its channels has a known place.")];
}

export function looks({ looks: all }) {
    if (!all?.branches.length) return null;
    const names = [...new Set(all.branches.map(({ pipeline }) => pipeline))], body = h("div");
    const show = (index) => body.replaceChildren(...all.branches.filter(({ pipeline }) => pipeline === names[index]).flatMap((about) => branch(about, all.classes, all.shades).filter(Boolean)));
    show(names.length - 1);
    return section("looks", "What it looks at",
        h("p", {}, "Forward patterns of linear pipelines, the mean over the subjects left out: what each electrode measures when the score of a class is high. Heads are seen from above, nose up; blue is below zero, orange above, on one scale for each branch; beside each row the share of the branch's weight."),
        names.length > 1 ? select("Pipeline", names, names.length - 1, show) : h("h3", {}, names[0]), body);
}
