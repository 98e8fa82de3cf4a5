"use strict";
// The page says everything without this: it only sorts and filters its tables.
(() => {
  const UNITS = { B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, TiB: 1099511627776, "%": 1 };
  const value = (row, column) => {
    const text = (row.cells[column]?.textContent ?? "").trim();
    if (text === "" || text === "·" || text === "?") return text === "·" ? 0 : -Infinity;
    const number = /^(?:[^\w.-]+ )?(-?[\d,]+(?:\.\d+)?)(?: (B|KiB|MiB|GiB|TiB|%))?(?: \D{1,2})?$/.exec(text);
    if (number) return Number(number[1].replaceAll(",", "")) * (UNITS[number[2]] ?? 1);
    return text;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
    return typeof a === "number" ? -1 : 1;
  };
  const rows = (body) => [...body.rows].filter((row) => !row.classList.contains("total"));
  const sort = (table, head, column) => {
    const body = table.tBodies[0];
    const down = head.getAttribute("aria-sort") !== "descending" &&
      (head.classList.contains("r") || head.getAttribute("aria-sort") === "ascending");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows(body).map((row) => [value(row, column), row]);
    keyed.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]));
    const total = body.querySelector("tr.total");
    for (const [, row] of keyed) body.insertBefore(row, total);
  };
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    if (!table.tHead || !body || rows(body).length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head, column));
      head.append(button);
    });
    if (rows(body).length < 12) continue;
    const label = document.createElement("label");
    label.className = "search";
    const input = document.createElement("input");
    input.type = "search";
    label.append("Search", input);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows(body)) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
      }
    });
    table.closest(".wide").before(label);
  }
})();
