// The table of all objects that the report holds, with a search, filters and an order.
const PAGE = 25;
const LAST_TEXT = 3; // the columns after it are numbers

function objectsSection() {
  const order = objects.index.map((_, place) => place);
  const texts = objects.index.map((index, place) =>
    `${rowName(index)} ${altOf(index)} ${classes[objects.label[place]]}`.toLowerCase(),
  );
  const columns = [
    ["row", (place) => objects.index[place], (place) => rowName(objects.index[place])],
    ["object", null, (place) => opener(objects.index[place])],
    ["label", (place) => classes[objects.label[place]], (place) => classMark(objects.label[place])],
    [
      "answer",
      (place) => (objects.told[place] < 0 ? "" : classes[objects.told[place]]),
      (place) =>
        objects.told[place] < 0
          ? "–"
          : make(
              "span",
              {},
              classMark(objects.told[place]),
              objects.told[place] === objects.label[place] ? "" : make("span", { class: "wrong" }, " ✗"),
            ),
    ],
    [
      "probability of its label",
      (place) => objects.quality[place] ?? 2,
      (place) => (objects.quality[place] === null ? "–" : percent(objects.quality[place])),
    ],
    ["lead", (place) => objects.lead[place] ?? 1e99, (place) => short(objects.lead[place])],
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
  const heads = columns.map(([title, by], number) =>
    make(
      "th",
      { scope: "col", class: number > LAST_TEXT ? "number" : null, "aria-sort": "none" },
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
    const by = columns[state.by][1],
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
          columns.map(([, , content], number) => make("td", { class: number > LAST_TEXT ? "number" : "small" }, content(place))),
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
    make(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of objects" },
      make("table", { class: "full" }, make("thead", {}, make("tr", {}, heads)), body),
    ),
    make("div", { class: "pages" }, back, on, status),
  );
  refresh();
}
