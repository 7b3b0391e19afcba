// Reads the data of the page and shows one run of it. SPDX-License-Identifier: Apache-2.0
import { redraw } from "./chart.js";
import { h, select } from "./dom.js";
import { accuracy } from "./accuracy.js";
import { ablation } from "./ablation.js";
import { comparison } from "./comparison.js";
import { curve } from "./curve.js";
import { geometry } from "./geometry.js";
import { looks } from "./looks.js";
import { metrics } from "./metrics.js";
import { speed } from "./speed.js";
import { subjects } from "./subjects.js";
import { summary } from "./summary.js";
import { training } from "./training.js";

const data = JSON.parse(document.getElementById("report-data").textContent);
// A pipeline with what tells it from others: "rpa+mdm, 20 labels".
for (const run of data.runs) run.names = run.pipelines.map((name, i) => [name, run.knowledge[i].mark].filter(Boolean).join(", "));
const main = document.getElementById("main");

// Each makes a section of a run, or null when the run does not hold what it takes.
const makers = [summary, comparison, accuracy, curve, metrics, subjects, training, looks, geometry, speed, ablation];

function show(index) {
    const run = data.runs[index];
    const sections = makers.map((make) => make(run, data)).filter(Boolean);
    document.title = `${run.dataset || run.label} – Congru report`;
    main.replaceChildren(...sections);
    document.getElementById("top").replaceChildren(
        h("p", { class: "brand" }, "Congru report"),
        h("h1", {}, run.dataset || run.label),
        ...(data.runs.length > 1 ? [select("Run", data.runs.map(({ label }) => label), index, show)] : []),
        h("nav", { "aria-label": "Sections" }, h("ul", {}, sections.map((part) =>
            h("li", {}, h("a", { href: `#${part.id}` }, part.querySelector("h2").textContent))))));
    redraw();
}

document.getElementById("end").append(h("p", {}, `Made by congru ${data.version} (${data.commit}) from ${data.runs.map(({ folder }) => folder).join(", ")}`));
show(0);

let pending = 0;
const later = () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => redraw());
};
addEventListener("resize", later);
addEventListener("beforeprint", () => redraw(680));
addEventListener("afterprint", () => redraw());
// A chart in something folded gets its width when that is opened.
document.addEventListener("toggle", later, true);
document.documentElement.dataset.ready = "";
