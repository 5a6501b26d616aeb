// The panels above the text: what went wrong, with whom, and where.

const SORTS = {
  gender: "wrong gender", person: "wrong person", other: "other pronoun", form: "other name",
  wording: "other wording", missing: "missing", speech: "not as speech", tense: "tense",
};
const times = number => (number === 1 ? "once" : number === 2 ? "twice" : `${number} times`);

/** Every problem of the document: [system, row, problem]. */
const everyProblem = () => {
  const found = [];
  state.doc.rows.forEach((row, number) => row.s.forEach((cell, system) => {
    for (const problem of cell[1]) found.push({ system, row: number, problem });
  }));
  return found;
};
const sum = list => list.reduce((total, { problem }) => total + problem[5], 0);

/** The pair of words that a list of problems has most often: "he" for "she". */
const commonPair = list => {
  const counts = new Map();
  for (const { problem } of list) {
    const key = `${problem[6].toLowerCase()}|${problem[2].toLowerCase()}`;
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0][0].split("|");
};

const drawFindings = every => {
  const list = byId("findings");
  list.replaceChildren();
  if (!state.doc.looked.includes("P")) return;
  const found = head.systems.map((name, system) => ({
    name, system, list: every.filter(p => p.system === system && p.problem[1] === "gender"),
  })).sort((a, b) => b.list.length - a.list.length);
  for (const { name, system, list: wrong } of found) {
    const item = make("li", { class: wrong.length ? "bad" : "good" }, make("bdi", { class: "name" }, name));
    if (!wrong.length) {
      item.append(" keeps everybody’s gender.");
    } else {
      const byChain = new Map();
      wrong.forEach(p => byChain.set(p.problem[4], [...(byChain.get(p.problem[4]) || []), p]));
      const [chain, most] = [...byChain].sort((a, b) => b[1].length - a[1].length)[0];
      const [got, due] = commonPair(most);
      item.append(" gets the gender wrong ", make("strong", {}, times(wrong.length)));
      if (chainName(chain)) {
        item.append(wrong.length > most.length ? `, ${times(most.length)} ` : ", ", "for ",
          make("bdi", {}, chainName(chain)));
      }
      item.append(" (“", make("bdi", {}, got), "” for “", make("bdi", {}, due), "”), in ");
      const rows = [...new Set(most.map(p => p.row))];
      item.append(rows.length > 1 ? "lines " : "line ");
      rows.forEach((row, number) => {
        const link = make("button", { type: "button", class: "link" }, lineName(state.doc.rows[row]));
        link.onclick = () => jumpTo(row, { system, sort: "gender", chain });
        item.append(number ? ", " : "", link);
      });
      item.append(".");
    }
    list.append(item);
  }
};

const drawCounts = every => {
  const kinds = [...state.doc.looked];
  const table = make("table", { class: "counts" });
  const top = make("tr", {}, make("th", { scope: "col" }, "system"));
  for (const kind of kinds) {
    top.append(make("th", { scope: "col" }, make("b", { class: "kind" }, kind), ` ${head.kinds[kind]}`));
  }
  table.append(make("thead", {}, top));
  const most = Math.max(1, ...head.systems.map((_, s) => Math.max(...kinds.map(k => state.doc.counts[s][k]))));
  const body = make("tbody");
  head.systems.forEach((name, system) => {
    const line = make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, name)));
    for (const kind of kinds) {
      const list = every.filter(p => p.system === system && p.problem[0].includes(kind));
      const total = sum(list), wrong = sum(list.filter(p => p.problem[6]));
      const cell = make("td");
      if (total) {
        const button = make("button", {
          type: "button", class: "count", "data-kind": kind, "data-system": system,
          "aria-label": `${name}: ${total} ${head.kinds[kind]}, ${wrong} of them a wrong word; go to the first`,
        }, make("strong", {}, String(total)));
        const bar = make("i", { class: "meter", "aria-hidden": "true" }, make("i"));
        bar.style.setProperty("--all", total / most);
        bar.style.setProperty("--wrong", wrong / total);
        button.append(bar, make("small", {}, wrong === total ? "all wrong" : wrong ? `${wrong} wrong` : "missing"));
        button.onclick = () => {
          state.kinds.add(kind);
          jumpTo(list[0].row, { system, kind });
        };
        cell.append(button);
      } else {
        cell.append(make("span", { class: "none" }, "0"));
      }
      line.append(cell);
    }
    body.append(line);
  });
  table.append(body);
  byId("counts").replaceChildren(...(head.systems.length ? [table] : []));
};

const drawPeople = every => {
  const rows = state.doc.chains.map((chain, number) => {
    const list = every.filter(p => p.problem[4] === number && p.problem[1] !== "wording");
    return { chain, number, list, wrong: sum(list.filter(p => p.problem[6])) };
  }).filter(row => row.list.length && row.chain[3] === "PER" && row.chain[2])
    .sort((a, b) => b.wrong - a.wrong || b.list.length - a.list.length).slice(0, 6);
  const table = make("table", { class: "people" });
  table.append(make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "character"),
    ...head.systems.map(name => make("th", { scope: "col" }, make("bdi", {}, name))))));
  const body = make("tbody");
  for (const { chain, number, list } of rows) {
    const name = make("button", { type: "button", class: "who" },
      make("span", { class: `letter ${hue(number)}` }, chain[2]), make("bdi", {}, chain[1]));
    name.onclick = () => follow(number, true);
    const line = make("tr", {}, make("th", { scope: "row" }, name,
      make("small", {}, chain[4] ? ` ${chain[4]}` : "")));
    head.systems.forEach((_, system) => {
      const mine = list.filter(p => p.system === system);
      const cell = make("td");
      for (const [sort, said] of Object.entries(SORTS)) {
        const some = mine.filter(p => p.problem[1] === sort);
        if (!some.length) continue;
        const button = make("button", { type: "button", class: `tag ${sort}` },
          make("strong", {}, String(sum(some))), ` ${said}`);
        button.onclick = () => {
          follow(number, false);
          jumpTo(some[0].row, { system, sort, chain: number });
        };
        cell.append(button);
      }
      if (!mine.length) cell.append(make("span", { class: "none" }, "nothing"));
      line.append(cell);
    });
    body.append(line);
  }
  table.append(body);
  byId("people").replaceChildren(table);
  byId("persons").hidden = !rows.length;
};

/** Chains in the pieces of a cell, ghosts left out. */
const chainsIn = (pieces, found = new Set()) => {
  for (const piece of pieces || []) {
    if (typeof piece === "string") continue;
    if (piece[0] === "m") found.add(piece[1]);
    chainsIn(piece.slice(3), found);
  }
  return found;
};

const SVG = "http://www.w3.org/2000/svg";
const track = (bars, size, said, go) => {
  const svg = document.createElementNS(SVG, "svg");
  Object.entries({
    viewBox: `0 0 ${size} 2`, preserveAspectRatio: "none", role: "img", "aria-label": said,
  }).forEach(([name, value]) => svg.setAttribute(name, value));
  for (const [x, y, height, kind] of bars) {
    const bar = document.createElementNS(SVG, "rect");
    Object.entries({ x: x + 0.12, y, width: 0.76, height, class: kind })
      .forEach(([name, value]) => bar.setAttribute(name, value));
    svg.append(bar);
  }
  svg.addEventListener("click", event => {
    const box = svg.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width * size - 0.5;
    const places = bars.map(([x]) => x);
    if (places.length) {
      go(places.reduce((best, x) => (Math.abs(x - at) < Math.abs(best - at) ? x : best)));
    }
  });
  return svg;
};

const drawStrip = every => {
  const rows = state.doc.rows, size = Math.max(rows.length, 1);
  const where = state.doc.chains.map(() => ({ zh: [], en: [] }));
  rows.forEach((row, number) => {
    for (const side of ["zh", "en"]) {
      for (const chain of chainsIn(row[side])) if (chain >= 0) where[chain][side].push(number);
    }
  });
  const numbers = list => list.map(n => lineName(rows[n])).join(", ") || "none";
  const parts = [];
  const shown = state.doc.chains.map((chain, number) => [chain, number])
    .filter(([chain]) => chain[2]).slice(0, state.allChains ? Infinity : 10);
  for (const [chain, number] of shown) {
    const { zh, en } = where[number];
    const name = make("button", {
      type: "button", class: "who", "data-follow": number, "aria-pressed": "false",
    }, make("span", { class: `letter ${hue(number)}` }, chain[2]), make("bdi", {}, short(chain[1], 22)));
    name.onclick = () => follow(state.chain === number ? null : number, false);
    const bars = [...zh.map(x => [x, 0.1, 0.85, "zh"]), ...en.map(x => [x, 1.05, 0.85, "en"])];
    const said = `${chain[1]}: Chinese lines ${numbers(zh)}; English lines ${numbers(en)}`;
    const line = track(bars, size, said, row => { follow(number, false); toMention(row); });
    parts.push(make("div", { class: `track ${hue(number)}`, "data-chain": number }, name, line));
  }
  const more = state.doc.chains.filter(chain => chain[2]).length;
  if (more > 10) {
    const button = make("button", { type: "button", class: "link" },
      state.allChains ? "show fewer" : `show all ${more}`);
    button.onclick = () => { state.allChains = !state.allChains; drawStrip(every); markStrip(); };
    parts.push(button);
  }
  head.systems.forEach((name, system) => {
    const bars = [];
    rows.forEach((_, number) => {
      const here = every.filter(p => p.system === system && p.row === number);
      const wrong = sum(here.filter(p => p.problem[6] && p.problem[1] !== "wording"));
      const rest = sum(here) - wrong;
      const tall = Math.min(2, 0.35 * (wrong + rest)), solid = Math.min(2, 0.35 * wrong);
      if (rest) bars.push([number, 2 - tall, tall - solid, "rest"]);
      if (wrong) bars.push([number, 2 - solid, solid, "wrong"]);
    });
    const said = `${name}: problems in lines ${numbers([...new Set(bars.map(([x]) => x))])}`;
    const line = track(bars, size, said, row => jumpTo(row, { system }));
    parts.push(make("div", { class: "track system" }, make("bdi", { class: "name" }, short(name, 24)), line));
  });
  byId("tracks").replaceChildren(...parts, make("div", { id: "here", "aria-hidden": "true" }, make("i")));
};

/** Show in the strip which line is the current one, and who is followed. */
const markStrip = () => {
  const here = byId("here");
  if (here) here.style.setProperty("--at", (state.row + 0.5) / Math.max(state.doc.rows.length, 1));
  for (const node of document.querySelectorAll(".track[data-chain]")) {
    const on = Number(node.dataset.chain) === state.chain;
    node.classList.toggle("on", on);
    node.querySelector("button").setAttribute("aria-pressed", String(on));
  }
};

/** Who is followed: forms in both languages, and how each system renders the name. */
const drawCard = () => {
  const card = byId("card");
  card.hidden = state.chain === null;
  if (card.hidden) return;
  const [, name, letter, type, pronoun, zh, en] = state.doc.chains[state.chain];
  const facts = make("p", {},
    letter ? make("span", { class: `letter ${hue(state.chain)}` }, letter) : "",
    make("strong", {}, make("bdi", {}, name)), " ",
    make("bdi", { lang: "zh-Hans" }, zh.slice(0, 6).join(" / ")),
    en.length > 1 ? make("span", {}, " · ", make("bdi", {}, en.slice(0, 6).join(" / "))) : "",
    make("small", {}, [type, pronoun].filter(Boolean).map(text => ` · ${text}`).join("")));
  card.replaceChildren(facts);
  const list = make("ul", {});
  head.systems.forEach((system, number) => {
    const counts = new Map();
    const add = (text, kind) => counts.set(`${kind}|${text}`, (counts.get(`${kind}|${text}`) || 0) + 1);
    const scope = `td[data-column="s${number}"] `;
    for (const node of document.querySelectorAll(`${scope}.m.n[data-chain="${state.chain}"]`)) {
      add(node.textContent, "right");
    }
    for (const node of document.querySelectorAll(`${scope}[data-problem][data-chain="${state.chain}"]`)) {
      if (node.dataset.kinds.match(/[PO]/)) continue;
      if (node.dataset.problem === "missing") add("missing", "gone");
      else if (node.dataset.problem !== "speech") add(ownText(node), "wrong");
    }
    if (!counts.size) return;
    const item = make("li", {}, make("bdi", { class: "name" }, system), ": ");
    [...counts].sort((a, b) => b[1] - a[1]).forEach(([key, count]) => {
      const [kind, text] = [key.slice(0, key.indexOf("|")), key.slice(key.indexOf("|") + 1)];
      item.append(make("span", { class: `rendering ${kind}` }, make("bdi", {}, text), ` ×${count}`), " ");
    });
    list.append(item);
  });
  if (list.children.length) card.append(list);
};

/** The text of a marked phrase, without the correction behind it. */
const ownText = node => [...node.childNodes]
  .filter(child => !(child.classList && child.classList.contains("due")))
  .map(child => child.textContent).join("");

/** All documents of the page, with how much each system has wrong. */
const drawLibrary = () => {
  if (head.documents.length < 2 || !head.systems.length) return;
  const table = make("table", { class: "shelf" });
  table.append(make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "document"),
    make("th", { scope: "col" }, "lines"),
    ...head.systems.map(name => make("th", { scope: "col" }, make("bdi", {}, name))))));
  const body = make("tbody");
  head.documents.forEach((one, number) => {
    const name = make("button", { type: "button", class: "link" }, make("bdi", {}, one.id));
    name.onclick = () => { open(number); writeHash(); };
    const line = make("tr", {}, make("th", { scope: "row" }, name, " ",
      make("bdi", {}, short(one.titles.at(-1) || "", 40))), make("td", {}, String(one.rows)));
    one.counts.forEach(counts => {
      const total = [...one.looked].reduce((all, kind) => all + counts[kind], 0);
      const cell = make("td", {}, String(total));
      if (counts.gender) cell.append(" · ", make("span", { class: "tag gender" }, `${counts.gender} wrong gender`));
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  const box = make("details", { id: "shelf-box" }, make("summary", {}, `All ${head.documents.length} documents`),
    make("p", { class: "hint" }, "Problems of all kinds; one that is of two kinds counts in both."),
    make("div", { class: "scroll" }, table));
  byId("overview").before(box);
};

/** The legend, made of the signs themselves. */
const drawSigns = () => {
  const sign = (classes, text, letter) => make("span", { class: classes, "data-letter": letter || "" }, text);
  const due = (classes, got, kind, right) => make("mark", { class: `b ${classes}` }, got,
    make("span", { class: "due" }, make("b", { class: "kind" }, kind), right));
  const rows = [
    [sign("m n t h0", "Wei Zhenxi", "A"), "a term; the letter says whose mention it is"],
    [sign("m n h2", "the inn", "C"), "a mention that is no term"],
    [sign("m p h0", "her", "A"), "a pronoun"],
    [sign("m o h0", "her", "A"), "a pronoun that the other language leaves out"],
    [sign("m o ghost h0", "她", "A"), "where Chinese leaves it out (estimated)"],
    [sign("speaker h0", "“…”", "A"), "who speaks"],
    [due("gender", "his", "P", "her"), "wrong pronoun, and what the reference has"],
    [due("form", "late water", "T", "Slowwater"), "other name than the reference’s"],
    [due("tense", "wobbles", "V", "came"), "other tense"],
    [make("mark", { class: "b wording" }, "a small inn"), "other wording of what is no term"],
    [make("span", { class: "chip" }, make("b", { class: "kind" }, "P"), "no her"), "missing in the line"],
  ];
  for (const [node, said] of rows) byId("signs").append(make("dt", {}, node), make("dd", {}, said));
};
