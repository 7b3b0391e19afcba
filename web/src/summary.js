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
// Pipelines that looked at as many labels of the target stand together in the order of the report, fewest first: only they are compared
// in the headline.
const peers = (run) => run.pipelines.filter((_, i) => run.knowledge[i].labels === run.knowledge[0].labels);

// Of those the ones that have the accuracy of the best on every subject.
const equals = (run) => peers(run).filter((_, i) => i > 0 && run.accuracy[i].every((value, s) => value === run.accuracy[0][s]));

// What stands outside of the headline, and why.
function apart(run) {
    const from = peers(run).length, pair = run.pairs.find(({ a, b }) => a === 0 && b === from);
    if (from === run.pipelines.length) return null;
    const others = run.pipelines.length - from, { labels, trials } = run.knowledge[from];
    return h("p", { class: "apart" }, `${others > 1 ? `${others} pipelines look` : "One pipeline looks"} at labels of the target subject and ${others > 1 ? "are" : "is"} not among these: `,
        h("strong", {}, run.pipelines[from]), ` with ${labels} labelled trials of each subject has ${percent(run.table[from].mean)} % on its ${trials} trials`,
        pair ? `; on the ${pair.trials} trials that both are scored on it gains ${points(0 - pair.mean)} points on ${run.pipelines[0]} (95 % interval ${points(0 - pair.high)} to ${points(0 - pair.low)}).` : ".");
}

function winner(run) {
    const same = equals(run), [best] = run.table, next = peers(run).length > 1 ? run.pairs.find(({ a, b }) => a === 0 && b === 1) : null;
    const of = run.knowledge[0].labels ? ` of those that look at ${run.knowledge[0].labels} labelled trials of each target subject` : peers(run).length < run.pipelines.length ? " of those that look at no label of the target subject" : "";
    const chance = run.chance === null ? "" : `, where chance is ${chanceText(run.chance)} %`;
    const corrected = run.pairs.length > 1 ? ` after Holm's correction over all ${run.pairs.length} pairs` : "";
    const certain = next && `${next.p_holm < 0.05 ? "The difference is more than subjects vary by chance" : "The data do not tell the two apart"} (Wilcoxon's signed-rank test, p ${pValue(next.p_holm)}${corrected}).`;
    return h("div", { class: "winner" },
        h("p", { class: "figure" }, h("span", { class: "big" }, percent(best.mean)), " %"),
        h("div", {},
            h("p", {}, h("strong", {}, run.pipelines[0]), same.length ? [" and ", h("strong", {}, same.join(", ")), " have the same accuracy on every subject, the best"] : ` is best${of}`, ` on average over ${best.n} subjects${chance}. 95 % interval ${percent(best.low)} to ${percent(best.high)} %; standard deviation over subjects ${percent(best.deviation)} points.`),
            next && !same.length ? h("p", {}, `Next is ${run.pipelines[1]} with ${percent(run.table[1].mean)} %: ${points(next.mean)} points subject by subject (95 % interval ${points(next.low)} to ${points(next.high)}; better on ${next.wins} of ${next.n}, worse on ${next.losses}). ${certain}`) : null,
            apart(run)));
}

// Of a learning curve, the summary and all sections but the curve's own are those of its first number.
const ofCurve = ({ curve }) => (curve ? ` Everything but the learning curve is with ${curve.numbers[0] || "no"} labelled trials of each class.` : "");

// What pipelines were let see of the target, each way once with those it is true of.
function seen(run) {
    const ways = new Map();
    run.pipelines.forEach((name, i) => ways.set(run.knowledge[i].text, [...(ways.get(run.knowledge[i].text) ?? []), name]));
    return [...ways].map(([text, names]) => h("span", { class: "way" }, ways.size > 1 ? [h("strong", {}, names.join(", ")), `: ${text}.`] : `${text[0].toUpperCase()}${text.slice(1)}.`));
}

// What the trials went through; pipelines with a band and window of their own take them from the set's signals, each as it says.
function signals({ pipelines, run }) {
    const own = run?.signals ?? {}, prepared = run?.settings?.prepared, alike = new Map();
    for (const name of pipelines) {
        const text = own[name] ?? prepared;
        if (text) alike.set(text, [...(alike.get(text) ?? []), name]);
    }
    if (alike.size < 2) return [[...alike.keys()][0]];
    return [[...alike].map(([text, names]) => h("div", {}, h("strong", {}, names.join(", ")), `: ${text}`)), true];
}

function facts(run) {
    const settings = run.run?.settings ?? {};
    const scored = run.samples[0]?.reduce((sum, n) => sum + (n ?? 0), 0);
    const list = [
        ["Data", `${run.dataset || "unnamed"}: ${run.subjects.length} subjects${scored ? `, ${scored} trials scored` : ""}, ${run.channels} channels`],
        run.classes.length ? ["Classes", run.classes.join(", ")] : null,
        ["Pipelines", String(run.pipelines.length)],
        settings.prepared ? ["Signals", ...signals(run)] : null,
        settings.target && (settings.protocol !== "folds" || run.knowledge.some(({ labels }) => labels > 0)) ? [settings.protocol === "folds" ? "Used of the part left out" : "Target data used", [seen(run), ofCurve(run)]] : null,
    ];
    return h("dl", { class: "facts" }, list.filter(Boolean).map(([term, text, long]) => h("div", { class: long && "long" }, h("dt", {}, term), h("dd", {}, text))));
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
            { title: "Best pipeline", value: (r) => r.names[0] },
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
