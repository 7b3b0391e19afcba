// Where trials are before, during and after alignment; class ellipses; scalp maps. SPDX-License-Identifier: Apache-2.0
import { Plot, colour, figure, key } from "./chart.js";
import { fixed, h, section, select, sortableTable } from "./dom.js";
import { colourBar, diverging, s } from "./scalp.js";

// The outlines of marks about (0, 0), one per subject, again from the first.
const shapes = ["m-3.3,0a3.3,3.3 0 1,0 6.6,0a3.3,3.3 0 1,0-6.6,0z", "m-2.9,-2.9h5.8v5.8h-5.8z", "m0,-3.9l3.7,6.3h-7.4z", "m0,-4.3l3.6,4.3l-3.6,4.3l-3.6,-4.3z",
    "m0,3.9l3.7,-6.3h-7.4z", "m-1.2,-3.5h2.4v2.3h2.3v2.4h-2.3v2.3h-2.4v-2.3h-2.3v-2.4h2.3z"];

const unique = (values) => [...new Set(values)];
// A class has the same colour everywhere.
const inOrder = (names, known) => unique([...known, ...names]).filter((name) => names.includes(name));
const span = (values) => {
    const low = Math.min(...values), high = Math.max(...values);
    return high > low ? [low, high] : [low - 1, high + 1];
};

// Points of one class and subject are one path: a panel is a few elements however many trials there are.
function groupsOf({ points }, known) {
    const classes = inOrder(points.map(({ label }) => label), known), subjects = unique(points.map(({ subject }) => subject));
    const groups = new Map();
    for (const point of points) {
        const name = JSON.stringify([point.label, point.subject]);
        if (!groups.has(name)) groups.set(name, { tone: colour(classes.indexOf(point.label)), subject: point.subject, shape: shapes[subjects.indexOf(point.subject) % shapes.length], points: [] });
        groups.get(name).points.push(point);
    }
    return { classes, subjects, groups: [...groups.values()] };
}

// A square panel; move(t) puts the points where they are at t, a place between the intervals.
function panel(geometry, groups, title, size = 300) {
    const boxes = geometry.intervals.map((_, i) => [span(geometry.points.map(({ x }) => x[i])), span(geometry.points.map(({ y }) => y[i]))]);
    const paths = groups.map(({ tone, subject }) => s("path", { fill: tone, "fill-opacity": 0.75, "data-subject": subject }));
    const svg = s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": title, class: "panel" }, s("rect", { width: size, height: size, fill: "none", stroke: "var(--rule)" }), ...paths);
    const move = (t) => {
        const i = Math.min(Math.floor(t), boxes.length - 1), j = Math.min(i + 1, boxes.length - 1), f = t - i;
        const mix = (a, b) => a + f * (b - a);
        const scale = (k) => {
            const low = mix(boxes[i][k][0], boxes[j][k][0]), high = mix(boxes[i][k][1], boxes[j][k][1]);
            return (value) => 10 + ((value - low) / (high - low)) * (size - 20);
        };
        const [across, up] = [scale(0), scale(1)];
        groups.forEach(({ points, shape }, g) => {
            paths[g].setAttribute("d", points.map(({ x, y }) => `M${across(mix(x[i], x[j])).toFixed(1)},${(size - up(mix(y[i], y[j]))).toFixed(1)}${shape}`).join(""));
        });
    };
    return { svg, move };
}

const leftOut = (about) => (about?.left_out ? ` with ${about.left_out} left out` : "");

function evolution(geometry, known) {
    const { intervals } = geometry, { classes, subjects, groups } = groupsOf(geometry, known);
    const last = intervals.length - 1, large = panel(geometry, groups, "Trials on the plane, at the part of alignment that the slider shows", 460);
    const tell = h("output", {});
    const slider = h("input", { type: "range", min: 0, max: last, step: 0.02, value: 0, id: "progress", "aria-label": "Part of alignment done", oninput: () => show(Number(slider.value)) });
    function show(t) {
        const i = Math.floor(t), part = intervals[i] + (t - i) * ((intervals[i + 1] ?? intervals[i]) - intervals[i]);
        tell.textContent = `${Math.round(part)} %`;
        slider.setAttribute("aria-valuetext", tell.textContent);
        slider.value = t;
        large.move(t);
    }
    let frame = 0;
    const play = h("button", { type: "button", onclick: () => {
        cancelAnimationFrame(frame);
        const start = performance.now(), calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const step = (now) => {
            const t = calm ? last : Math.min(last, ((now - start) / 900));
            show(t);
            if (t < last) frame = requestAnimationFrame(step);
        };
        step(start);
    } }, "Play");
    const small = intervals.map((interval, i) => {
        const one = panel(geometry, groups, `Trials on the plane at ${interval} % of alignment`);
        one.move(i);
        const silhouettes = [["class", geometry.silhouette_class?.[i]], ["subject", geometry.silhouette_subject?.[i]]].filter(([, value]) => typeof value === "number");
        return h("figure", {}, h("figcaption", {}, h("strong", {}, `${interval} %`), silhouettes.length ? h("span", {}, ` silhouette: ${silhouettes.map(([name, value]) => `${name} ${fixed(value, 3)}`).join(", ")}`) : null), one.svg);
    });
    const holder = h("div", {});
    const choose = select("Show", ["all subjects", ...subjects], 0, (index) => {
        for (const path of holder.querySelectorAll("path[data-subject]")) path.classList.toggle("faint", index > 0 && path.dataset.subject !== subjects[index - 1]);
    });
    const subject = (name, i) => h("span", {}, s("svg", { viewBox: "-5 -5 10 10", class: "symbol", width: 12, height: 12, "aria-hidden": "true" }, s("path", { d: `M0,0${shapes[i % shapes.length]}`, fill: "var(--soft)" })), ` ${name} `);
    const network = { step: ", by the network of each step", best: ", by the best network until each step" }[geometry.network] ?? "";
    const of = geometry.pipeline ? `${geometry.pipeline} while it is trained${leftOut(geometry)}${network}. ` : "";
    const shown = geometry.points.length < geometry.point_count ? ` ${geometry.points.length} of ${geometry.point_count} trials are drawn.` : "";
    const shapesNote = subjects.length > shapes.length ? "shape is subject (shapes repeat; choose one to see it alone)" : "shape is subject";
    show(0);
    holder.append(h("h3", {}, "Trials as alignment goes on"),
        h("p", { class: "note" }, `${of}Colour is class, ${shapesNote}. Each panel has its own axes.${shown}`),
        key(classes.map((name, i) => ({ name, colour: colour(i) }))),
        h("p", { class: "key subjects" }, subjects.map(subject)),
        h("div", { class: "choices" }, choose),
        h("div", { class: "grid panels" }, small),
        h("div", { class: "grid pair" }, h("div", { class: "film" }, h("h4", {}, "Step by step"), h("div", { class: "choices" }, play, h("label", { class: "choice range", for: "progress" }, h("span", {}, "Alignment"), slider, tell)), large.svg), silhouettes(geometry) ?? ""));
    return holder;
}

function silhouettes({ intervals, silhouette_class: byClass, silhouette_subject: bySubject }) {
    const rows = intervals.flatMap((interval, i) => [["class", byClass], ["subject", bySubject]].flatMap(([of, list]) => (typeof list?.[i] === "number" ? [{ of, interval, value: list[i] }] : [])));
    if (!rows.length) return null;
    const tone = (d) => (d.of === "class" ? "var(--c1)" : "var(--c2)");
    return figure({
        title: "Silhouettes", note: "Good alignment raises that of classes and lowers that of subjects.", most: 620,
        legend: key([{ name: "classes", colour: "var(--c1)" }, { name: "subjects", colour: "var(--c2)" }]),
        options: () => ({
            height: 240, marginLeft: 48, x: { label: "Part of alignment done (%)", ticks: intervals, labelAnchor: "center" }, y: { label: null, grid: true, nice: true },
            marks: [Plot.lineY(rows, { x: "interval", y: "value", z: "of", stroke: tone, strokeWidth: 2 }), Plot.dot(rows, { x: "interval", y: "value", fill: tone, r: 4, symbol: (d) => d.of })],
            symbol: { legend: false },
        }),
        table: () => sortableTable({ caption: "Silhouettes", rows, columns: [{ title: "Of", value: (d) => d.of }, { title: "Done (%)", number: true, value: (d) => d.interval }, { title: "Silhouette", number: true, value: (d) => d.value, text: (d) => fixed(d.value, 3) }] }),
    });
}

function ellipses({ ellipses: all }, known) {
    if (!all?.length) return null;
    const classes = inOrder(all.map((e) => e.class), known), size = 400;
    const reach = ({ axes }) => Math.max(...axes.map(Math.abs));
    const [x0, x1] = span(all.flatMap((e) => [e.centre[0] - reach(e), e.centre[0] + reach(e)]));
    const [y0, y1] = span(all.flatMap((e) => [e.centre[1] - reach(e), e.centre[1] + reach(e)]));
    const unit = (size - 20) / Math.max(x1 - x0, y1 - y0);
    const draw = (stage) => s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", class: "panel", "aria-label": `Class covariances ${stage} alignment` },
        s("rect", { width: size, height: size, fill: "none", stroke: "var(--rule)" }),
        ...all.filter((e) => e.stage === stage).map((e) => {
            const cx = size / 2 + unit * (e.centre[0] - (x0 + x1) / 2), cy = size / 2 - unit * (e.centre[1] - (y0 + y1) / 2), tone = colour(classes.indexOf(e.class));
            return s("ellipse", { cx, cy, rx: unit * Math.abs(e.axes[0]), ry: unit * Math.abs(e.axes[1]), transform: `rotate(${-e.angle} ${cx} ${cy})`, fill: "none", stroke: tone, "stroke-width": 1.5 },
                s("title", {}, `${e.subject ?? ""} ${e.class}`));
        }));
    return [h("h3", {}, "Class covariances before and after alignment"),
        h("p", { class: "note" }, "One ellipse for each subject and class, recentred by ra in the second panel; both panels have the same scale."),
        key(classes.map((name, i) => ({ name, colour: colour(i) }))),
        h("div", { class: "grid pair" }, ["before", "after"].map((stage) => h("figure", {}, h("figcaption", {}, h("strong", {}, stage === "before" ? "Before" : "After")), draw(stage))))];
}

function scalpImage({ grid, size }, largest) {
    const canvas = h("canvas", { width: size, height: size }), context = canvas.getContext("2d"), image = context.createImageData(size, size);
    grid.forEach((value, i) => value !== null && image.data.set([...diverging(value / largest), 255], 4 * i));
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
}

function scalp(map) {
    if (!map.electrodes.length) return h("figure", {}, h("figcaption", {}, h("strong", {}, map.title)), h("p", { class: "note" }, "None of its channels has a known place."));
    const largest = Math.max(1e-300, ...map.electrodes.map(({ value }) => Math.abs(value)));
    const strongest = [...map.electrodes].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 3);
    return h("figure", {},
        h("figcaption", {}, h("strong", {}, map.title), h("span", {}, ` strongest: ${strongest.map(({ name }) => name).join(", ")}`)),
        s("svg", { viewBox: "-1.15 -1.2 2.3 2.8", role: "img", class: "head", "aria-label": `${map.title}: scalp map, strongest at ${strongest.map(({ name }) => name).join(", ")}` },
            ...(map.grid ? [s("image", { href: scalpImage(map, largest), x: -1, y: -1, width: 2, height: 2, preserveAspectRatio: "none", style: "clip-path: circle(50%)" })] : []),
            s("path", { d: "M-0.12,-0.99L0,-1.15L0.12,-0.99", fill: "none", stroke: "var(--soft)", "stroke-width": 0.025 }),
            s("circle", { r: 1, fill: "none", stroke: "var(--soft)", "stroke-width": 0.025 }),
            ...map.electrodes.map(({ x, y, name, value }) => s("circle", { cx: x, cy: -y, r: 0.028, fill: map.grid ? "#1f2430" : `rgb(${diverging(value / largest)})` }, s("title", {}, `${name}: ${value}`))),
            ...colourBar(largest)),
        map.unknown.length ? h("p", { class: "note" }, `Not shown, as their place is not known: ${map.unknown.join(", ")}.`) : null);
}

export function geometry(run) {
    const { geometry: about, patterns } = run;
    if (!about && !patterns) return null;
    return section("geometry", "Geometry",
        about?.points.length && about.intervals?.length ? evolution(about, run.classes) : null,
        about ? ellipses(about, run.classes) : null,
        patterns?.length ? [h("h3", {}, "Scalp maps"), h("p", { class: "note" }, `CSP patterns are of all subjects${about?.pipeline ? `; maps of ${about.pipeline} are its head's weights, trained${leftOut(about)}` : ""}. Seen from above, nose up. Blue is below zero, orange above; each map has its own scale. Between electrodes, and from them to the edge of the head, the surface is a guess.`),
            h("div", { class: "grid small" }, patterns.map(scalp))] : null);
}
