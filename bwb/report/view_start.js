// Explanations, links into the page, and what keys and clicks do; then the page begins.

// ---- saying --------------------------------------------------------------------------------

const say = (where, text = "") => {
  const parts = where ? [make("b", {}, make("bdi", {}, where))] : [];
  if (text) parts.push(" ", make("bdi", {}, text));
  byId("said").replaceChildren(...parts);
  byId("say").classList.toggle("empty", !parts.length);
};

/** Explain whatever is under the pointer or has the focus. */
const tell = node => {
  if (node.dataset.reason) {
    const system = node.closest("td").dataset.name;
    say(`${system}, line ${lineName(state.doc.rows[rowOf(node)])}`, node.dataset.reason);
    return;
  }
  const chain = Number(node.dataset.chain);
  const [, name, letter, type, pronoun, zh] = state.doc.chains[chain];
  const facts = [zh.slice(0, 3).join(" / "), type, pronoun].filter(Boolean).join(" · ");
  const about = `${letter ? `${letter} · ` : ""}${name}`;
  if (node.classList.contains("ghost")) {
    say(about, `Chinese leaves the pronoun out here; English has “${node.dataset.english}”. The place is estimated.`);
  } else if (node.classList.contains("o")) {
    say(about, `${facts} · a pronoun that the other language leaves out`);
  } else {
    say(about, `${facts}${node.classList.contains("t") ? " · a term" : ""}`);
  }
};

const light = (chain, on) => {
  for (const node of document.querySelectorAll(`#text .m[data-chain="${chain}"]`)) {
    node.classList.toggle("lit", on);
  }
};

// ---- links ---------------------------------------------------------------------------------

const writeHash = () => {
  const parts = [["doc", state.doc.id]];
  const row = state.doc.rows[state.row];
  if (row) parts.push(["line", (row.e.length ? row.e : row.z)[0]]);
  if (state.chain !== null) parts.push(["chain", state.doc.chains[state.chain][0]]);
  if (state.system !== null) parts.push(["system", head.systems[state.system]]);
  const text = parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/")}`);
  const hash = "#" + text.join("&");
  if (hash !== location.hash) history.replaceState(null, "", hash);
};

const readHash = () => {
  const given = new Map();
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at < 1) continue;
    try {
      given.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
    } catch {
      continue; // a stray % is no link of ours
    }
  }
  const number = head.documents.findIndex(one => one.id === given.get("doc"));
  if (number >= 0 && (number !== state.number || !state.doc)) open(number);
  else if (!state.doc) open(0);
  const system = head.systems.indexOf(given.get("system"));
  if (system >= 0) {
    state.system = system;
    toggleColumn(`s${system}`, true);
  }
  const chain = state.doc.chains.findIndex(one => one[0] === given.get("chain"));
  if (chain >= 0) follow(chain, false);
  const line = Number(given.get("line"));
  const row = state.doc.rows.findIndex(one => (one.e.length ? one.e : one.z).includes(line));
  if (row >= 0) {
    setRow(row);
    const cell = byId(`row-${row}`).querySelector(system >= 0 ? `td[data-column="s${system}"]` : "td");
    const problem = system >= 0 && cell.querySelector("[data-problem]:not(.off)");
    if (problem) showProblem(problem);
    else if (chain >= 0) toMention(row);
  }
};

// ---- events --------------------------------------------------------------------------------

const act = node => {
  if (node.dataset.problem) showProblem(node);
  else if (node.classList.contains("m")) {
    const chain = Number(node.dataset.chain);
    if (chain !== state.chain) follow(chain, false);
    showMention(node);
  }
};
byId("text").addEventListener("click", event => {
  if (!getSelection().isCollapsed) return; // somebody is selecting text
  const node = event.target.closest("[role=button]:not(.off)");
  const row = event.target.closest("tr[data-row]");
  if (node) act(node);
  else if (row) setRow(Number(row.dataset.row), false);
});
const hovering = on => event => {
  const node = event.target.closest && event.target.closest("#text [role=button]:not(.off), #text .hand:not(.off)");
  if (!node) return;
  if (on) tell(node);
  const mention = event.target.closest(".m:not(.off)");
  if (mention) light(mention.dataset.chain, on);
};
byId("text").addEventListener("pointerover", hovering(true));
byId("text").addEventListener("pointerout", hovering(false));
byId("text").addEventListener("focusin", event => {
  if (event.target.matches("[role=button]:not(.off)")) tell(event.target);
});

const KEYS = {
  j: () => stepRow(1), k: () => stepRow(-1), n: () => stepProblem(1), p: () => stepProblem(-1),
  "]": () => stepMention(1), "[": () => stepMention(-1),
  c: () => follow(state.chain === null ? 0 : (state.chain + 1) % state.doc.chains.length, true),
  o: () => byId("only").click(), "?": () => byId("help").showModal(),
  Escape: () => follow(null, false),
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.target.matches("select, input, textarea")) return;
  const onButton = event.target.closest("#text [role=button]");
  if (onButton && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    act(onButton);
  } else if (event.key in KEYS) {
    if (event.key === "c" && !state.doc.chains.length) return;
    event.preventDefault();
    KEYS[event.key]();
  } else if (/^[1-9]$/.test(event.key) && state.columns[event.key - 1]) {
    toggleColumn(state.columns[event.key - 1].key);
  }
});

byId("next").onclick = () => stepProblem(1);
byId("previous").onclick = () => stepProblem(-1);
byId("chain-next").onclick = () => stepMention(1);
byId("chain-previous").onclick = () => stepMention(-1);
byId("chain-end").onclick = () => follow(null, false);
byId("chains").onchange = event => follow(event.target.value === "" ? null : Number(event.target.value), true);
byId("only").onchange = event => { state.only = event.target.checked; apply(); };
byId("help-open").onclick = () => byId("help").showModal();
byId("skip").onclick = () => setRow(state.row);
byId("more").onclick = () => {
  const on = byId("bar").classList.toggle("open");
  byId("more").setAttribute("aria-expanded", String(on));
};
byId("documents").onchange = event => { open(Number(event.target.value)); writeHash(); };
const stepDocument = step => {
  open((state.number + step + head.documents.length) % head.documents.length);
  writeHash();
};
byId("doc-next").onclick = () => stepDocument(1);
byId("doc-previous").onclick = () => stepDocument(-1);
window.addEventListener("hashchange", readHash);

// ---- begin ---------------------------------------------------------------------------------

head.documents.forEach((one, number) => {
  byId("documents").append(make("option", { value: String(number) },
    one.id + (one.titles.length ? ` · ${short(one.titles.at(-1), 40)}` : "")));
});
byId("pick").hidden = head.documents.length < 2;
// Three systems beside the two sides is what a screen can hold.
head.systems.forEach((_, system) => { if (system > 2) state.hiddenColumns.add(`s${system}`); });
document.body.classList.toggle("no-systems", !head.systems.length);
drawKinds();
drawLibrary();
drawSigns();
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--bar", `${byId("bar").offsetHeight - 1}px`);
}).observe(byId("bar"));
readHash();
