"use strict";
// Contrast of text, as WCAG 2 counts it: 4.5 is what level AA asks of small text.
const luminance = ([r, g, b]) => {
  const part = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const colour = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
// Of an element, or of a part of it such as its placeholder.
const contrast = (element, view, part = null) => {
  const behind = [view.getComputedStyle(element, part)];
  for (let at = element; at; at = at.parentElement) behind.push(view.getComputedStyle(at));
  const backs = behind.map((style) => colour(style.backgroundColor));
  const back = backs.find((found) => found.length === 3 || found[3] === 1) ?? [255, 255, 255];
  const [a, b] = [luminance(colour(view.getComputedStyle(element, part).color)), luminance(back)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};
// What is harder to read than that, in words.
const dull = (page, view) => {
  const said = (element, value) => `contrast ${value.toFixed(2)} of <${element.tagName} class=${element.className}> ${element.textContent.slice(0, 30)}`;
  const seen = [...page.querySelectorAll("body *")].filter((element) => element.tagName !== "SCRIPT" && element.offsetParent);
  const texts = seen.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""));
  const found = texts.map((element) => [element, contrast(element, view)]);
  const parts = (holds, part) => found.push(...seen.filter(holds).map((element) => [element, contrast(element, view, part)]));
  parts((element) => element.placeholder, "::placeholder");
  parts((element) => element.type === "file", "::file-selector-button");
  return found.filter(([, value]) => value < 4.5).map(([element, value]) => said(element, value));
};
