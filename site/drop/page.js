"use strict";
// The page around the module: takes a file, shows the report. Whatever comes from a file is text, never markup.

// Half of what WebAssembly can address is left for what the file unpacks to.
const MOST = 1 << 30;
const ROWS = 200;
const ANSWERS = { runs: "runs", compiles: "compiles on the card", limits: "runs, with limits", unknown: "not known", not: "does not run" };
const ORDER = ["runs", "compiles", "limits", "unknown", "not"];
const RUNNING = ["runs", "compiles", "limits"];

const by = (id) => document.getElementById(id);
// Characters that are not seen, or that turn the order of others.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const shown = (value) => String(value).replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const number = (value) => value.toLocaleString("en");
const size = (bytes) => {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let at = 0;
  while (bytes >= 1024 && at < 3) { bytes /= 1024; at += 1; }
  return `${at ? bytes.toFixed(1) : bytes} ${units[at]}`;
};
const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
// Roles are set by hand: on a narrow screen rows are blocks, and browsers do not report blocks as rows.
const ROLES = { td: "cell", th: "rowheader", tr: "row" };
const cell = (what, kind, tag = "td") => {
  const made = document.createElement(tag);
  if (ROLES[tag]) made.setAttribute("role", ROLES[tag]);
  made.textContent = shown(what);
  if (kind) made.className = kind;
  if (tag === "th") made.scope = "row";
  return made;
};
const row = (...cells) => {
  const made = document.createElement("tr");
  made.setAttribute("role", ROLES.tr);
  made.append(...cells);
  return made;
};
const item = (what) => cell(what, "", "li");
const quoted = (name) => /^[\w.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
const command = (name) => `rocm-audit ${quoted(shown(name))}`;

let worker = null;
let report = null;
let products = [];
let source = "";

const state = (name, words) => {
  by("page").dataset.state = name;
  by("status").textContent = shown(words);
};
const refuse = (words) => {
  by("result").hidden = true;
  state("refused", words);
};

const take = (files) => {
  worker?.terminate();
  worker = null;
  report = null;
  if (files.length !== 1) return refuse("One file at a time. For a folder: rocm-audit FOLDER");
  const [file] = files;
  if (file.size > MOST) {
    return refuse(`${file.name} has ${size(file.size)}, and a page can hold ${size(MOST)}. Run: ${command(file.name)}`);
  }
  const begun = performance.now();
  source = file.name;
  by("result").hidden = true;
  state("reading", `${file.name}: reading ${size(file.size)}`);
  worker = new Worker("worker.js");
  worker.onerror = (error) => failed(error.message || "the worker cannot be started");
  worker.onmessage = ({ data }) => {
    if (data.failed !== undefined) return failed(data.failed);
    if (data.read !== undefined) {
      const step = data.read < file.size ? `reading, ${size(data.read)} of ${size(file.size)}` : "looking at it";
      return state("reading", `${file.name}: ${step}`);
    }
    worker.terminate();
    const parsed = JSON.parse(data.json);
    if (parsed.error !== undefined) return failed(parsed.error);
    report = parsed;
    products = data.products;
    show(file, data);
    const took = performance.now() - begun;
    by("cost").textContent = `${seconds(took)}: ${seconds(data.reading)} to read it, ${seconds(data.auditing)} to look at it, in ${size(data.memory)} of memory.`;
    state("done", `${file.name}: done`);
  };
  worker.postMessage(file);
};

const failed = (why) => {
  worker?.terminate();
  refuse(`${source} could not be read here: ${why}. Run: ${command(source)}`);
};

const matches = (verdict, words) => {
  const squeeze = (value) => value.toLowerCase().replace(/[^a-z0-9]/g, "");
  const names = products.filter(([, processor]) => processor === verdict.processor).map(([name]) => name);
  return [verdict.processor, ...names].some((name) => squeeze(name).includes(squeeze(words)));
};

const running = (verdict) => verdict.libraries.filter((library) => RUNNING.includes(library.answer)).length;

const showVerdicts = () => {
  const words = by("card").value.trim();
  // A card on which some libraries run stands before those on which none does.
  const order = (verdict) => ORDER.indexOf(verdict.answer) - (running(verdict) > 0 ? 0.5 : 0);
  const some = (verdict) => running(verdict) > 0 || verdict.answer === "compiles" || (verdict.libraries.length > 0 && verdict.answer !== "not");
  const found = report.verdicts.filter((verdict) => words ? matches(verdict, words) : some(verdict));
  found.sort((a, b) => order(a) - order(b));
  by("verdicts").tBodies[0].replaceChildren(...found.map((verdict) => {
    const worst = verdict.libraries[0];
    const several = verdict.libraries.length > 1 ? `${running(verdict)} of ${verdict.libraries.length} libraries run. ` : "";
    const none = report.complete ? verdict.headline : "no library was found in what could be read";
    const why = worst ? `${several}${worst.library}: ${worst.reason}` : none;
    const answer = verdict.libraries.length || verdict.answer === "compiles" ? verdict.answer : "unknown";
    const told = answer === "not" && running(verdict) > 0 ? "in part" : ANSWERS[answer];
    const kind = told === "in part" ? "limits" : answer;
    return row(cell(told, `answer ${kind}`), cell(verdict.processor), cell(verdict.products.join(", ")), cell(why));
  }));
  by("verdicts").hidden = !found.length;
  const rest = report.verdicts.length - found.length;
  by("others").textContent = words
    ? `${number(found.length)} of ${number(report.verdicts.length)} processors match.`
    : !report.complete ? `${number(rest)} other processors: nothing for them in what could be read, which is not all of it.`
      : report.matrix.length === 0 ? "No library with code for a GPU was found, so that there is no verdict."
      : `${number(rest)} other processors: no library here runs on them. Name one above to see why.`;
};

const showMatrix = () => {
  const targets = report.targets.map((target) => target.processor);
  const has = report.matrix.length > 0 && targets.length > 0;
  by("matrix").hidden = !has;
  by("no-libraries").hidden = has;
  by("no-libraries").textContent = report.complete ? "No library with code for a GPU is in this file." : "None was found in what could be read.";
  const heads = ["library", ...targets].map((name) => { const made = cell(name, "", "th"); made.scope = "col"; made.setAttribute("role", "columnheader"); return made; });
  by("matrix").tHead.replaceChildren(row(...heads));
  by("matrix").tBodies[0].replaceChildren(...report.matrix.map((library) => {
    const name = [library.library, library.tensile ? "(Tensile)" : "", library.place ?? ""].filter(Boolean).join(" ");
    return row(cell(name, "", "th"), ...library.cells.map((found) => {
      const kernels = found.kernels ? `, ${counted(found.kernels, "kernel", "kernels")}, ${size(found.bytes)}` : "";
      return cell(found.coverage === "absent" ? "–" : `${found.coverage}${kernels}`);
    }));
  }));
};

const showFindings = () => {
  const where = (location) => location.path + (location.offset === null ? "" : ` at ${location.offset}`);
  const rows = report.findings.slice(0, ROWS).map((finding) => {
    const severity = finding.severity;
    const [first] = finding.locations;
    const told = [finding.detail || (first?.what ?? ""), finding.advice].filter(Boolean).join("; ");
    return row(cell(severity, severity), cell(finding.what), cell(told), cell(first ? where(first) : ""));
  });
  by("findings").tBodies[0].replaceChildren(...rows);
  by("findings").hidden = !rows.length;
  // Findings about all of it have no place.
  by("findings").classList.toggle("nowhere", report.findings.every((finding) => !finding.locations.length));
  const behind = report.findings.length - rows.length;
  by("more").textContent = !rows.length ? "None." : behind > 0 ? `${number(behind)} more are in the JSON.` : "";
};

const show = (file, data) => {
  const sums = report.summary;
  // What runs in part only, or compiles what it runs, is not counted as what runs.
  const answered = (...answers) => report.verdicts.filter((verdict) => answers.includes(verdict.answer)).length;
  const kinds = [["runs on", answered("runs")], ["compiles its kernels on", answered("compiles")], ["runs with limits on", answered("limits")]]
    .filter(([, count]) => count)
    .map(([does, count]) => `${does} ${counted(count, "processor", "processors")}`);
  by("answer").textContent = shown(
    kinds.length ? `${file.name} ${kinds.join(", ")}`
      : sums.code_objects ? `${file.name} has code for ${counted(report.targets.length, "processor", "processors")}`
      : report.complete ? `No code for a GPU was found in ${file.name}` : `Not known: ${file.name} could not be read in full`);
  by("whole").textContent = report.complete
    ? sums.unverified_bundles
      ? "Complete (compressed code not checked)."
      : "Complete: everything in it was read."
    : "Incomplete: something could not be read, and what it holds is not known. See the findings.";
  by("whole").className = report.complete ? "" : "error";
  by("why").replaceChildren(...report.not_examined.map((part) => item(`Not examined: ${part.what} (${counted(part.files, "file", "files")}, ${size(part.bytes)}), such as ${part.example}`)));
  const facts = [
    ["size", size(file.size)], ["files", number(sums.files)], ["bundles", number(sums.bundles)],
    ["compressed bundles", number(sums.compressed_bundles)], ["code objects", number(sums.code_objects)],
    ["kernels", number(sums.kernels)], ["bytes of code objects", size(sums.code_object_bytes)],
    ["bytes of machine code", size(sums.code_bytes)],
  ];
  by("sums").replaceChildren(...facts.map(([name, value]) => {
    const pair = document.createElement("div");
    pair.append(cell(name, "", "dt"), cell(value, "", "dd"));
    return pair;
  }));
  by("command").textContent = command(file.name);
  showVerdicts();
  showMatrix();
  showFindings();
  by("not-shown").replaceChildren(...report.not_shown.map(item));
  by("result").hidden = false;
  dispatchEvent(new CustomEvent("audited", { detail: { json: data.json, reading: data.reading, auditing: data.auditing, memory: data.memory } }));
};

by("file").addEventListener("change", ({ target }) => target.files.length && take(target.files));
by("card").addEventListener("input", () => report && showVerdicts());
by("save").addEventListener("click", () => {
  if (!report) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  link.download = `${source}.rocm-audit.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    by("drop").classList.toggle("over", name === "dragover");
    if (name === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}
addEventListener("dragleave", () => by("drop").classList.remove("over"));
