"""The sheet of an audit as a page: marks are set in a browser and saved as the CSV sheet.

One file, no network: the rows lie in it as JSON, and the script only draws and saves them.
"""

from __future__ import annotations

import html
from string import Template
from typing import TYPE_CHECKING

from bwb.align.audit_sheet import COLUMNS, sheet_rows
from bwb.sheets import script_json
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bwb.records import Document

_PAGE = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>$title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 1em auto; max-width: 75em; padding: 0 1em }
header { position: sticky; top: 0; background: #fff; border-bottom: 1px solid #999 }
table { border-collapse: collapse; width: 100% } td { border-bottom: 1px solid #ddd; padding: .4em;
vertical-align: top } td.text { width: 38% } tr.ok { background: #eef8ee } tr.wrong { background:
#fbeeee } input[type=text] { width: 6em } label { margin-right: .6em; white-space: nowrap }
</style>
<header><b>$title</b> <span id="count" role="status"></span>
<button id="save" type="button">Save sheet</button></header>
<p>For each row: do the two sides translate each other, all of them and nothing more? If not, mark
it wrong and, if you can, give the numbers of the sentences that belong together (3 4 or 3-5;
several links with semicolons: 3; 4; a dash where there is no counterpart). Marks are lost when the
page is closed before they are saved.</p>
<main id="rows"></main>
<script type="application/json" id="data">$data</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const make = (tag, parent, text) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const count = () => {
  const done = data.rows.filter(row => row.mark).length;
  document.getElementById("count").textContent = done + " of " + data.rows.length + " marked";
};
let table = null, last = null;
data.rows.forEach((row, number) => {
  if (row.document !== last) {
    make("h2", document.getElementById("rows"), row.document);
    table = make("table", document.getElementById("rows"));
    last = row.document;
  }
  const line = make("tr", table);
  make("td", line, row.link);
  for (const side of ["zh", "en"]) {
    const cell = make("td", line, row[side]);
    cell.className = "text";
    cell.lang = side;
  }
  const marks = make("td", line);
  for (const mark of ["ok", "wrong"]) {
    const label = make("label", marks);
    const box = make("input", label);
    Object.assign(box, {type: "radio", name: "mark" + number, value: mark});
    box.onchange = () => { row.mark = mark; line.className = mark; count(); };
    label.append(" " + mark);
  }
  const fields = make("td", line);
  for (const name of ["right zh", "right en", "note"]) {
    const field = make("input", make("label", fields, name + " "));
    field.type = "text";
    field.oninput = () => { row[name] = field.value; };
  }
});
count();
let dirty = false;
document.addEventListener("input", () => { dirty = true; });
window.addEventListener("beforeunload", event => { if (dirty) event.preventDefault(); });
document.getElementById("save").onclick = () => {
  const quote = text => '"' + text.replaceAll('"', '""') + '"';
  const lines = [data.columns, ...data.rows.map(row => data.columns.map(name => row[name]))];
  const text = "\\ufeff" + lines.map(cells => cells.map(quote).join(",") + "\\r\\n").join("");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
  link.download = data.name;
  link.click();
  dirty = false;
};
</script>
</html>
""")


def write_page(documents: Sequence[Document], path: Path) -> int:
    """Write the page; returns the number of links.

    What it saves is named as the page, with ``.csv``.
    """
    rows = [cells for document in documents for cells in sheet_rows(document)]
    body = {"name": path.with_suffix(".csv").name, "columns": list(COLUMNS), "rows": rows}
    title = html.escape(f"Alignment audit: {path.stem}")
    with replacing(path) as file:
        file.write(_PAGE.substitute(title=title, data=script_json(body)))
    return len(rows)
