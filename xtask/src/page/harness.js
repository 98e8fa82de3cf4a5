"use strict";
// Gives each file to the page, in frames of several widths, chosen or dropped, and posts what the page shows of it.
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

const opened = async (width, url) => {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.src = url;
  document.body.append(frame);
  await new Promise((done) => { frame.onload = done; });
  return frame;
};

// As a browser tells of a file that is held over the page and let go: whether the page took each event for its own, and showed it.
const drop = (view, page, held) => {
  const place = page.getElementById("drop");
  const tell = (kind) => !place.dispatchEvent(new view.DragEvent(kind, { dataTransfer: held, bubbles: true, cancelable: true }));
  const over = tell("dragover") && place.classList.contains("over");
  return tell("drop") && over && !place.classList.contains("over");
};

const use = async ({ name, url, width, way }) => {
  const bytes = await (await fetch(url)).blob();
  const frame = await opened(width, "/index.html");
  const [view, page] = [frame.contentWindow, frame.contentDocument];
  let told = null;
  view.addEventListener("audited", (event) => { told = event.detail; });
  const input = page.getElementById("file");
  input.focus();
  const given = { name, width, way, keyboard: page.activeElement === input, dull: dull(page, view) };
  const held = new view.DataTransfer();
  held.items.add(new view.File([bytes], name));
  const begun = performance.now();
  if (way === "dropped") {
    given.dropped = drop(view, page, held);
  } else {
    input.files = held.files;
    input.dispatchEvent(new view.Event("change"));
  }
  const main = page.getElementById("page");
  while (["ready", "reading"].includes(main.dataset.state) && performance.now() - begun < 90000) await wait(5);
  given.took = performance.now() - begun;
  given.state = main.dataset.state;
  given.status = page.getElementById("status").textContent;
  given.json = told?.json ?? null;
  given.memory = told?.memory ?? 0;
  // All cards, those on which nothing runs too.
  const card = page.getElementById("card");
  card.value = "gfx";
  card.dispatchEvent(new view.Event("input"));
  given.cards = page.querySelectorAll("#verdicts tbody tr").length;
  given.dull.push(...dull(page, view));
  given.dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  given.wide = page.documentElement.scrollWidth;
  given.markup = page.querySelectorAll("#result img, #result script, #result iframe").length;
  given.loaded = view.performance.getEntriesByType("resource").map((entry) => entry.name);
  given.says = page.getElementById("result").innerText.slice(0, 400);
  frame.remove();
  return given;
};

(async () => {
  const said = [];
  for (const one of CASES) {
    try { said.push(await use(one)); } catch (error) { said.push({ name: one.name, width: one.width, state: `harness: ${error.message}` }); }
  }
  await fetch("/said", { method: "POST", body: JSON.stringify(said) });
})();
