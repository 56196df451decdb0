// Every table can be saved as CSV, every figure as SVG, and the text of the methods can be copied.
// Files are made here, from what the page holds.

// The same rule as in fewest/_cells.py: a spreadsheet would run such a text as a formula.
const FORMULA = /^'*[=+\-@\t\r]/;
const DIGITS = "\\d(?:_?\\d)*";
const NUMBER = new RegExp(
  `^\\s*[+-]?(?:(?:${DIGITS}\\.?(?:${DIGITS})?|\\.${DIGITS})(?:e[+-]?${DIGITS})?|inf|infinity|nan)\\s*$`, "i");
const SHARE = /^(-?[\d.]+) %$/;

function protectCell(text) {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function textOf(element) {
  return element.textContent.replace(/\s+/g, " ").trim();
}

// Numbers with all their digits, shares between 0 and 1, and text as it is shown.
function cellText(cell) {
  if (cell.dataset.csv !== undefined) return cell.dataset.csv;
  const parts = [...cell.querySelectorAll(".role")];
  if (parts.length) return parts.map(textOf).join("; ");
  const text = textOf(cell);
  // A name is no number, whatever it looks like.
  if (cell.querySelector("bdi") && !cell.classList.contains("n")) return text;
  if (text === "–") return "";
  const plain = text.replace(/−/g, "-").replace(/(\d),(?=\d{3})/g, "$1");
  const share = SHARE.exec(plain);
  if (!share && !NUMBER.test(plain)) return text;
  if (cell.dataset.sort !== undefined) return cell.dataset.sort;
  return share ? String(Number((Number(share[1]) / 100).toPrecision(12))) : plain;
}

function quoteCell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function tableAsText(table) {
  const line = (row) => [...row.cells].map((cell) => quoteCell(protectCell(cellText(cell)))).join(",");
  return [...table.rows].map((row) => `${line(row)}\n`).join("");
}

// Black in place of the colour of the page's text, white paper, and fonts that others have.
function figureAsText(svg) {
  const copy = svg.cloneNode(true);
  const { x, y, width, height } = svg.viewBox.baseVal;
  const make = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const paint of ["fill", "stroke"]) {
      if (part.getAttribute(paint) === "currentColor") part.setAttribute(paint, "#000000");
    }
    // Older programs know this name of the attribute only.
    const link = part.getAttribute("href");
    if (link !== null) part.setAttributeNS("http://www.w3.org/1999/xlink", "xlink:href", link);
  }
  copy.setAttribute("height", Math.round((copy.getAttribute("width") * height) / width));
  copy.setAttribute("font-family", "Arial, Helvetica, 'DejaVu Sans', sans-serif");
  const paper = make("rect");
  for (const [name, value] of Object.entries({ x, y, width, height, fill: "#ffffff" })) {
    paper.setAttribute(name, value);
  }
  const title = make("title");
  title.textContent = svg.getAttribute("aria-label");
  copy.prepend(title, paper);
  return `<?xml version="1.0" encoding="utf-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

function fileName(title, ending) {
  const words = title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-");
  return `fewest-${words.slice(0, 60).replace(/^-+|-+$/g, "") || "part"}.${ending}`;
}

function saveFile(name, kind, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function addButton(text, title, place, action) {
  const line = document.createElement("p");
  line.className = "save";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.setAttribute("aria-label", title);
  button.title = title;
  button.addEventListener("click", () => action(button));
  line.append(button);
  place(line);
}

for (const table of document.querySelectorAll("table")) {
  const title = textOf(table.caption ?? table.tHead.rows[0]);
  const after = table.closest(".wide-table") ?? table;
  addButton("CSV", `Save the table as CSV: ${title}`, (line) => after.after(line), () =>
    saveFile(fileName(title, "csv"), "text/csv", tableAsText(table)));
}

for (const svg of document.querySelectorAll("figure svg")) {
  const title = svg.getAttribute("aria-label");
  addButton("SVG", `Save the figure as SVG: ${title}`, (line) => svg.closest("figure").append(line), () =>
    saveFile(fileName(title, "svg"), "image/svg+xml", figureAsText(svg)));
}

function copyText(part, button) {
  const chosen = window.getSelection();
  chosen.selectAllChildren(part);
  const done = document.execCommand("copy");
  if (done) chosen.removeAllRanges();
  button.textContent = done ? "Copied" : "Selected: copy it with Ctrl+C";
}

for (const part of document.querySelectorAll(".to-copy")) {
  addButton("Copy", "Copy the text", (line) => part.after(line), (button) => copyText(part, button));
}
