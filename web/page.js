// What a reader of the page can do: sort tables, choose, follow a subject, move through a training. SPDX-License-Identifier: Apache-2.0
"use strict";
{
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const make = (tag, attributes = {}, text = "") => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        element.textContent = text;
        return element;
    };

    // Cells are numbers as they are printed: "54.3 ± 17.2", "−1.5", "+2.0 to 3.1", "3 of 9".
    const numberOf = (cell) => parseFloat(cell.textContent.replace("−", "-").replace("+", ""));

    function sort(table, heading, column) {
        const down = heading.getAttribute("aria-sort") === "descending" ? false : heading.getAttribute("aria-sort") === "ascending" ? true : heading.classList.contains("number");
        const body = table.tBodies[0], sign = down ? -1 : 1;
        const rows = [...body.rows].map((row) => ({ row, number: numberOf(row.cells[column]), text: row.cells[column].textContent }));
        rows.sort((a, b) => {
            if (!heading.classList.contains("number")) return sign * a.text.localeCompare(b.text, undefined, { numeric: true });
            if (Number.isNaN(a.number) || Number.isNaN(b.number)) return Number.isNaN(a.number) - Number.isNaN(b.number);
            return sign * (a.number - b.number);
        });
        body.replaceChildren(...rows.map(({ row }) => row));
        for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    }
    for (const table of all(".wide table"))
        [...table.tHead.rows[0].cells].forEach((heading, column) => {
            const button = make("button", { type: "button" });
            button.append(...heading.childNodes);
            button.addEventListener("click", () => sort(table, heading, column));
            heading.append(button);
        });
    for (const caption of all(".wide caption"))
        if (!caption.querySelector("span")) {
            const line = make("span");
            line.append(...caption.childNodes);
            caption.append(line);
        }

    // Of several cases the one that is chosen.
    for (const choice of all(".chosen")) {
        const box = choice.querySelector("select"), cases = all(":scope > .case", choice);
        const show = () => cases.forEach((one, i) => { one.hidden = i !== box.selectedIndex; });
        box.addEventListener("change", show);
        show(); // a page that is opened again keeps what was chosen
    }

    // What is wider than its place says that it goes on.
    const edge = (place) => place.classList.toggle("cut", place.scrollWidth - place.clientWidth - place.scrollLeft > 1);
    const edges = new ResizeObserver((entries) => entries.forEach(({ target }) => edge(target.closest(".wide"))));
    for (const place of all(".wide")) {
        place.addEventListener("scroll", () => edge(place));
        for (const part of [place, place.firstElementChild]) edges.observe(part);
    }

    // The words of a mark at once, and a subject alone in every figure and table.
    const tip = make("div", { class: "tip", role: "status", hidden: "" });
    document.body.append(tip);
    document.addEventListener("pointermove", (event) => {
        const title = event.target.closest?.("svg *")?.querySelector(":scope > title");
        tip.hidden = !title;
        if (!title) return;
        tip.textContent = title.textContent;
        tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)}px`;
        tip.style.top = `${event.clientY + 14}px`;
    });
    let followed = null;
    const follow = (subject) => {
        followed = subject;
        for (const mark of all("[data-subject]")) mark.classList.toggle("faint", subject !== null && mark.dataset.subject !== subject);
    };
    document.addEventListener("click", (event) => {
        const mark = event.target.closest?.("[data-subject]");
        if (mark) follow(mark.dataset.subject === followed ? null : mark.dataset.subject);
    });
    addEventListener("keydown", (event) => event.key === "Escape" && follow(null));

    // A larger panel, in which marks move from where one stage has them to where the next has.
    const numbers = (mark) => (mark.getAttribute("points") ?? `${mark.getAttribute("cx")},${mark.getAttribute("cy")}`).split(/[ ,]/).map(Number);
    function place(mark, list) {
        if (!mark.hasAttribute("points")) {
            mark.setAttribute("cx", list[0].toFixed(2));
            mark.setAttribute("cy", list[1].toFixed(2));
        } else {
            mark.setAttribute("points", list.map((x, i) => x.toFixed(2) + (i % 2 ? " " : ",")).join("").trim());
        }
    }
    for (const stages of all(".stages")) {
        const panels = all("svg", stages), titles = all("figcaption strong", stages).map((one) => one.textContent);
        if (panels.length < 2) continue;
        const marks = panels.map((panel) => all("[data-subject]", panel).map(numbers));
        const film = make("div", { class: "film" }), large = panels[0].cloneNode(true), moving = all("[data-subject]", large);
        const slider = make("input", { type: "range", min: 0, max: panels.length - 1, step: 0.02, value: 0, "aria-label": "Part of alignment done" });
        const told = make("output"), play = make("button", { type: "button" }, "Play"), choices = make("div", { class: "choices" }), label = make("label", { class: "choice range" });
        label.append(slider, told);
        choices.append(play, label);
        film.append(make("h4", {}, "Step by step"), choices, large);
        stages.append(film);
        large.removeAttribute("style");
        const show = (t) => {
            const i = Math.min(Math.floor(t), panels.length - 2), part = t - i;
            moving.forEach((mark, k) => place(mark, marks[i][k].map((x, n) => x + part * (marks[i + 1][k][n] - x))));
            const from = parseFloat(titles[i]), to = parseFloat(titles[i + 1]);
            told.textContent = `${Math.round(from + part * (to - from))} %`;
            slider.value = t;
            slider.setAttribute("aria-valuetext", told.textContent);
        };
        slider.addEventListener("input", () => show(Number(slider.value)));
        play.addEventListener("click", () => {
            const start = performance.now(), last = panels.length - 1, calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
            const step = (now) => {
                const t = calm ? last : Math.min(last, (now - start) / 900);
                show(t);
                if (t < last) requestAnimationFrame(step);
            };
            step(start);
        });
        show(0);
    }
    document.documentElement.dataset.ready = "";
}
