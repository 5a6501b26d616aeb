// Drawing the text: pieces that were cut in Python become elements. Nothing is ever parsed as HTML.

/** Make an element. `attributes` are set as attributes, text goes in as text. */
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};
const byId = id => document.getElementById(id);

const HUES = 7;
const hue = chain => (chain >= 0 && state.doc.chains[chain][2] ? `h${chain % HUES}` : "hx");
const letters = chain => (chain >= 0 ? state.doc.chains[chain][2] : "");
const chainName = chain => (chain >= 0 ? state.doc.chains[chain][1] : "");
const short = (text, size = 26) => {
  const points = [...text];
  return points.length > size ? points.slice(0, size - 1).join("") + "…" : text;
};

const CODES = ["", "ambiguity", "omitted pronoun", "other ellipsis", "named entity", "tense",
  "sentence level", "undocumented"];

/** A word that is due, as it would stand within a sentence. */
const dueWord = ([kinds, , due]) => short(/[PO]/.test(kinds) && due !== "I" ? due.toLowerCase() : due);

/** What the elements of a cell need to know: the row's problems and marks, and what was drawn. */
const drawPieces = (pieces, parent, cell) => {
  for (const piece of pieces) {
    if (typeof piece === "string") parent.append(piece);
    else draw[piece[0]](piece, parent, cell);
  }
};

const draw = {
  m([, chain, flags, ...pieces], parent, cell) {
    const pronoun = flags.includes("p"), omitted = flags.includes("o");
    const form = omitted ? "o" : pronoun ? "p" : "n";
    const term = flags.includes("T");
    const node = make("span", {
      class: `m ${form} ${hue(chain)}${term ? " t" : ""}`, role: "button", tabindex: "-1",
      "data-chain": chain, "data-kinds": omitted ? "O" : pronoun ? "P" : term ? "ET" : "E",
      "data-letter": letters(chain),
    });
    drawPieces(pieces, node, cell);
    parent.append(node);
  },
  g([, chain, flags], parent) {
    const [written, english] = flags.split("|");
    parent.append(make("span", {
      class: `m o ghost ${hue(chain)}`, role: "button", tabindex: "-1", "data-chain": chain,
      "data-kinds": "O", "data-letter": letters(chain), "data-english": english,
      "aria-label": `left out here: ${written}, in English ${english}`,
    }, written));
  },
  q([, chain, first, ...pieces], parent, cell) {
    const node = make("q", { class: `quote ${hue(chain)}`, "data-kinds": "Q" });
    if (first) {
      const who = chain >= 0 ? chainName(chain) : "nobody can tell";
      node.append(make("span", {
        class: "speaker", role: "img", "data-letter": letters(chain) || "?",
        "aria-label": `spoken by ${who}`, title: `spoken by ${who}`,
      }));
    }
    drawPieces(pieces, node, cell);
    parent.append(node);
  },
  b([, number, , ...pieces], parent, cell) {
    const problem = cell.problems[number];
    const node = make("mark", { class: `b ${problem[1]}` });
    drawPieces(pieces, node, cell);
    if (!cell.drawn.has(number)) {
      cell.drawn.add(number);
      dress(node, problem, cell);
      if (problem[1] !== "wording") {
        node.append(make("span", { class: "due" },
          make("b", { class: "kind" }, problem[0].at(-1)), dueWord(problem)));
      }
    }
    parent.append(node);
  },
  h([, number, , ...pieces], parent, cell) {
    const node = make("span", { class: "hand", "data-kinds": "H" });
    drawPieces(pieces, node, cell);
    node.dataset.reason = cell.hands[number][1];
    parent.append(node);
  },
};

/** Make an element the one that stands for a problem. */
const dress = (node, problem, cell) => {
  const [kinds, sort, due, reason, chain, count] = problem;
  Object.entries({
    role: "button", tabindex: "-1", "data-problem": sort, "data-kinds": kinds, "data-chain": chain,
    "data-count": count, "data-system": cell.system, "data-reason": reason,
    "aria-label": `${cell.text(problem)}. ${reason}`, "data-due": due,
  }).forEach(([name, value]) => node.setAttribute(name, value));
};

const systemCell = (row, system) => {
  const [pieces, problems, hands] = row.s[system];
  const cell = {
    system, problems, hands, drawn: new Set(),
    text: ([, sort, due, , , , got]) => (got ? `${got}, for ${due}` : `missing: ${due}`),
  };
  const line = make("p", { class: "line", lang: "en" });
  drawPieces(pieces, line, cell);
  const parts = [line];
  const missing = problems.map((problem, number) => [problem, number])
    .filter(([, number]) => !cell.drawn.has(number));
  if (missing.length) {
    const list = make("ul", { class: "missing", "aria-label": "Missing in this line" });
    for (const [problem] of missing) {
      const [kinds, sort, , , chain, count] = problem;
      const chip = make("span", { class: `chip ${sort}` }, make("b", { class: "kind" }, kinds.at(-1)));
      const word = make("bdi", {}, dueWord(problem));
      chip.append(sort === "missing" ? "no " : "not as speech: ", word);
      if (count > 1) chip.append(` ×${count}`);
      if (letters(chain)) {
        chip.append(make("span", { class: `letter ${hue(chain)}` }, letters(chain)));
      }
      dress(chip, problem, cell);
      list.append(make("li", {}, chip));
    }
    parts.push(list);
  }
  if (hands.length) {
    const names = [...new Set(hands.map(([code]) => CODES[code]))];
    parts.push(make("p", { class: "by-hand", "data-kinds": "H" },
      "marked by hand: " + names.join(", ")));
  }
  return parts;
};

const sideCell = (row, side) => {
  const line = make("p", { class: "line", lang: side === "zh" ? "zh-Hans" : "en" });
  drawPieces(row[side] || [], line, {});
  return [line];
};

const lineName = row => {
  const numbers = row.e.length ? row.e : row.z;
  return numbers.length > 1 ? `${numbers[0]}–${numbers.at(-1)}` : String(numbers[0] ?? "");
};

/** The table of all rows, one cell a column. */
const drawText = () => {
  const head = make("tr", { role: "row" },
    make("th", { role: "columnheader", scope: "col", class: "number" },
      make("span", { class: "hidden" }, "Line")));
  for (const column of state.columns) {
    head.append(make("th", { role: "columnheader", scope: "col", "data-column": column.key },
      make("bdi", {}, column.name)));
  }
  const body = make("tbody", { role: "rowgroup" });
  state.doc.rows.forEach((row, number) => {
    const line = make("tr", { role: "row", tabindex: "-1", id: `row-${number}`, "data-row": number });
    line.append(make("th", { role: "rowheader", scope: "row", class: "number" }, lineName(row)));
    for (const column of state.columns) {
      const parts = column.system === undefined
        ? sideCell(row, column.key) : systemCell(row, column.system);
      line.append(make("td", {
        role: "cell", "data-column": column.key, "data-name": column.name,
      }, ...parts));
    }
    body.append(line);
  });
  byId("text").replaceChildren(make("table", { role: "table", "aria-label": "The text, line by line" },
    make("thead", { role: "rowgroup" }, head), body));
};
