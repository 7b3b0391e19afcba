// Heads seen from above, and what their colours stand for. SPDX-License-Identifier: Apache-2.0
const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

let bars = 0;

// Blue below zero, white at it, orange above.
export function diverging(part) {
    const end = part < 0 ? [5, 90, 140] : [184, 74, 0], t = Math.min(1, Math.abs(part));
    return end.map((value) => Math.round(250 + t * (value - 250)));
}

// The colours from the least to the largest value, with what they stand for, in a box of its own.
export function colourBar(largest) {
    const name = `bar-${++bars}`, stop = (offset, part) => s("stop", { offset, "stop-color": `rgb(${diverging(part)})` });
    const label = (x, anchor, value) => s("text", { x, y: 1.52, "text-anchor": anchor, "font-size": 0.15, fill: "var(--soft)" }, value);
    const number = String(Number(largest.toPrecision(3)));
    return [s("linearGradient", { id: name }, stop(0, -1), stop(0.5, 0), stop(1, 1)),
        s("rect", { x: -0.7, y: 1.22, width: 1.4, height: 0.12, fill: `url(#${name})` }),
        label(-0.7, "middle", `−${number}`), label(0, "middle", "0"), label(0.7, "middle", number)];
}
