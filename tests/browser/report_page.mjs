// Opens reports in Chromium and looks at them; prints TAP. SPDX-License-Identifier: Apache-2.0
//
// usage: node report_page.mjs CHROMIUM FOLDER
//
// FOLDER holds results folders made by make_results.py with the reports of them beside: full, big, hostile, bare, two
// (full and another run, two.csv the comparison of them), foes (hostile and another of a hostile name, and one of other data), curve (a learning curve of three numbers), equal (two pipelines of the same decisions, and a series that never changes), labels (a pipeline that looks at labels, and the run without). With KEEP set, pictures are left in FOLDER/pictures.
import { readFileSync, mkdirSync, statSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [, , executablePath, folder] = process.argv;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(`${folder}/pictures`, { recursive: true });

let count = 0, failed = 0;
function result(name, problems) {
    count++;
    const list = [problems].flat(9).filter(Boolean);
    failed += list.length > 0;
    for (const problem of list) console.log(`# ${String(problem).slice(0, 400).replaceAll("\n", " ")}`);
    console.log(`${list.length ? "not ok" : "ok"} ${count} - ${name}`);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

// A page that keeps what went wrong and what was asked for.
async function open(name, { width = 1280, scheme = "light" } = {}) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
    page.problems = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.problems.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => (page.problems.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));
    page.on("request", (request) => !request.url().startsWith(`file://${folder}/`) && !request.url().startsWith("data:") && page.problems.push(`asked for ${request.url()}`));
    await page.goto(`file://${folder}/${name}.html`);
    await page.waitForSelector("html[data-ready]");
    return page;
}

// A file of comma-separated values as objects; quotes as RFC 4180 has them.
function readCsv(path) {
    const rows = [[""]];
    let quoted = false;
    for (const c of readFileSync(path, "utf8")) {
        const row = rows.at(-1);
        if (c === '"') (quoted = !quoted), quoted && row.at(-1) !== "" && (row[row.length - 1] += '"');
        else if (c === "," && !quoted) row.push("");
        else if (c === "\n" && !quoted) rows.push([""]);
        else row[row.length - 1] += c;
    }
    const [head, ...body] = rows.filter((row) => row.length > 1);
    return body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

async function sectionsRender(name, expected) {
    const page = await open(name);
    const found = await page.$$eval("article:not([hidden]) > section", (all) => all.map((one) => one.id));
    const empty = await page.$$eval(".plot", (all) => all.filter((one) => one.querySelectorAll("svg polyline, svg polygon, svg ellipse, svg rect").length < 2).length);
    result(`${name}: every section is there, no console error, no request`, [page.problems, found.join() === expected.join() ? null : `sections ${found}`, empty ? `${empty} figures are empty` : null]);
    return page;
}

// Numbers of the axis below a figure: a function from places to numbers.
const scaleOf = (page, selector) => page.$eval(selector, (svg) => {
    const ticks = [...svg.querySelectorAll("text[font-size='9'][text-anchor=middle]")].map((one) => [Number(one.getAttribute("x")), Number(one.textContent)]).filter(([, value]) => Number.isFinite(value));
    const [a, b] = [ticks[0], ticks.at(-1)];
    return [(b[1] - a[1]) / (b[0] - a[0]), a[1], a[0]];
});
const cellsOf = (page, selector) => page.$$eval(selector, (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));

async function chartsEqualCsv(page) {
    const rows = readCsv(`${folder}/full/results.csv`), [slope, value, at] = await scaleOf(page, "#strip .broad svg");
    const dots = await page.$$eval("#strip .broad [data-subject]", (all) => all.map((dot) => ({ subject: dot.dataset.subject, said: dot.querySelector("title").textContent, x: Number(dot.getAttribute("cx")) })));
    const wrong = [dots.length === rows.length ? null : `${dots.length} dots of ${rows.length} rows`];
    for (const row of rows) {
        const dot = dots.find(({ said }) => said.startsWith(`${row.subject}, ${row.pipeline}: `));
        if (!dot || Math.abs(parseFloat(dot.said.split(": ")[1]) - 100 * row.score) > 0.0501 || dot.subject !== row.subject || Math.abs(value + slope * (dot.x - at) - 100 * row.score) > 0.05) wrong.push(`${row.subject}, ${row.pipeline}, ${row.score}: ${JSON.stringify(dot)}`);
    }
    result("dots and their words equal results.csv", wrong.slice(0, 5));

    const shown = await cellsOf(page, "#accuracy > .wide tbody tr");
    const off = shown.flatMap(([pipeline, , accuracy, , , , kappa]) => {
        const own = rows.filter((row) => row.pipeline === pipeline), scores = own.map((row) => Number(row.score)), n = own.length;
        const mean = scores.reduce((a, b) => a + b) / n, deviation = Math.sqrt(scores.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1));
        const expected = [`${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)}`, (own.reduce((a, row) => a + Number(row.kappa), 0) / n).toFixed(3)];
        return expected[0] === accuracy && expected[1] === kappa ? [] : [`${pipeline}: ${accuracy} ${kappa} for ${expected}`];
    });
    result("the table equals results.csv", [off, shown.length === 15 ? null : `${shown.length} rows`]);

    const predictions = readCsv(`${folder}/full/predictions.csv`);
    const [best, cells] = await page.evaluate(() => [document.querySelector("#subjects select").selectedOptions[0].textContent,
        [...document.querySelectorAll(".confusion")[0].querySelectorAll("td small")].map((cell) => Number(cell.textContent))]);
    const classes = Object.keys(predictions[0]).filter((name) => name.startsWith("p_")).map((name) => name.slice(2));
    const counted = classes.flatMap((truth) => classes.map((answer) => predictions.filter((row) => row.pipeline === best && row.y_true === truth && row.y_pred === answer).length));
    result("the confusion equals predictions.csv", cells.join() === counted.join() ? null : `${cells} for ${counted}`);
}

// Classes and means of the section of metrics, counted from predictions.csv.
async function metricsEqualCsv(page) {
    const predictions = readCsv(`${folder}/full/predictions.csv`), rows = readCsv(`${folder}/full/results.csv`), wrong = [];
    const best = await page.$eval("#metrics select", (box) => box.selectedOptions[0].textContent), own = predictions.filter((row) => row.pipeline === best);
    for (const [name, trials, predicted, precision, recall, f1] of await cellsOf(page, "#metrics .case:not([hidden]) tbody tr")) {
        const truth = own.filter((row) => row.y_true === name).length, said = own.filter((row) => row.y_pred === name).length, right = own.filter((row) => row.y_true === name && row.y_pred === name).length;
        const expected = [truth, said, (right / said).toFixed(3), (right / truth).toFixed(3), ((2 * right) / (truth + said)).toFixed(3)].map(String);
        if ([trials, predicted, precision, recall, f1].join() !== expected.join()) wrong.push(`${name}: ${[trials, predicted, precision, recall, f1]} for ${expected}`);
    }
    const table = await cellsOf(page, "#metrics > .wide tbody tr");
    // Of 48 trials of four classes, 17 right: guessing exceeds that in less than one of 20 cases, 16 in more.
    const above = (pipeline) => rows.filter((row) => row.pipeline === pipeline && row.score * 48 > 17.5).length;
    for (const [pipeline, accuracy, ...others] of table) {
        const scores = rows.filter((row) => row.pipeline === pipeline).map((row) => Number(row.score));
        const expected = [(100 * scores.reduce((a, b) => a + b) / scores.length).toFixed(2), String(above(pipeline)), String(scores.length)];
        if (accuracy !== expected[0] || others.at(-2) !== expected[1] || others.at(-1) !== expected[2]) wrong.push(`${pipeline}: ${accuracy}, ${others.slice(-2)} for ${expected}`);
    }
    const shown = await page.$$eval("#strip .broad text", (all) => all.map((one) => one.textContent).filter((text) => / of /.test(text) && /^\d/.test(text)));
    result("metrics by pipeline and class equal predictions.csv, and so do the subjects above chance", [wrong.slice(0, 4), table.length === 15 ? null : `${table.length} pipelines`,
        shown.join() === table.map((row) => `${row.at(-2)} of ${row.at(-1)}`).join() ? null : `the figure has ${shown}`]);
}

// A folder of folders, one for each number of labelled trials.
async function curveEqualsCsv() {
    const page = await sectionsRender("curve", ["summary", "accuracy", "curve", "metrics", "subjects", "training", "geometry", "speed", "ablation"]);
    const text = await page.locator("#curve").textContent(), wrong = [];
    for (const number of [0, 2, 10]) {
        const rows = readCsv(`${folder}/curve/calibration-${number}/results.csv`);
        for (const pipeline of new Set(rows.map((row) => row.pipeline))) {
            const scores = rows.filter((row) => row.pipeline === pipeline).map((row) => Number(row.score)), n = scores.length, mean = scores.reduce((a, b) => a + b) / n;
            const deviation = Math.sqrt(scores.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1));
            for (const expected of [pipeline, `${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)}`]) if (!text.includes(expected)) wrong.push(`no ${expected}`);
        }
    }
    const dots = await page.$$eval("#curve-chart ellipse", (all) => all.length);
    result("the learning curve has the means of its folders", [wrong.slice(0, 4), dots === 9 + 3 ? null : `${dots} dots`]);
    await page.close();
}

async function sortWorks(page) {
    const heading = page.locator("#accuracy > .wide thead th").nth(8);
    const column = () => page.$$eval("#accuracy > .wide tbody tr", (all) => all.map((row) => Number(row.cells[8].textContent)));
    const isSorted = (list, sign) => list.every((value, i) => i === 0 || sign * (value - list[i - 1]) >= 0);
    const before = await column();
    await heading.locator("button").focus();
    await page.keyboard.press("Enter");
    const down = await column(), said = await heading.getAttribute("aria-sort");
    await page.keyboard.press("Enter");
    const up = await column();
    result("a heading sorts, by keyboard, and says so", [isSorted(before, -1) ? "was sorted already" : null, isSorted(down, -1) && said === "descending" ? null : `first ${down} ${said}`, isSorted(up, 1) ? null : `then ${up}`]);
    const means = await page.$$eval("#subjects .wide tbody tr", (all) => all.map((row) => Number(row.cells[1].textContent)));
    result("the worst subjects come first", isSorted(means, 1) ? null : means.join());
}

async function sliderMoves(page) {
    const marks = () => page.$$eval(".film [data-subject]", (all) => all.map((mark) => mark.getAttribute("points") ?? `${mark.getAttribute("cx")},${mark.getAttribute("cy")}`));
    const start = await marks(), slider = page.locator(".film input");
    await slider.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("PageUp");
    const middle = await marks(), said = await page.locator(".film output").textContent();
    await page.keyboard.press("End");
    const end = await marks();
    const last = await page.$$eval("#geometry .panels figure:last-child [data-subject]", (all) => all.map((mark) => mark.getAttribute("points") ?? `${mark.getAttribute("cx")},${mark.getAttribute("cy")}`));
    result("the slider moves the points, to where the last panel has them", [start.join() === middle.join() ? "nothing moved" : null, middle.join() === end.join() ? "nothing moved on" : null, said === "0 %" ? "the part done is not told" : null, end.join(";") === last.join(";") ? null : "the end differs from the panel of 100 %"]);
}

// One subject is shown alone wherever it is drawn, and all again.
async function subjectsAreFollowed(page) {
    const faint = () => page.$$eval("[data-subject]", (all) => [all.filter((one) => one.classList.contains("faint")).length, all.filter((one) => !one.classList.contains("faint")).map((one) => one.dataset.subject)]);
    await page.locator("#subjects .wide tbody tr").first().click();
    const [others, own] = await faint();
    await page.keyboard.press("Escape");
    const [after] = await faint();
    await page.locator("#strip .broad [data-subject]").first().hover({ force: true });
    const tip = await page.locator(".tip").textContent();
    result("a subject is followed through every figure, and a mark says what it is", [others > 100 && new Set(own).size === 1 && own.length > 20 ? null : `${others} faint, ${[...new Set(own)]}`, after ? `${after} stay faint` : null, /: [\d.]+ %$/.test(tip) ? null : tip]);
}

async function choicesWork(page) {
    const rows = readCsv(`${folder}/full/results.csv`), names = await page.$$eval("#accuracy .forests option", (all) => all.map((one) => one.textContent));
    const shown = (selector) => page.locator(`${selector} .case:not([hidden]) figcaption`);
    await page.locator("#accuracy .paired select").selectOption({ label: `${names[0]} against ${names[5]}` });
    const note = await shown("#accuracy .paired").textContent(), mean = (name) => { const own = rows.filter((row) => row.pipeline === name); return own.reduce((sum, row) => sum + row.score / own.length, 0); };
    const gain = (100 * (mean(names[0]) - mean(names[5]))).toFixed(1).replace("-", "−");
    await page.locator("#accuracy .forests select").selectOption({ index: 14 });
    const forest = await shown("#accuracy .forests").textContent();
    result("choosing pipelines shows them", [note.includes(`${names[0]} against ${names[5]}`) && note.includes(`${gain} points`) ? null : `${note} lacks ${gain}`, forest.includes(names[14]) ? null : forest, page.problems]);
}

async function accessible(name, scheme, width) {
    const page = await open(name, { scheme, width });
    await page.evaluate(() => { document.querySelector("#summary details").open = true; });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    result(`${name}: axe finds nothing, ${scheme}, ${width} wide`, [page.problems, violations.map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0].html} ${nodes[0].failureSummary}`)]);
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    result(`${name}: nothing is wider than ${width}, ${scheme}`, wide[0] > wide[1] ? wide.join(" > ") : null);
    if (process.env.KEEP) await page.screenshot({ path: `${folder}/pictures/${name}-${scheme}-${width}.png`, fullPage: true });
    await page.close();
}

// Whoever captures or prints a page that was just opened has all of it, and of a table that is cut it is told.
async function wholeAtOnce(name) {
    const page = await browser.newPage({ viewport: { width: 400, height: 700 } });
    await page.goto(`file://${folder}/${name}.html`);
    await page.waitForSelector("html[data-ready]");
    await page.screenshot({ fullPage: true });
    const empty = await page.$$eval(".plot", (all) => all.filter((one) => !one.querySelector("svg")).length);
    result(`${name}: every figure is there without scrolling`, empty ? `${empty} are not` : null);
    const untold = await page.$$eval(".wide", (all) => all.filter((one) => one.getClientRects().length && (one.scrollWidth - one.clientWidth > 1) !== /goes on/.test(getComputedStyle(one.querySelector("caption span"), "::after").content)).map((one) => one.getAttribute("aria-label")));
    const cut = await page.$$eval(".wide.cut", (all) => all.length);
    const end = await page.evaluate(async () => {
        const first = document.querySelector(".wide.cut");
        first.scrollLeft = 1e6;
        for (let i = 0; i < 100 && first.classList.contains("cut"); i++) await new Promise((done) => setTimeout(done, 100));
        return first.classList.contains("cut");
    });
    result(`${name}: a table that is cut at 400 says so, until its end is reached`, [untold, cut > 2 ? null : `${cut} are cut`, end ? "it goes on behind its end" : null]);
    await page.close();
}

// No heading ends a page: what follows it is on the same one.
async function headingsStay(name) {
    const page = await open(name);
    const titles = await page.$$eval("h2, h3", (all) => all.filter((one) => one.getClientRects().length).map((one) => one.textContent));
    const path = `${folder}/${name}-pages.pdf`;
    await page.pdf({ path, format: "A4", printBackground: true });
    await page.close();
    const pages = spawnSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });
    if (pages.error) return console.log("# no pdftotext: where pages end is not looked at");
    const last = pages.stdout.split("\f").map((text) => text.trim().split("\n").at(-1).trim());
    result(`${name}: printed, no heading is parted from what it heads`, last.filter((line) => titles.includes(line)));
    result(`${name}: printed, every table is there`, ["Accuracy by pipeline", "worst first", "Metrics by pipeline"].filter((text) => !pages.stdout.includes(text)));
}

// What the page says of the best two is what compare says of them.
async function winnerIsTested() {
    const page = await open("full");
    const said = await page.locator(".winner").first().textContent();
    await page.close();
    const table = spawnSync(process.env.CONGRU, ["compare", `${folder}/full`, "--no-save", "--format", "json"], { encoding: "utf8" });
    const { rows } = JSON.parse(table.stdout), names = await openedPipelines("full");
    const row = rows.find((one) => [one.pipeline, one.against].sort().join() === names.slice(0, 2).sort().join());
    const p = row && (row.holm < 0.0005 ? row.holm.toExponential(0).replace(/e-(.)$/, "e-0$1") : row.holm.toFixed(3));
    result("the sentence on the best pipeline has the test of compare", [row ? null : `${names} are not in ${table.stdout.slice(0, 300)}${table.stderr}`, said.includes(`p ${p} after Holm's correction over all ${rows.length} pairs`) ? null : `${said} lacks ${p} of ${rows.length}`]);
}

async function openedPipelines(name) {
    const page = await open(name);
    const names = await page.$$eval("#accuracy > .wide tbody th", (all) => all.map((one) => one.textContent));
    await page.close();
    return names;
}

// Of a run on an imported set: how it was imported, and what each pipeline sees of it.
async function importIsTold() {
    const page = await open("own");
    const lines = (await page.locator("pre").first().textContent()).split("\n");
    const facts = await page.$$eval("#summary .facts div", (all) => all.map((one) => one.textContent));
    const seen = facts.find((text) => text.startsWith("Signals")) ?? "";
    result("the import and the band and window of each pipeline are told", [page.problems,
        /^congru import 'S01.edf' 'S02.edf' 'S03.edf' --events 'c1=l,c2=r,c3=f,c4=t' .*--output 'own.npz'$/.test(lines[0]) && lines[1]?.startsWith("congru loso 'own.npz'") ? null : lines.join(" / "),
        seen.includes("ra+mdm, dldct-e2e: no band-pass") && seen.includes("slow: below 12 Hz, 0 to 1.5 s after the cue") ? null : seen]);
    await page.close();
}

// Paper of 800 pixels, a telephone, axes that show numbers, and headings that say a thing once.
async function laidOut(name) {
    const page = await open(name, { width: 800 });
    await page.emulateMedia({ media: "print" });
    const paper = await page.evaluate(() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > 801).slice(0, 3).map((one) => `${one.tagName} ${one.className?.baseVal ?? one.className} ${one.textContent.slice(0, 40)}`)]);
    result(`${name}: printed 800 wide, nothing is wider`, paper[0] > 800 ? paper.join("; ") : null);
    const broken = await page.$$eval(".confusion .part", (all) => all.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent));
    result(`${name}: printed, no word of a class is broken`, broken.slice(0, 3));
    if (process.env.KEEP) await page.screenshot({ path: `${folder}/pictures/${name}-print-800.png`, fullPage: true });
    await page.close();
    const narrow = await open(name, { width: 390 });
    const clipped = await narrow.$$eval("caption, figcaption", (all) => all.map((one) => one.querySelector("span") && one.tagName === "CAPTION" ? one.querySelector("span") : one)
        .filter((one) => one.getClientRects().length && (one.getBoundingClientRect().right > innerWidth + 1 || one.scrollWidth > one.clientWidth + 1)).map((one) => one.textContent.slice(0, 80)));
    result(`${name}: no caption is clipped at 390`, clipped);
    if (process.env.KEEP) await narrow.screenshot({ path: `${folder}/pictures/${name}-narrow.png`, fullPage: true });
    await narrow.close();
    const whole = await open(name);
    const doubled = await whole.$$eval("section", (all) => all.flatMap((one) => [...one.querySelectorAll("h3, h4, caption, figcaption strong")].filter((head) => head.getClientRects().length).map((head) => head.textContent).filter((text, i, said) => text === one.querySelector("h2").textContent || (i > 0 && text === said[i - 1]))));
    result(`${name}: no heading is said twice`, doubled);
    await whole.close();
}

// Two pipelines of the same decisions; a series that never changes.
async function equalsAreEqual() {
    const page = await open("equal");
    const said = await page.locator(".winner").textContent(), note = await page.locator("#accuracy .paired .case:not([hidden]) figcaption span").textContent();
    const flat = await page.$$eval("#training .case:not([hidden]) .constant", (all) => all.map((one) => one.textContent));
    const drawn = await page.$$eval("#training .case:not([hidden]) figure strong", (all) => all.map((one) => one.textContent));
    result("equal pipelines are said to be equal; what never changes is no chart", [page.problems, /have the same accuracy on every subject/.test(said) ? null : said, /^Equal on all \d+ subjects/.test(note.trim()) ? null : note,
        flat.some((text) => /at every step/.test(text)) ? null : "no constant series is told", drawn.some((title) => flat.some((text) => text.startsWith(title))) ? "a constant series is drawn" : null]);
    await page.close();
}

// A pipeline that looks at labels is not the headline, is marked wherever it stands, and is compared on common trials.
async function labelsAreMarked() {
    const page = await open("labels"), rows = readCsv(`${folder}/labels/results.csv`), rpa = rows.filter((row) => row.pipeline === "rpa+mdm");
    const mean = (name) => rows.filter((row) => row.pipeline === name).reduce((sum, row, _, all) => sum + Number(row.score) / all.length, 0);
    const trials = rpa.reduce((sum, row) => sum + Number(row.samples), 0), said = await page.locator(".winner").first().textContent();
    const big = await page.locator(".winner .big").first().textContent(), facts = await page.locator("#summary .facts").first().textContent();
    const table = await page.$$eval("article:not([hidden]) > #accuracy > .wide tbody tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    const options = await page.$$eval("#accuracy .forests option", (all) => all.map((one) => one.textContent)), heads = await page.$$eval("#subjects thead", (all) => all[0].textContent);
    await page.locator("#accuracy .paired select").selectOption({ label: "ra+tslr against rpa+mdm, 20 labels" });
    const note = await page.locator("#accuracy .paired .case:not([hidden]) figcaption span").textContent(), compared = await page.locator("#comparison .wide").last().textContent(), tests = await page.locator("#ablation .wide").last().textContent();
    result("pipelines that look at labels are marked and stand apart", [page.problems, mean("rpa+mdm") > mean("ra+tslr") ? null : "nothing to see here: rpa+mdm is not the best",
        Number(big) === Number((100 * mean("ra+tslr")).toFixed(1)) ? null : `headline ${big}`, /ra\+tslr is best of those that look at no label/.test(said) ? null : said, said.includes(`on the ${trials} trials that both are scored on`) ? null : said,
        ["none+mdm: nothing.", "ra+tslr: all trials, without labels.", "rpa+mdm: all trials, without labels; 20 labelled trials of each subject"].filter((words) => !facts.includes(words)).map((words) => `not in "${facts}": ${words}`),
        table.slice(0, 3).map((row) => [row[0], row[2], row[3]].join()).join(" ") === `ra+tslr,0,192 none+mdm,0,192 rpa+mdm,20,${trials}` ? null : table.join(" | "),
        options.includes("rpa+mdm, 20 labels") && !options.includes("rpa+mdm") ? null : options.join(), heads.includes("rpa+mdm, 20 labels") ? null : heads,
        note.includes(`On the ${trials} trials`) ? null : note, compared.includes("20 labelled trials of each subject") && compared.includes(String(trials)) ? null : compared, tests.includes(String(trials)) ? null : tests]);
    if (process.env.KEEP) await page.screenshot({ path: `${folder}/pictures/labels.png`, fullPage: true });
    await page.close();
}

async function hostileIsText() {
    const page = await sectionsRender("hostile", ["summary", "accuracy", "metrics", "subjects", "training", "geometry", "speed", "ablation"]);
    const names = [...new Set(readCsv(`${folder}/hostile/results.csv`).map((row) => row.subject.replace("\t", "?")))];
    const shown = await page.$$eval("#subjects .wide tbody th", (all) => all.map((cell) => cell.textContent));
    const heading = await page.locator("h1").first().textContent();
    const made = await page.evaluate(() => [document.querySelectorAll("main b, main img, main script").length, document.scripts.length, document.title]);
    result("hostile names are text", [names.sort().join() === shown.sort().join() ? null : `${shown} for ${names}`, heading === "<script>document.title='taken'</script>" ? null : heading, made[0] ? `${made[0]} elements came of names` : null, made[1] === 1 ? null : `${made[1]} scripts`, made[2] === "taken" ? "the title was taken" : null]);
    await page.close();
}

async function bigOpensFast() {
    const size = statSync(`${folder}/big.html`).size, times = [];
    for (let i = 0; i < 3; i++) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await page.goto(`file://${folder}/big.html`);
        await page.waitForSelector("html[data-ready]");
        times.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0].duration));
        await page.close();
    }
    console.log(`# 49 subjects, 15 pipelines: ${(size / 1e6).toFixed(2)} MB, opens in ${times.map((t) => Math.round(t)).join(", ")} ms`);
    result("49 subjects and 15 pipelines open, in under 8 MB", [size < 8e6 ? null : `${size} bytes`]);
}

async function runsCompared() {
    const page = await open("two");
    const lines = await page.$$eval("article:not([hidden]) #training .case:not([hidden]) .plot svg", (all) => all.map((svg) => new Set([...svg.querySelectorAll("polyline[stroke-width='1.6']")].map((path) => path.getAttribute("stroke"))).size));
    const shown = () => page.locator("article:not([hidden]) pre").textContent(), before = await shown();
    await page.locator(".runs > .choices select").selectOption({ index: 1 });
    const after = await shown();
    result("two runs: training is drawn together, and the run can be chosen", [page.problems, lines.length > 5 && lines.every((n) => n === 2) ? null : `${lines} lines`, before !== after && after.includes("--unconstrained") ? null : after]);
    await page.close();
}

// The means drawn are those of the two folders; the rest of the table is what --table comparison says.
async function comparisonEqualsCsv() {
    const page = await sectionsRender("two", ["summary", "comparison", ...everything.slice(1)]);
    const scores = ["full", "free"].map((name) => readCsv(`${folder}/${name}/results.csv`)), wrong = [];
    const mean = (run, pipeline) => {
        const own = scores[run].filter((row) => row.pipeline === pipeline).map((row) => Number(row.score));
        return own.reduce((a, b) => a + b) / own.length;
    };
    const [slope, value, at] = await scaleOf(page, "#means .broad svg"), table = readCsv(`${folder}/two.csv`);
    const dots = await page.$$eval("#means .broad ellipse:has(title)", (all) => all.map((dot) => [dot.querySelector("title").textContent, Number(dot.getAttribute("cx")), dot.getAttribute("fill")]));
    if (dots.length !== 30 || table.length !== 15) wrong.push(`${dots.length} dots, ${table.length} rows`);
    for (const [said, x, fill] of dots) {
        const pipeline = said.split(", ")[0], expected = mean(fill === "var(--c1)" ? 0 : 1, pipeline), drawn = (value + slope * (x - at)) / 100;
        if (Math.abs(drawn - expected) > 5e-4) wrong.push(`${said}: drawn ${drawn}, given ${expected}`);
    }
    const cells = await cellsOf(page, "#comparison > .wide tbody tr");
    const p = (x) => (x < 0.0005 ? Number(x).toExponential(0).replace(/e-(.)$/, "e-0$1") : Number(x).toFixed(3)), zero = (text) => text.replace(/^-(0\.0+)$/, "$1");
    table.forEach((row, i) => {
        const expected = [row.pipeline, row.run, row.first, row.subjects, `${(100 * row.accuracy).toFixed(1)} ± ${(100 * row.deviation).toFixed(1)}`, `${(100 * row.first_accuracy).toFixed(1)} ± ${(100 * row.first_deviation).toFixed(1)}`,
            zero((100 * row.gain).toFixed(1)), zero((100 * row.low).toFixed(1)), zero((100 * row.high).toFixed(1)), zero(Number(row.effect).toFixed(2)), row.wins, row.losses, p(row.p), p(row.p_holm)];
        const alike = (a, b) => a === b || Math.abs(a - b) < 1.01e-3 * (b < 1 && b > -1 ? 1 : 100);
        if (cells[i]?.length !== expected.length || !cells[i].every((cell, k) => alike(cell, expected[k]))) wrong.push(`${cells[i]} for ${expected}`);
    });
    const bars = await page.$$eval("#changes .broad ellipse", (all) => all.length);
    result("two runs: the comparison equals the folders and --table comparison", [wrong.slice(0, 5), bars === 15 ? null : `${bars} differences`]);
    await page.close();
}

async function foesAreText() {
    const page = await open("foes", { width: 390 });
    const name = '<img src=x onerror=alert(1)> & "a folder" with a name that is far too long';
    const [text, key, drawn, made] = await page.evaluate(() => [document.querySelector("#comparison p").textContent, document.querySelector("#means .broad svg").textContent,
        document.querySelectorAll("#means .broad ellipse:has(title)").length, document.querySelectorAll("main b, main img, main script").length]);
    result("hostile names of folders are text, and other subjects are not compared", [page.problems, text.includes("less hostile") ? null : text, key.includes(name.slice(0, 20)) ? null : key,
        drawn === 12 ? null : `${drawn} dots`, made ? `${made} elements came of names` : null]);
    await page.close();
}

async function withoutScript() {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${folder}/full.html`);
    const tables = await page.locator(".wide table:visible").count(), figures = await page.locator(".plot svg:visible").count(), hidden = await page.locator(".case:not(:visible)").count();
    result("without scripts the page shows its tables and figures, whatever could be chosen", [tables >= 5 && figures >= 8 ? null : `${tables} tables, ${figures} figures`, hidden ? `${hidden} cases are hidden` : null]);
    await context.close();
}

const everything = ["summary", "accuracy", "metrics", "subjects", "training", "geometry", "speed", "ablation"];
const full = await sectionsRender("full", everything);
await chartsEqualCsv(full);
await metricsEqualCsv(full);
await sortWorks(full);
await sliderMoves(full);
await subjectsAreFollowed(full);
await choicesWork(full);
if (process.env.KEEP) await full.pdf({ path: `${folder}/pictures/full.pdf`, format: "A4", printBackground: true });
await full.close();
await (await sectionsRender("bare", ["summary", "accuracy", "subjects", "speed"])).close();
await curveEqualsCsv();
await hostileIsText();
await bigOpensFast();
await runsCompared();
await comparisonEqualsCsv();
await foesAreText();
await equalsAreEqual();
await wholeAtOnce("full");
await headingsStay("full");
await headingsStay("own");
await winnerIsTested();
await importIsTold();
await labelsAreMarked();
await laidOut("full");
await laidOut("two");
await laidOut("curve");
await withoutScript();
for (const scheme of ["light", "dark"]) for (const width of [1280, 390]) await accessible(width === 1280 ? "two" : scheme === "dark" ? "hostile" : "foes", scheme, width);
await browser.close();
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
