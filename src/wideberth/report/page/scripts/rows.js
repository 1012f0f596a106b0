// Objects that are worth a look: probably mislabelled, close to a border, unlike all others, typical.
function mislabelledList(found) {
  if (found.reason) return because(found.reason);
  if (!found.index.length)
    return because(`None of ${whole(found.judged)} labels is probably wrong: where models that have not seen the object prefer another one, they are not sure enough of it.`);
  const said = (index, number) => [
    "labelled ",
    classMark(objects.label[placeOf.get(index)]),
    ", rather ",
    classMark(found.rather[number]),
    ` · probability that its label is right ${percent(found.quality[number])}`,
  ];
  const enemiesOf = (index) => (objects.near[placeOf.get(index)] || [[]])[0];
  const groups = () =>
    found.index.map((index, number) => [
      {
        index,
        said: [
          classMark(objects.label[placeOf.get(index)]),
          ", rather ",
          classMark(found.rather[number]),
          ` (${percent(found.quality[number], 0)})`,
        ],
      },
      ...enemiesOf(index).map(([other, distance]) => ({ index: other, base: index, said: [classMark(labelOf(other)), ` ${far(distance)}`] })),
    ]);
  const item = (index, number) => {
    const near = enemiesOf(index);
    const marked = facts.differences[index] || [];
    const enemies = near.map(([other, distance], i) =>
      make(
        "li",
        {},
        key(labelOf(other)),
        opener(other, marked[i] ? show(marked[i]) : null),
        make("span", { class: "far" }, far(distance)),
      ),
    );
    return make(
      "li",
      {},
      make("div", {}, opener(index)),
      make("div", { class: "soft" }, rowName(index)),
      make("div", { class: "said" }, said(index, number)),
      enemies.length
        ? make("ul", { class: "near", "aria-label": "Nearest objects that speak against the label" }, enemies)
        : null,
    );
  };
  const many = found.n > found.index.length ? ` The ${found.index.length} most doubtful:` : "";
  const marks = isTable ? " Cells that differ from its own are marked; the percentage is the probability that its label is right." : "";
  return [
    make(
      "p",
      {},
      `${plural(found.n, "label", "labels")} of ${whole(found.judged)} judged: probably wrong, by models that have not seen the object and by how often labels of each class seem to be replaced. Below each stand the nearest objects that speak against it.${marks} A doubtful label need not be wrong: the model may be.${many}`,
    ),
    ...(isTable ? rowsTable("Doubtful labels", groups()) : [someCards(found.index.map(item))].flat()),
  ];
}

function lists() {
  const { mislabelled, doubtful, novel, typical } = facts.notable;
  return [
    ["Doubtful labels", mislabelledList(mislabelled)],
    [
      "Closest to a border",
      doubtful.reason
        ? because(doubtful.reason)
        : [
            make(
              "p",
              {},
              "The two best labels have nearly the same score: a small change decides. Right or wrong, these answers deserve the least trust.",
            ),
            cards(doubtful.index, (index, number) => {
              const place = placeOf.get(index);
              return [
                classMark(objects.label[place]),
                ` · answered ${classes[objects.told[place]] ?? "–"}, lead ${short(doubtful.lead[number])}`,
              ];
            }),
          ],
    ],
    [
      "Unlike all others",
      novel.reason
        ? because(novel.reason)
        : !novel.index.length
          ? because("No object is farther from the others than usual.")
          : [
              make(
                "p",
                {},
                `${plural(novel.n, "object is", "objects are")} farther from ${novel.among} than ${percent(1 - novel.delta, 0)} of them are from their own neighbours. One in ${Math.round(1 / novel.delta)} ordinary objects lands here by chance.`,
              ),
              cards(novel.index, (index, number) => [
                classMark(objects.label[placeOf.get(index)]),
                ` · neighbour ${novel.neighbor} is ${far(novel.distance[number])} away`,
              ]),
            ],
    ],
    [
      "Typical",
      typical.reason
        ? because(typical.reason)
        : [
            make("p", {}, "The objects in the middle of each class: the smallest sum of distances to the others of it."),
            cards(typical.index, (index, number) => [
              classMark(objects.label[placeOf.get(index)]),
              ` · stands for ${plural(typical.stands_for[number], "object", "objects")}`,
            ]),
          ],
    ],
  ];
}

function rowsSection() {
  const found = lists();
  const panels = found.map(([title, content], number) =>
    make("div", { role: "tabpanel", id: `list-${number}`, "aria-labelledby": `tab-${number}`, hidden: number > 0 }, content),
  );
  const tabs = found.map(([title], number) =>
    make(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${number}`,
        "aria-controls": `list-${number}`,
        "aria-selected": String(number === 0),
        tabindex: number ? "-1" : "0",
      },
      title,
    ),
  );
  const select = (number) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === number));
      tab.tabIndex = i === number ? 0 : -1;
    });
    panels.forEach((each, i) => {
      each.hidden = i !== number;
    });
  };
  tabs.forEach((tab, number) => {
    tab.addEventListener("click", () => select(number));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (number + step + tabs.length) % tabs.length;
      select(next);
      tabs[next].focus();
    });
  });
  section(
    "rows",
    "Rows to look at",
    make("div", { class: "tabs", role: "tablist", "aria-label": "Lists of objects" }, tabs),
    panels,
  );
}

/** The three rows at the top of the page get their objects. */
function fillFirstRows() {
  for (const item of document.querySelectorAll("#check-first > li")) {
    const index = Number(item.dataset.index);
    if (objects.drawing && placeOf.has(index)) item.prepend(make("div", { class: "small" }, opener(index, isTable ? rowInLine(index) : null)));
  }
}
