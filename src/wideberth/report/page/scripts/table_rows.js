// Objects that are rows of a table: beside each other, with the cells marked that differ from those of one of them.
const columnNames = facts.table ? facts.table.names : [];
const isTable = facts.table !== null && objects.drawing !== null;
const NO_VALUE = "—";
const numericColumn = columnNames.map((_, i) => facts.table.columns[i].kind === "numbers");

/** A box in which a wide table scrolls, so that the page does not. */
const scrolling = (label, drawn, attributes = {}) =>
  make("div", { tabindex: "0", role: "region", "aria-label": label, ...attributes, class: `wide ${attributes.class || ""}` }, drawn);

function cellsOf(index) {
  const drawn = drawingOf(index);
  return drawn && drawn.type === "row" ? drawn.cells : columnNames.map(() => "");
}
/** A cell; marked if it differs from that of the row that it is compared with. */
function cellOf(text, column, other) {
  const marked = other !== undefined && other !== text;
  return make(
    "td",
    { class: `cell${numericColumn[column] ? " number" : ""}`, title: text.length > 24 ? text : null },
    marked ? make("mark", {}, text) : text === NO_VALUE ? make("span", { class: "soft" }, text) : text,
  );
}
const dataCells = (index, base) => cellsOf(index).map((text, i) => cellOf(text, i, base === undefined ? undefined : cellsOf(base)[i]));
const dataHeads = () => columnNames.map((name, i) => make("th", { scope: "col", class: numericColumn[i] ? "number" : null }, name));
const rowButton = (index) => opener(index, make("span", {}, rowName(index)));

/** Rows of a table with what is said of each; `groups` has the lines that belong together. */
function rowsTable(label, groups) {
  const line = ({ index, said, base }) =>
    make(
      "tr",
      { class: base === undefined ? null : "witness" },
      make("th", { scope: "row" }, rowButton(index)),
      make("td", { class: "said" }, said),
      dataCells(index, base),
    );
  const bodies = groups.map((lines) => make("tbody", { class: "listed" }, lines.map(line)));
  const drawn = make(
    "table",
    { class: "rows" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "row"), make("td", {}), dataHeads())),
    bodies.slice(0, FIRST_CARDS),
  );
  const box = scrolling(label, drawn);
  if (bodies.length <= FIRST_CARDS) return [box];
  const more = make("button", { type: "button", class: "plain" }, `Show all ${whole(bodies.length)}`);
  more.addEventListener("click", () => {
    drawn.append(...bodies.slice(FIRST_CARDS));
    more.remove();
  });
  return [box, more];
}

/** One row with others beside it, a line for each column: narrower than rows below each other. */
function besideOthers(label, index, others) {
  const own = cellsOf(index);
  const head = ([other, distance]) =>
    make("th", { scope: "col" }, key(labelOf(other)), rowButton(other), make("div", { class: "far" }, far(distance)));
  return scrolling(
    label,
    make(
      "table",
      { class: "rows" },
      make("thead", {}, make("tr", {}, make("td", {}), make("th", { scope: "col" }, "this row"), others.map(head))),
      make(
        "tbody",
        {},
        columnNames.map((name, i) =>
          make(
            "tr",
            {},
            make("th", { scope: "row" }, name),
            cellOf(own[i], i),
            others.map(([other]) => cellOf(cellsOf(other)[i], i, own[i])),
          ),
        ),
      ),
    ),
    { class: "near" },
  );
}

/** The cells of a row, and how far each may move alone where that is proved. */
function rowWithMoves(index) {
  const cells = cellsOf(index),
    place = placeOf.get(index),
    moves = objects.moves && objects.moves[place] ? objects.moves[place] : [];
  const known = cells.some((text, i) => moves[i] && text !== NO_VALUE);
  const said = classes[objects.told[place]];
  return scrolling(
    "The row",
    make(
      "table",
      { class: "rows" },
      known
        ? make(
            "thead",
            {},
            make("tr", {}, make("td", {}), make("td", {}), make("th", { scope: "col", class: "long" }, `stays ${said} if it alone moves by`)),
          )
        : null,
      make(
        "tbody",
        {},
        cells.map((text, i) =>
          make(
            "tr",
            {},
            make("th", { scope: "row" }, columnNames[i]),
            cellOf(text, i),
            known ? make("td", { class: "soft" }, (text !== NO_VALUE || moves[i] === "any value" ? moves[i] : null) || "not proved") : null,
          ),
        ),
      ),
    ),
  );
}

/** The cells of a row in a line of text. */
const MOST_IN_LINE = 12;
function rowInLine(index) {
  const cells = cellsOf(index);
  return make(
    "span",
    { class: "drawing line" },
    cells
      .slice(0, MOST_IN_LINE)
      .map((text, i) => make("span", {}, make("span", { class: "soft" }, `${columnNames[i]}\u00a0`), text)),
    cells.length > MOST_IN_LINE ? make("span", { class: "soft" }, `and ${cells.length - MOST_IN_LINE} more`) : null,
  );
}

// ---- the columns themselves
function columnsSection() {
  const found = facts.table;
  if (!found) return;
  const { matters, columns, n } = found,
    moves = facts.certified.median_moves;
  const largest = matters.more ? Math.max(...matters.more, 0.001) : 1;
  const order = columns.map((_, i) => i);
  if (matters.more) order.sort((a, b) => matters.more[b] - matters.more[a] || a - b);
  const values = ({ range, frequent, distinct }) => {
    if (frequent === undefined) return plural(distinct, "different value", "different values");
    const common = frequent.map(([text, count]) => `${text} (${whole(count)})`).join(", ");
    const rest = distinct > frequent.length && frequent.length ? `, … ${whole(distinct)} different` : "";
    return [
      range ? make("div", {}, `${range[0]} to ${range[2]}, median ${range[1]}`) : null,
      common ? make("div", { class: range ? "soft" : null }, `${range ? "most frequent " : ""}${common}${rest}`) : null,
    ];
  };
  const weight = (i) => {
    const more = matters.more[i],
      noise = matters.noise[i];
    const size = Math.abs(100 * more).toFixed(1); // the sign of what is shown: no −0.0
    const points = `${size === "0.0" ? "" : more < 0 ? "−" : "+"}${size}`;
    return make(
      "td",
      { class: Math.abs(more) <= (noise ?? 0) ? "weight soft" : "weight" },
      make("span", { class: "bar", style: `width: ${(5 * Math.max(more, 0)) / largest}rem` }),
      `${points}${noise === null ? "" : ` ± ${(100 * noise).toFixed(1)}`}`,
    );
  };
  const heads = [
    "column",
    matters.more ? "more errors without it, %" : null,
    moves ? "half of the answers stay if it alone moves by" : null,
    "holds",
    "missing",
    "distribution",
    "values",
  ];
  const rows = order.map((i) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, columnNames[i]),
      matters.more ? weight(i) : null,
      moves ? make("td", { class: moves[i] ? null : "soft" }, moves[i] || "not proved") : null,
      make("td", {}, columns[i].kind),
      make("td", { class: columns[i].missing ? null : "soft" }, columns[i].missing ? percent(columns[i].missing / n) : "none"),
      make("td", { class: "spread" }, show(columns[i].drawing)),
      make("td", { class: "values" }, values(columns[i])),
    ),
  );
  const how = matters.more
    ? `How much a column matters: its values were exchanged among ${whole(matters.rows)} rows that the answering model had not seen, ${plural(matters.repeats, "time", "times")}, and so many more answers were wrong, in percent of the rows (${percent(matters.error)} are wrong without that); ± is two standard errors. Columns that tell the same may each seem to matter little.`
    : `How much a column matters is not known. ${matters.reason}`;
  section(
    "columns",
    "Columns",
    make("p", {}, how),
    moves
      ? make("p", {}, `How far a column may move alone is proved, by the distance of ${down(facts.certified.median)} within which half of the answers are right and stay; of each row its own is told where it is chosen.`)
      : null,
    scrolling(
      "Columns",
      make(
        "table",
        { class: "full about" },
        make("thead", {}, make("tr", {}, heads.map((head) => head && make("th", { scope: "col" }, head)))),
        make("tbody", {}, rows),
      ),
    ),
  );
}
