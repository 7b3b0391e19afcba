// Elements, numbers and tables. All text goes in as text nodes. SPDX-License-Identifier: Apache-2.0

// h("p", {class: "note"}, "text", element...): null and false children are left out.
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

const known = (x) => typeof x === "number" && Number.isFinite(x);
const minus = (text) => text.replace("-", "−");

// Numbers for subjects; an unknown one is a dash.
export const fixed = (x, digits) => (known(x) ? minus((Number(x.toFixed(digits)) + 0).toFixed(digits)) : "–");
export const percent = (x, digits = 1) => fixed(known(x) ? 100 * x : x, digits);
export const chanceText = (x) => percent(x, Number.isInteger(100 * x) ? 0 : 1);
export const points = (x) => (known(x) ? (x > 0 ? "+" : "") + percent(x) : "–");
export const seconds = (x) => (!known(x) ? "–" : x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x >= 0.01 ? x.toFixed(2) : x.toPrecision(2));
// As congru_p_text prints it.
export const pValue = (x) => (!known(x) ? "–" : x < 0.0005 ? x.toExponential(0).replace(/e-(.)$/, "e-0$1") : x.toFixed(3));
export const brief = (text, most = 24) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);

// A name that may be broken into lines where its parts meet, and only there: ddct-unet+tslr, left_hand.
export function parts(name) {
    return name.split(/(?<=[+_])/).flatMap((part, i) => [i > 0 ? h("wbr") : null, [...part].length < 24 ? h("span", { class: "part" }, part) : part]);
}

export function select(label, names, chosen, onchange) {
    const box = h("select", { onchange: () => onchange(Number(box.value)) },
        names.map((name, i) => h("option", { value: i, selected: i === chosen }, name)));
    return h("label", { class: "choice" }, h("span", {}, label), box);
}

// A place for what may be wider than the window, which then shows that it goes on.
const edges = new ResizeObserver((entries) => entries.forEach(({ target }) => showEdge(target.closest(".wide"))));
const showEdge = (place) => place?.classList.toggle("cut", place.scrollWidth - place.clientWidth - place.scrollLeft > 1);

export function wide(label, content, style = "") {
    const place = h("div", { class: `wide ${style}`.trim(), tabindex: 0, role: "region", "aria-label": label, onscroll: () => showEdge(place) }, content);
    for (const part of [place, content]) edges.observe(part);
    return place;
}

// A table whose headings sort it. A column: {title, value(row), text(row), number, note, shade(row), tone(row)}; the first heads its row.
export function sortableTable({ caption, columns, rows, sort = null, descending = false, dense = false }) {
    const body = h("tbody");
    const headings = columns.map((column, index) =>
        h("th", { scope: "col", class: column.number ? "number" : null, title: column.note },
            h("button", { type: "button", onclick: () => order(index) }, typeof column.title === "string" ? parts(column.title) : column.title)));
    const lines = rows.map((row) => ({ row, line: h("tr", {}, columns.map((column, index) => {
        const cell = h(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: [column.number ? "number" : "", column.tone?.(row) ?? ""].join(" ").trim() || null },
            column.text ? column.text(row) : column.value(row));
        if (column.shade) cell.style.setProperty("--shade", `${column.shade(row)}%`);
        return cell;
    })) }));
    let current = null;
    function order(index, down) {
        const { value, number } = columns[index];
        const turned = down ?? (current?.index === index ? !current.down : Boolean(number));
        const sign = turned ? -1 : 1;
        current = { index, down: turned };
        lines.sort((a, b) => {
            const x = value(a.row), y = value(b.row);
            if (number && (known(x) || known(y)) && known(x) !== known(y)) return known(x) ? -1 : 1;
            return sign * (number ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true }));
        });
        body.replaceChildren(...lines.map(({ line }) => line));
        headings.forEach((heading, i) => i === index
            ? heading.setAttribute("aria-sort", turned ? "descending" : "ascending") : heading.removeAttribute("aria-sort"));
    }
    body.replaceChildren(...lines.map(({ line }) => line));
    if (sort !== null) order(sort, descending);
    return wide(caption, h("table", {}, h("caption", {}, h("span", {}, caption)), h("thead", {}, h("tr", {}, headings)), body), dense ? "dense" : "");
}

// A folded list of numbers behind a chart, made when it is opened.
export function numbers(make) {
    const box = h("details", { class: "numbers", ontoggle: () => box.open && box.children.length === 1 && box.append(make()) },
        h("summary", {}, "The numbers"));
    return box;
}

export function section(id, title, ...content) {
    return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...content);
}
