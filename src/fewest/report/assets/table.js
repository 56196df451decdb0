"use strict";
// Tables with the class "sortable" get headers to sort by and, if they are long, a field to filter
// with. Without this script they are plain tables.

const FEW_ROWS = 5;

function sortKey(row, column) {
  const cell = row.cells[column];
  return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
}

function compare(one, two) {
  if (typeof one === "number" && typeof two === "number") return one - two;
  return String(one).localeCompare(String(two), undefined, { numeric: true });
}

function sortBy(table, header) {
  const column = header.cellIndex;
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of header.parentElement.cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const sign = ascending ? 1 : -1;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => sign * compare(sortKey(a, column), sortKey(b, column)));
  body.append(...rows);
}

function makeSortable(table) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortBy(table, header));
  }
}

function filterRows(table, text, status) {
  const wanted = text.trim().toLocaleLowerCase();
  const rows = [...table.tBodies[0].rows];
  for (const row of rows) {
    row.hidden = !row.textContent.toLocaleLowerCase().includes(wanted);
  }
  const shown = rows.filter((row) => !row.hidden).length;
  status.textContent = wanted ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
}

function makeFilterable(table) {
  const form = document.createElement("div");
  form.className = "filter";
  const label = document.createElement("label");
  label.append("Show rows with ");
  const input = document.createElement("input");
  input.type = "search";
  input.autocomplete = "off";
  label.append(input);
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  form.append(label, status);
  input.addEventListener("input", () => filterRows(table, input.value, status));
  table.closest(".wide-table").before(form);
  filterRows(table, "", status);
}

for (const table of document.querySelectorAll("table.sortable")) {
  makeSortable(table);
  if (table.tBodies[0].rows.length > FEW_ROWS) makeFilterable(table);
}

// Printed pages show everything.
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
