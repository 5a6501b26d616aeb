// State, filters and moving about. `view_text.js` and `view_panels.js` come before this.

const head = JSON.parse(byId("head").textContent);
const bodies = [...document.querySelectorAll("script.document")];
const parsed = new Map();
const KINDS = Object.keys(head.kinds);
const state = {
  number: 0, doc: null, columns: [], hiddenColumns: new Set(), kinds: new Set(KINDS), hands: false,
  only: false, chain: null, row: 0, problem: null, system: null, allChains: false, stops: [],
};

const load = number => {
  if (!parsed.has(number)) parsed.set(number, JSON.parse(bodies[number].textContent));
  return parsed.get(number);
};

const columnsOf = doc => {
  const sides = [["zh", "中文"], ["en", "Reference"]]
    .filter(([key]) => doc.rows.some(row => key in row))
    .map(([key, name]) => ({ key, name: name === "Reference" && !head.systems.length ? "English" : name }));
  return [...sides, ...head.systems.map((name, system) => ({ key: `s${system}`, name, system }))];
};

/** Show a document. */
const open = number => {
  state.number = number;
  state.doc = load(number);
  state.columns = columnsOf(state.doc);
  Object.assign(state, { chain: null, row: 0, problem: null });
  const [first, ...rest] = [...state.doc.titles].reverse();
  byId("title").textContent = first || state.doc.id;
  byId("title-zh").textContent = rest.join(" ");
  const facts = [state.doc.id, `${state.doc.rows.length} lines`, state.doc.genre, state.doc.split];
  byId("where").textContent = facts.filter(Boolean).join(" · ");
  byId("documents").value = String(number);
  const every = everyProblem();
  drawText();
  drawFindings(every);
  drawCounts(every);
  drawPeople(every);
  drawStrip(every);
  drawChains();
  drawColumns();
  byId("summary").hidden = !head.systems.length;
  byId("strip").hidden = !state.doc.chains.length && !head.systems.length;
  byId("strip-title").textContent = state.doc.chains.length ? "Who appears where" : "Where problems are";
  byId("overview").classList.toggle("single", !head.systems.length);
  apply();
  setRow(0, false);
  say("");
};

// ---- what is shown -------------------------------------------------------------------------

const drawColumns = () => {
  const box = byId("columns");
  box.replaceChildren(make("legend", {}, "Columns"));
  for (const [number, column] of state.columns.entries()) {
    const on = !state.hiddenColumns.has(column.key);
    const button = make("button", {
      type: "button", class: "toggle", "aria-pressed": String(on), "data-toggle": column.key,
      title: `Show or hide (${number + 1})`,
    }, make("bdi", {}, column.name));
    button.onclick = () => toggleColumn(column.key);
    box.append(button);
  }
};
const toggleColumn = (key, on) => {
  const hide = on === undefined ? !state.hiddenColumns.has(key) : !on;
  if (hide) state.hiddenColumns.add(key);
  else state.hiddenColumns.delete(key);
  const button = document.querySelector(`[data-toggle="${key}"]`);
  if (button) button.setAttribute("aria-pressed", String(!hide));
  apply();
};

const drawKinds = () => {
  const add = (kind, name, on, flip) => {
    const button = make("button", {
      type: "button", class: "toggle", "aria-pressed": String(on), "data-kind": kind,
    }, kind === "H" ? "" : make("b", { class: "kind" }, kind), name);
    button.onclick = () => {
      button.setAttribute("aria-pressed", String(flip()));
      apply();
    };
    byId("kinds").append(button);
  };
  for (const kind of KINDS) {
    if (kind === "V" && !head.systems.length) continue;
    add(kind, head.kinds[kind], true, () => {
      if (!state.kinds.delete(kind)) state.kinds.add(kind);
      return state.kinds.has(kind);
    });
  }
  if (head.hands) add("H", "marked by hand", false, () => (state.hands = !state.hands));
};
const syncKinds = () => {
  for (const button of document.querySelectorAll("#kinds [data-kind]")) {
    const kind = button.dataset.kind;
    button.setAttribute("aria-pressed", String(kind === "H" ? state.hands : state.kinds.has(kind)));
  }
};

const drawChains = () => {
  const box = byId("chains");
  box.replaceChildren(make("option", { value: "" }, "nobody"));
  state.doc.chains.forEach(([id, name, letter], number) => {
    const zh = state.doc.chains[number][5][0];
    const said = `${letter ? `${letter} · ` : ""}${short(name, 30)}${zh ? ` ${short(zh, 10)}` : ""}`;
    box.append(make("option", { value: String(number), "data-id": id }, said));
  });
};

/** Put everything that is chosen into effect. */
const apply = () => {
  const table = byId("text").firstChild;
  const shown = kinds => [...kinds].some(kind => (kind === "H" ? state.hands : state.kinds.has(kind)));
  for (const node of table.querySelectorAll("[data-kinds]")) {
    let on = shown(node.dataset.kinds);
    if (node.dataset.problem && state.chain !== null) {
      on = on && Number(node.dataset.chain) === state.chain;
    }
    node.classList.toggle("off", !on);
    if (node.classList.contains("m")) {
      node.classList.toggle("on", Number(node.dataset.chain) === state.chain);
    }
  }
  table.classList.toggle("following", state.chain !== null);
  for (const node of table.querySelectorAll("[data-column]")) {
    node.hidden = state.hiddenColumns.has(node.dataset.column);
  }
  table.dataset.columns = state.columns.length - state.hiddenColumns.size;
  for (const list of table.querySelectorAll("ul.missing")) {
    list.hidden = !list.querySelector(".chip:not(.off)");
  }
  for (const row of table.tBodies[0].rows) {
    row.hidden = state.only && !row.querySelector("td:not([hidden]) [data-problem]:not(.off)");
  }
  byId("text").classList.toggle("nothing",
    state.only && [...table.tBodies[0].rows].every(row => row.hidden));
  syncKinds();
  byId("only").checked = state.only;
  markPosition();
};

const problems = () => [...byId("text").querySelectorAll("tr:not([hidden]) td:not([hidden]) [data-problem]:not(.off)")];
const mentions = () => (state.chain === null ? [] : [...byId("text").querySelectorAll(
  `tr:not([hidden]) td:not([hidden]) .m:not(.off)[data-chain="${state.chain}"]`)]
  .filter(node => !node.closest("td").dataset.column.startsWith("s")));

const markPosition = () => {
  const list = problems(), at = list.indexOf(state.problem);
  const total = list.reduce((count, node) => count + Number(node.dataset.count), 0);
  byId("position").textContent = list.length
    ? (at >= 0 ? `${at + 1} of ${list.length}` : `${total} problem${total === 1 ? "" : "s"}`)
    : "no problems shown";
  const marks = mentions();
  const current = marks.findIndex(node => node.classList.contains("here"));
  byId("chain-position").textContent = `${current >= 0 ? current + 1 : "–"} of ${marks.length}`;
};

// ---- moving --------------------------------------------------------------------------------

const rowOf = node => Number(node.closest("tr").dataset.row);

const setRow = (number, focus = true) => {
  const rows = byId("text").querySelector("tbody").rows;
  if (!rows[number]) return;
  state.stops.forEach(node => { node.tabIndex = -1; });
  if (rows[state.row]) rows[state.row].classList.remove("current");
  state.row = number;
  const row = rows[number];
  row.classList.add("current");
  state.stops = [row, ...row.querySelectorAll("[role=button]")];
  state.stops.forEach(node => { node.tabIndex = 0; });
  if (focus) {
    row.focus({ preventScroll: true });
    reveal(row);
    writeHash();
  }
  markStrip();
};
const stepRow = step => {
  const rows = byId("text").querySelector("tbody").rows;
  let next = state.row + (byId("text").contains(document.activeElement) ? step : 0);
  while (rows[next] && rows[next].hidden) next += step || 1;
  setRow(Math.max(0, Math.min(next, rows.length - 1)));
};

/** Scroll so that a node is neither under the bar nor under the explanation. */
const reveal = node => {
  const box = node.getBoundingClientRect();
  const sticky = getComputedStyle(byId("bar")).position === "sticky";
  const top = (sticky ? byId("bar").offsetHeight : 0) + 48;
  const bottom = window.innerHeight - byId("say").offsetHeight - 16;
  if (box.top < top || box.bottom > bottom) {
    const target = window.scrollY + box.top - top - 24;
    const far = Math.abs(box.top - top) > 2 * window.innerHeight;
    const calm = far || matchMedia("(prefers-reduced-motion: reduce)").matches;
    window.scrollTo({ top: target, behavior: calm ? "instant" : "smooth" });
  }
};

const focusOn = node => {
  setRow(rowOf(node), false);
  node.focus({ preventScroll: true });
  reveal(node);
  writeHash();
};

const showProblem = node => {
  if (state.problem) state.problem.classList.remove("here");
  state.problem = node;
  node.classList.add("here");
  state.system = Number(node.dataset.system);
  focusOn(node);
  say(`${head.systems[state.system]}, line ${lineName(state.doc.rows[rowOf(node)])}`, node.dataset.reason);
  markPosition();
};
const stepProblem = step => {
  const list = problems();
  if (!list.length) return;
  let at = list.indexOf(state.problem);
  if (at < 0) {
    // From the current line on.
    at = list.findIndex(node => rowOf(node) >= state.row);
    at = step > 0 ? at - 1 : at < 0 ? list.length : at;
    if (at < -1) at = -1;
  }
  showProblem(list[(at + step + list.length) % list.length]);
};

/** Go to a problem of a row: by system, and kind, sort or chain. */
const jumpTo = (row, { system, kind, sort, chain }) => {
  if (chain !== state.chain) follow(null, false);
  if (chain !== undefined && chain >= 0) follow(chain, false);
  if (sort) KINDS.forEach(one => state.kinds.add(one));
  if (system !== undefined) toggleColumn(`s${system}`, true);
  apply();
  const place = byId(`row-${row}`);
  const cell = place.querySelector(`td[data-column="s${system}"]`);
  const fits = node => (!kind || node.dataset.kinds.includes(kind)) && (!sort || node.dataset.problem === sort);
  const node = [...cell.querySelectorAll("[data-problem]:not(.off)")].find(fits);
  if (node) showProblem(node);
  else setRow(row);
};

/** Follow a chain; null is none. */
const follow = (chain, jump) => {
  state.chain = chain;
  byId("chains").value = chain === null ? "" : String(chain);
  byId("chain-moves").hidden = chain === null;
  document.querySelectorAll(".m.here").forEach(node => node.classList.remove("here"));
  apply();
  drawCard();
  markStrip();
  writeHash();
  if (jump) stepMention(1, true);
};
const showMention = node => {
  document.querySelectorAll(".m.here").forEach(one => one.classList.remove("here"));
  node.classList.add("here");
  focusOn(node);
  tell(node);
  markPosition();
};
const stepMention = (step, fromStart = false) => {
  const list = mentions();
  if (!list.length) return;
  let at = list.findIndex(node => node.classList.contains("here"));
  if (at < 0 && !fromStart) {
    at = list.findIndex(node => rowOf(node) >= state.row);
    at = step > 0 ? at - 1 : Math.max(at, 0);
    if (at < -1) at = list.length - 1;
  }
  showMention(list[(at + step + list.length) % list.length]);
};
const toMention = row => {
  const node = mentions().find(one => rowOf(one) === row);
  if (node) showMention(node);
  else setRow(row);
};
