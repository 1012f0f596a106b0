// The table of all objects that the report holds, with a search, filters and an order.
const PAGE = 25;

/** What a cell is sorted by; missing ones come last. */
const sortable = (text, numeric) => (text === NO_VALUE ? (numeric ? Infinity : "\uffff") : numeric ? Number(text) : text);

function objectsSection() {
  const order = objects.index.map((_, place) => place);
  const texts = objects.index.map((index, place) =>
    `${rowName(index)} ${isTable ? cellsOf(index).join(" ") : altOf(index)} ${classes[objects.label[place]]}`.toLowerCase(),
  );
  const columns = [
    {
      title: "row",
      by: (place) => objects.index[place],
      show: (place) => (isTable ? rowButton(objects.index[place]) : rowName(objects.index[place])),
    },
    ...(isTable ? [] : [{ title: "object", show: (place) => opener(objects.index[place]) }]),
    { title: "label", by: (place) => classes[objects.label[place]], show: (place) => classMark(objects.label[place]) },
    {
      title: "answer",
      by: (place) => (objects.told[place] < 0 ? "" : classes[objects.told[place]]),
      show: (place) =>
        objects.told[place] < 0
          ? "–"
          : make(
              "span",
              {},
              classMark(objects.told[place]),
              objects.told[place] === objects.label[place] ? "" : make("span", { class: "wrong" }, " ✗"),
            ),
    },
    ...(isTable ? columnNames : []).map((title, i) => ({
      title,
      by: (place) => sortable(cellsOf(objects.index[place])[i], numericColumn[i]),
      cell: (place) => cellOf(cellsOf(objects.index[place])[i], i),
      number: numericColumn[i],
    })),
    ...(objects.probability
      ? [
          {
            title: "probability",
            by: (place) => objects.probability[place],
            show: (place) => String(objects.probability[place]),
            number: true,
          },
        ]
      : []),
    {
      title: "quality of its label",
      by: (place) => objects.quality[place] ?? 2,
      show: (place) => (objects.quality[place] === null ? "–" : percent(objects.quality[place])),
      number: true,
    },
    { title: "lead of its label", by: (place) => objects.lead[place] ?? 1e99, show: (place) => short(objects.lead[place]), number: true },
  ];
  const state = { by: 0, down: false, page: 0, text: "", label: -1, wrong: false };
  const body = make("tbody"),
    status = make("span", { role: "status" });
  const turn = (step) => {
    state.page += step;
    refresh();
  };
  const back = button(() => turn(-1), "← before"),
    on = button(() => turn(1), "next →");
  const sortBy = (number) => {
    state.down = state.by === number && !state.down;
    state.by = number;
    state.page = 0;
    refresh();
  };
  const heads = columns.map(({ title, by, number: numeric }, number) =>
    make(
      "th",
      { scope: "col", class: numeric ? "number" : null, "aria-sort": "none" },
      by ? button(() => sortBy(number), title, { class: "sort" }) : title,
    ),
  );
  function refresh() {
    const kept = order.filter(
      (place) =>
        (state.label < 0 || objects.label[place] === state.label) &&
        (!state.wrong || (objects.told[place] >= 0 && objects.told[place] !== objects.label[place])) &&
        texts[place].includes(state.text),
    );
    const by = columns[state.by].by,
      sign = state.down ? -1 : 1;
    kept.sort((a, b) => {
      const [x, y] = [by(a), by(b)];
      return x < y ? -sign : x > y ? sign : a - b;
    });
    heads.forEach((head, number) =>
      head.setAttribute("aria-sort", number !== state.by ? "none" : state.down ? "descending" : "ascending"),
    );
    const first = state.page * PAGE;
    body.replaceChildren(
      ...kept.slice(first, first + PAGE).map((place) =>
        make(
          "tr",
          {},
          columns.map(({ show, cell, number }) => (cell ? cell(place) : make("td", { class: number ? "number" : "small" }, show(place)))),
        ),
      ),
    );
    status.textContent = kept.length
      ? `${whole(first + 1)} to ${whole(Math.min(first + PAGE, kept.length))} of ${plural(kept.length, "object", "objects")}`
      : "No object is like that.";
    back.disabled = state.page === 0;
    on.disabled = first + PAGE >= kept.length;
  }
  const change = (name, read) => (event) => {
    state[name] = read(event.target);
    state.page = 0;
    refresh();
  };
  const filters = make(
    "div",
    { class: "filters" },
    make(
      "label",
      {},
      "Search",
      make("input", { type: "search", id: "search", oninput: change("text", (input) => input.value.trim().toLowerCase()) }),
    ),
    make(
      "label",
      {},
      "Label",
      make(
        "select",
        { id: "label-filter", onchange: change("label", (select) => Number(select.value)) },
        make("option", { value: "-1" }, "all"),
        classes.map((name, code) => make("option", { value: String(code) }, name)),
      ),
    ),
    make(
      "label",
      { class: "line" },
      make("input", { type: "checkbox", id: "wrong-only", onchange: change("wrong", (box) => box.checked) }),
      "only wrong answers",
    ),
  );
  const held =
    objects.index.length < objects.n
      ? `This report holds ${whole(objects.index.length)} of ${whole(objects.n)} objects: the notable ones, and others at random.`
      : `All ${plural(objects.n, "object", "objects")}.`;
  section(
    "objects",
    "Objects",
    make("p", {}, held),
    filters,
    scrolling(
      "Table of objects",
      make("table", { class: isTable ? "full rows" : "whole" }, make("thead", {}, make("tr", {}, heads)), body),
    ),
    make("div", { class: "pages" }, back, on, status),
  );
  refresh();
}
