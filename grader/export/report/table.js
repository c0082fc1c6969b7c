// Tables marked data-sortable get a button in each heading; those marked data-filterable also a form above them.

function valueOf(cell) {
  const given = cell?.dataset.value;
  if (given === undefined) return cell?.textContent.trim() ?? "";
  return given === "" ? null : Number.isNaN(Number(given)) ? given : Number(given);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true, sensitivity: "base" });
}

function sortBy(table, column, direction) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, order) => ({ row, order, value: valueOf(row.cells[column]) }));
  rows.sort((a, b) => {
    // What is not known comes last, whichever way the rest goes.
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.order - b.order;
    return direction * compare(a.value, b.value) || a.order - b.order;
  });
  body.append(...rows.map((one) => one.row));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.dataset.sort === "none") return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // Numbers are asked for from the top, words from the start.
      const first = head.dataset.sort === "number" ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const next = head.getAttribute("aria-sort") === first ? other : first;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      sortBy(table, column, next === "ascending" ? 1 : -1);
    });
  });
}

function makeFilterable(table, form) {
  const [text, choice] = [form.elements.text, form.elements.verdict];
  const status = form.querySelector("[role=status]");
  const rows = [...table.tBodies[0].rows];
  const apply = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (!choice.value || row.dataset.verdict === choice.value) && row.textContent.toLowerCase().includes(wanted);
      row.hidden = !fits;
      shown += fits;
    }
    status.textContent = shown === rows.length ? `${rows.length} shown` : `${shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.hidden = false;
  apply();
}

export function enhanceTables() {
  for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
  for (const form of document.querySelectorAll("form[data-filters]")) {
    makeFilterable(document.getElementById(form.dataset.filters), form);
  }
}
