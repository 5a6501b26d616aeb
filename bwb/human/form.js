"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const make = (tag, parent, text) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const ranking = data.design === "ranking";
const place = "bwb-human:" + data.plan + ":" + data.rater;

// Item id -> {marks: {label: mark}, note, seconds}. Where the browser keeps nothing (private
// windows, some file: pages), answers live until the page is closed, and we say so.
let answers = {}, here = 0, current = 0, keeps = true, saved = true;
try {
  const kept = JSON.parse(localStorage.getItem(place) || "{}");
  answers = kept.answers || {};
  here = Math.min(kept.here || 0, data.items.length - 1);
  localStorage.setItem(place, JSON.stringify({answers, here}));
} catch {
  keeps = false;
}
if (!keeps) {
  at("trouble").textContent =
    "This browser does not keep your answers: save them before you close the page.";
  at("trouble").hidden = false;
}
const keep = () => {
  if (!keeps) return;
  try {
    localStorage.setItem(place, JSON.stringify({answers, here}));
  } catch {
    keeps = false;
  }
};
const answerOf = item => answers[item.id] ||= {marks: {}, note: "", seconds: 0};
const done = item => {
  const marks = (answers[item.id] || {marks: {}}).marks;
  const values = Object.values(marks);
  if (ranking) return values.length === item.texts.length;
  return values.includes("best") && values.includes("worst");
};

const setMark = (item, label, mark) => {
  const marks = answerOf(item).marks;
  if (marks[label] === mark) {
    delete marks[label];
  } else {
    // There is one best and one worst: a new one takes the place of the old.
    if (!ranking) for (const other in marks) if (marks[other] === mark) delete marks[other];
    marks[label] = mark;
  }
  saved = false;
  keep();
  paint();
};

// What a text can be given: a rank, or best and worst; the key as it is shown, and the mark.
const choices = item => ranking
  ? item.texts.map((_, i) => [String(i + 1), String(i + 1)])
  : [["best", "best"], ["worst", "worst"]];

const draw = () => {
  const item = data.items[here];
  at("place").textContent =
    `Item ${here + 1} of ${data.items.length}. ` + (data.unitHelp[item.unit] || "");
  const source = at("source"), texts = at("texts");
  source.replaceChildren();
  texts.replaceChildren();
  source.hidden = !item.source.length;
  at("compare").className = item.source.length ? "two" : "";
  for (const sentence of item.source) make("p", source, sentence);
  item.texts.forEach((text, number) => {
    const card = make("article", texts);
    card.className = "text";
    card.tabIndex = -1;
    card.onclick = () => { current = number; paint(); };
    make("span", card, text.label).className = "label";
    const words = make("div", card);
    words.className = "words";
    if (text.sentences.join("").trim() === "") make("p", words, "(no text)").className = "none";
    else for (const sentence of text.sentences) make("p", words, sentence);
    const row = make("div", card);
    row.className = "choices";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "Text " + text.label);
    for (const [shown, mark] of choices(item)) {
      const button = make("button", row, shown);
      button.type = "button";
      button.dataset.mark = mark;
      button.onclick = () => setMark(item, text.label, mark);
    }
  });
  at("note").value = (answers[item.id] || {}).note || "";
  paint();
};

const orderText = item => {
  const marks = (answers[item.id] || {marks: {}}).marks;
  const labels = Object.keys(marks).sort();
  if (!ranking) {
    const picked = mark => labels.find(label => marks[label] === mark) || "…";
    return labels.length ? `best ${picked("best")}, worst ${picked("worst")}` : "";
  }
  const ranks = [...new Set(Object.values(marks))].sort((a, b) => a - b);
  return ranks.map(rank => labels.filter(label => marks[label] === rank).join(" = ")).join("  >  ");
};

const paint = () => {
  const item = data.items[here];
  const marks = (answers[item.id] || {marks: {}}).marks;
  [...at("texts").children].forEach((card, number) => {
    card.classList.toggle("now", number === current);
    for (const button of card.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", marks[item.texts[number].label] === button.dataset.mark);
    }
  });
  at("order").textContent = orderText(item);
  const count = data.items.filter(done).length, all = data.items.length;
  at("count").textContent = count === all ? `all ${all} answered` : `${count} of ${all} answered`;
  at("progress").value = count / all;
  at("back").disabled = here === 0;
  const last = here === all - 1;
  at("next").textContent = last ? (count === all ? "Save answers" : "First open item →") : "Next →";
  at("next").classList.toggle("ready", done(item));
  [...at("all").children].forEach((button, number) => {
    button.classList.toggle("done", done(data.items[number]));
    button.setAttribute("aria-current", number === here);
  });
};

const go = number => {
  tick();
  here = Math.max(0, Math.min(data.items.length - 1, number));
  current = 0;
  keep();
  draw();
  at("item").scrollIntoView({block: "start"});
};
const next = () => {
  if (here < data.items.length - 1) return go(here + 1);
  const open = data.items.findIndex(item => !done(item));
  if (open < 0) save(); else go(open);
};

// Seconds are counted while the page is seen, and not more than two minutes between two signs of
// life: what is longer is a break.
let since = Date.now();
const tick = () => {
  const now = Date.now();
  if (since !== null) answerOf(data.items[here]).seconds += Math.min(120, (now - since) / 1000);
  since = document.hidden ? null : now;
};
document.addEventListener("visibilitychange", () => { tick(); keep(); });

const save = () => {
  tick();
  const quote = text => '"' + String(text).replaceAll('"', '""') + '"';
  const lines = [data.columns];
  for (const item of data.items) {
    const answer = answers[item.id];
    if (!answer || (!Object.keys(answer.marks).length && !answer.note)) continue;
    for (const text of item.texts) {
      const cells = {
        rater: data.rater, item: item.id, label: text.label, key: text.key,
        [data.answer]: answer.marks[text.label] || "", note: answer.note || "",
        seconds: answer.seconds.toFixed(1),
      };
      lines.push(data.columns.map(name => cells[name]));
    }
  }
  const body = "\ufeff" + lines.map(cells => cells.map(quote).join(",") + "\r\n").join("");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([body], {type: "text/csv"}));
  link.download = `ratings-${data.rater}.csv`;
  link.click();
  saved = true;
};

const step = by => {
  const texts = at("texts").children;
  current = (current + by + texts.length) % texts.length;
  paint();
  texts[current].scrollIntoView({block: "nearest"});
};
const marked = mark => {
  const item = data.items[here];
  setMark(item, item.texts[current].label, mark);
  if (ranking && answerOf(item).marks[item.texts[current].label] === mark && !done(item)) step(1);
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === at("note");
  const key = event.key;
  if (typing && key !== "Enter") return;
  const item = data.items[here];
  const letter = key.length === 1 ? item.texts.findIndex(t => t.label === key.toUpperCase()) : -1;
  if (key === "ArrowRight") go(here + 1);
  else if (key === "ArrowLeft") go(here - 1);
  else if (key === "ArrowDown") step(1);
  else if (key === "ArrowUp") step(-1);
  else if (key === "Enter" && (typing || event.target.tagName !== "BUTTON")
           && event.target.tagName !== "SUMMARY") next();
  else if (letter >= 0) { current = letter; step(0); }
  else if (ranking && /^[1-9]$/.test(key) && Number(key) <= item.texts.length) marked(key);
  else if (!ranking && (key === "+" || key === "=")) marked("best");
  else if (!ranking && (key === "-" || key === "−")) marked("worst");
  else return;
  event.preventDefault();
});
at("note").oninput = () => { answerOf(data.items[here]).note = at("note").value; saved = false; keep(); };
at("back").onclick = () => go(here - 1);
at("next").onclick = next;
at("save").onclick = save;
window.addEventListener("beforeunload", event => {
  tick();
  keep();
  if (!keeps && !saved) event.preventDefault();
});
data.items.forEach((_, number) => {
  const button = make("button", at("all"), String(number + 1));
  button.type = "button";
  button.onclick = () => go(number);
});
if (Object.keys(answers).length) at("help").open = false;
draw();
