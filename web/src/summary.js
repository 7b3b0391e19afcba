// What was asked, what came out, how to repeat it. SPDX-License-Identifier: Apache-2.0
import { chanceText, fixed, h, pValue, percent, points, section, sortableTable } from "./dom.js";

const questions = {
    loso: "How well is imagined movement decoded from the EEG of a subject the decoder has never seen? Each subject in turn is left out; every pipeline learns from all others.",
    folds: "How well is imagined movement decoded within a subject, from part of their own trials?",
    sessions: "How well does a decoder fitted on a subject's first session work in the later ones?",
    "session-out": "How well does a decoder fitted on a subject's other sessions work in one that it has not seen? Each session in turn is left out.",
};
const grouped = (groups) => `How well is imagined movement decoded from the EEG of a subject the decoder has never seen? The subjects are left out in ${groups} groups; every pipeline learns from all other groups.`;
const question = ({ protocol, groups } = {}) => (groups ? grouped(groups) : questions[protocol]) ?? "How well is imagined movement decoded from EEG?";
const targets = {
    full: "All trials of the target subject, without labels, may be used to align them.",
    none: "Nothing is known of the target subject.",
    online: "The target subject's trials come one at a time.",
};

// Pipelines that have the accuracy of the best on every subject.
const equals = (run) => run.pipelines.filter((_, i) => i > 0 && run.accuracy[i].every((value, s) => value === run.accuracy[0][s]));

function winner(run) {
    const same = equals(run), [best] = run.table, next = run.pairs.find(({ a, b }) => a === 0 && b === 1);
    const chance = run.chance === null ? "" : `, where chance is ${chanceText(run.chance)} %`;
    const of = run.pairs.length > 1 ? ` after Holm's correction over all ${run.pairs.length} pairs` : "";
    const certain = next && `${next.p_holm < 0.05 ? "The difference is more than subjects vary by chance" : "The data do not tell the two apart"} (Wilcoxon's signed-rank test, p ${pValue(next.p_holm)}${of}).`;
    return h("div", { class: "winner" },
        h("p", { class: "figure" }, h("span", { class: "big" }, percent(best.mean)), " %"),
        h("div", {},
            h("p", {}, h("strong", {}, run.pipelines[0]), same.length ? [" and ", h("strong", {}, same.join(", ")), " have the same accuracy on every subject, the best"] : " is best", ` on average over ${best.n} subjects${chance}. 95 % interval ${percent(best.low)} to ${percent(best.high)} %; standard deviation over subjects ${percent(best.deviation)} points.`),
            next && !same.length ? h("p", {}, `Next is ${run.pipelines[1]} with ${percent(run.table[1].mean)} %: ${points(next.mean)} points subject by subject (95 % interval ${points(next.low)} to ${points(next.high)}; better on ${next.wins} of ${next.n}, worse on ${next.losses}). ${certain}`) : null));
}

// Of a learning curve, the summary and all sections but the curve's own are those of its first number.
function labelled({ curve }, { calibration }) {
    if (curve) return ` Everything but the learning curve is with ${curve.numbers[0] || "no"} labelled trials of each class.`;
    return calibration ? ` The first ${calibration} trials of each class are fitted on with their labels, and not scored.` : "";
}

// What the trials went through; pipelines with a band and window of their own take them from the set's signals, each as it says.
function signals({ pipelines, run }) {
    const own = run?.signals ?? {}, prepared = run?.settings?.prepared, alike = new Map();
    for (const name of pipelines) {
        const text = own[name] ?? prepared;
        if (text) alike.set(text, [...(alike.get(text) ?? []), name]);
    }
    if (alike.size < 2) return [...alike.keys()][0];
    return [...alike].map(([text, names]) => h("div", {}, h("strong", {}, names.join(", ")), `: ${text}`));
}

function facts(run) {
    const settings = run.run?.settings ?? {};
    const scored = run.samples[0]?.reduce((sum, n) => sum + (n ?? 0), 0);
    const list = [
        ["Data", `${run.dataset || "unnamed"}: ${run.subjects.length} subjects${scored ? `, ${scored} trials scored` : ""}, ${run.channels} channels`],
        run.classes.length ? ["Classes", run.classes.join(", ")] : null,
        ["Pipelines", String(run.pipelines.length)],
        settings.prepared ? ["Signals", signals(run)] : null,
        settings.target && settings.protocol === "loso" ? ["Target data used", `${settings.target}. ${targets[settings.target] ?? ""}${labelled(run, settings)}`] : null,
    ];
    return h("dl", { class: "facts" }, list.filter(Boolean).map(([term, text]) => h("div", { class: Array.isArray(text) && "long" }, h("dt", {}, term), h("dd", {}, text))));
}

function repeat(run) {
    const { run: about } = run, program = about?.program ?? {}, settings = about?.settings;
    if (!about) return h("p", { class: "note" }, "The folder has no run.json: how it was made is not known.");
    const made = [["Version", program.version && `${program.version} (${program.commit})`], ["Seed", settings?.seed], ["Data digest", settings?.data],
        ["Instruction set", program.cpu], ["Compiler", program.compiler], ["Threads", about.threads]];
    return h("div", {},
        h("h3", {}, "How to repeat it"),
        about.command ? h("pre", { tabindex: 0, "aria-label": "Command" }, h("code", {}, [about.import, about.command].filter(Boolean).join("\n"))) : null,
        h("dl", { class: "facts small" }, made.filter(([, value]) => value !== undefined).map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, String(value))))),
        settings ? h("details", { class: "numbers" }, h("summary", {}, "All settings"),
            h("dl", { class: "facts small" }, Object.entries(settings).map(([name, value]) => h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, JSON.stringify(value).replaceAll('"', "")))))) : null);
}

function allRuns(data) {
    return sortableTable({
        caption: "The runs of this report",
        rows: data.runs,
        columns: [
            { title: "Run", value: (r) => r.label },
            { title: "Dataset", value: (r) => r.dataset },
            { title: "Subjects", number: true, value: (r) => r.subjects.length },
            { title: "Best pipeline", value: (r) => r.pipelines[0] },
            { title: "Accuracy (%)", number: true, value: (r) => r.table[0].mean, text: (r) => `${percent(r.table[0].mean)} ± ${percent(r.table[0].deviation)}` },
            { title: "Kappa", number: true, value: (r) => r.table[0].kappa, text: (r) => fixed(r.table[0].kappa, 3) },
        ],
    });
}

export function summary(run, data) {
    return section("summary", "Summary",
        h("p", { class: "question" }, question(run.run?.settings)),
        run.notes.map((note) => h("p", { class: "note" }, `${note[0].toUpperCase()}${note.slice(1)}.`)),
        winner(run), facts(run), data.runs.length > 1 ? allRuns(data) : null, repeat(run));
}
