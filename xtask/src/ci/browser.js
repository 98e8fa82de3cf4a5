"use strict";
// Opens each page in frames of several widths, uses it, and writes what is wrong with it into the document.
const problems = [];
const say = (page, width, what) => problems.push(`${page} at ${width}: ${what}`);

const sorted = (values) => values.every((value, at) => at === 0 || values[at - 1] >= value);

const check = (name, width, frame) => {
  const [view, page] = [frame.contentWindow, frame.contentDocument];
  if (view.innerWidth !== width) say(name, width, `the frame is ${view.innerWidth} wide`);
  const wide = page.documentElement.scrollWidth;
  if (wide > width) say(name, width, `the page is ${wide} wide`);
  if (page.querySelectorAll("[onerror],[onload],img,iframe,object,link").length) say(name, width, "a name became an element");
  if (page.title === "") say(name, width, "no title");
  const loaded = view.performance.getEntriesByType("resource");
  if (loaded.length) say(name, width, `it loads ${loaded[0].name}`);
  for (const what of dull(page, view).slice(0, 3)) say(name, width, what);
  for (const table of page.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[0].cells];
    if (heads.some((head) => head.scope !== "col")) say(name, width, "a heading of a column does not say so");
    const rows = () => [...table.tBodies[0].rows].filter((row) => !row.classList.contains("total"));
    if (rows().length < 2) continue;
    for (const [column, head] of heads.entries()) {
      const button = head.querySelector("button");
      if (!button) { say(name, width, "a column cannot be sorted"); break; }
      const before = rows().length;
      button.click();
      const values = rows().map((row) => row.cells[column]?.textContent.trim() ?? "");
      if (rows().length !== before) say(name, width, "sorting loses rows");
      if (!head.getAttribute("aria-sort")) say(name, width, "what is sorted is not said");
      if (values.every((value) => /^[\d,]+$/.test(value))) {
        const numbers = values.map((value) => Number(value.replaceAll(",", "")));
        const down = head.getAttribute("aria-sort") === "descending";
        if (!sorted(down ? numbers : numbers.reverse())) say(name, width, `column ${column} is not sorted: ${values.slice(0, 5)}`);
      }
    }
    const total = table.querySelector("tr.total");
    if (total && total !== table.tBodies[0].lastElementChild) say(name, width, "the sum is not last");
    const input = table.closest(".wide").previousElementSibling?.querySelector?.("input[type=search]");
    if (rows().length >= 12 && !input) say(name, width, "a long table cannot be searched");
    if (input) {
      const wanted = rows()[0].cells[0].textContent.trim();
      input.value = wanted;
      input.dispatchEvent(new view.Event("input"));
      const shown = rows().filter((row) => !row.hidden);
      if (!shown.length || shown.some((row) => !row.textContent.includes(wanted))) say(name, width, `search for ${wanted} shows other rows`);
      input.value = "";
      input.dispatchEvent(new view.Event("input"));
      if (rows().some((row) => row.hidden)) say(name, width, "an empty search hides rows");
    }
  }
  const json = page.getElementById("report");
  if (json) JSON.parse(json.textContent);
};

const open = (name, text, width) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.style.cssText = `border:0;width:${width}px;height:900px`;
  frame.srcdoc = text;
  frame.addEventListener("load", () => {
    try { check(name, width, frame); } catch (error) { say(name, width, String(error)); }
    frame.remove();
    done();
  });
  document.body.append(frame);
});

(async () => {
  let opened = 0;
  for (const [name, text] of Object.entries(PAGES)) {
    for (const width of [390, 1012, 1920]) {
      await open(name, text, width);
      opened += 1;
    }
  }
  document.body.textContent = `opened ${opened}\n${problems.join("\n")}\nend`;
})();
