"use strict";
// Tables: a head sorts, a field filters. The page says all it has to say without this.
for (const box of document.querySelectorAll(".table")) {
  const body = box.querySelector("tbody");
  const heads = [...box.querySelectorAll("thead th")];
  if (body.rows.length > 1) heads.forEach((head, place) => sortable(head, place, heads, body));
  if ("search" in box.dataset) searchable(box, body);
}

function value(row, place) {
  const cell = row.cells[place];
  return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

function sortable(head, place, heads, body) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const before = head.getAttribute("aria-sort");
    const falling = before ? before === "ascending" : "falling" in head.dataset;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const empty = (row) => row.cells[place].textContent.trim() === "–";
    const rows = [...body.rows];
    // What is undefined comes last, either way.
    rows.sort((one, other) => empty(one) - empty(other)
      || (falling ? -1 : 1) * compare(value(one, place), value(other, place)));
    body.append(...rows);
  });
}

function searchable(box, body) {
  const tools = document.createElement("div");
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("span");
  tools.className = "tools";
  field.type = "search";
  field.placeholder = "these words";
  label.append("Only rows with ", field);
  count.setAttribute("role", "status");
  tools.append(label, count);
  const texts = [...body.rows].map((row) => [row, row.textContent.toLowerCase()]);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${texts.length}` : "";
  });
  box.querySelector(".scroll").before(tools);
}

// A link to a part that is folded up opens it.
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target && target.closest("details");
  if (fold) fold.open = true;
}
addEventListener("hashchange", unfold);
unfold();

// Paper has no folds.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.dataset.shut = "";
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-shut]")) {
    fold.open = false;
    delete fold.dataset.shut;
  }
});
