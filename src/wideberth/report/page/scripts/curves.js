// Shares against radii, and risks against settings.
function certifiedFigure() {
  const found = facts.certified;
  if (found.reason) return because(found.reason);
  const unit = found.unit || "distance",
    stepped = found.step !== null;
  const points = found.radii.map((radius, i) => ({
    radius,
    share: found.certified[i],
    attacked: found.attacked ? found.attacked[i] : null,
  }));
  const curve = stepped ? "step-after" : "linear";
  const place = make("div");
  fitted(place, (width) =>
    place.replaceChildren(
      chart({
        width,
        height: 300,
        marginLeft: 48,
        marginBottom: 42,
        ariaLabel: "Certified accuracy against the radius",
        x: {
          label: stepped ? `changes of up to so many ${unit}s →` : "changes of up to this distance →",
          ...(stepped ? { ticks: found.radii, tickFormat: short } : {}),
        },
        y: { label: "↑ right, and still right (%)", domain: [0, 100], percent: true, grid: true },
        marks: [
          found.attacked
            ? Plot.areaY(points, { x: "radius", y1: "share", y2: "attacked", curve, fill: "var(--c6)", fillOpacity: 0.18 })
            : null,
          Plot.areaY(points, { x: "radius", y: "share", curve, fill: "var(--accent)", fillOpacity: 0.16 }),
          Plot.line(points, { x: "radius", y: "share", curve, stroke: "var(--accent)", strokeWidth: 2.5 }),
          found.attacked
            ? Plot.line(points, {
                x: "radius",
                y: "attacked",
                curve,
                stroke: "var(--c6)",
                strokeWidth: 2,
                strokeDasharray: "5 4",
              })
            : null,
          Plot.ruleY([0], { stroke: "var(--soft)" }),
        ],
      }),
    ),
  );
  const attacks = found.attacked
    ? `The dashed line estimates an upper limit: attacks on ${whole(found.n_attacked)} of them, each of up to ${whole(found.questions)} changed objects, found no change that gives another label. Between the lines nothing is known.`
    : found.no_attack;
  const caption = `The share of ${whole(found.n)} objects, new to the model that answered, whose answer is right and proved to stay so under every change up to the radius. ${attacks}`;
  const rows = () =>
    points.map(({ radius, share, attacked }) => [radius, percent(share), attacked === null ? "–" : percent(attacked)]);
  const keys = make(
    "p",
    { class: "keys" },
    make("b", { style: "color: var(--accent)" }, "━ proved"),
    found.attacked ? make("b", { style: "color: var(--c6)" }, "┅ not refuted by attacks") : null,
  );
  return figure([keys, place], caption, [stepped ? `${unit}s` : "distance", "proved", "not refuted by attacks"], rows);
}

function proofs() {
  const { proved, others, together, reason } = facts.certificate;
  const one = (certificate) =>
    make(
      "div",
      { class: "proof" },
      make("p", {}, make("b", {}, certificate.statement)),
      make(
        "p",
        { class: "soft" },
        `${certificate.kind}${certificate.confidence === null ? "" : `, with confidence ${percent(certificate.confidence, 0)}`}${certificate.vacuous ? "; vacuous: guessing does as well" : ""}. It holds if:`,
      ),
      make(
        "ul",
        {},
        certificate.assumptions.map((assumption) => make("li", {}, assumption)),
      ),
    );
  if (!proved) return because(`Nothing is proved about the error. ${reason || ""}`);
  const more = others.length
    ? make(
        "details",
        {},
        make("summary", {}, plural(others.length, "other certificate", "other certificates")),
        others.map(one),
        together ? make("p", { class: "soft" }, together) : null,
      )
    : null;
  return [one(proved), more];
}

function trustSection() {
  section(
    "trust",
    "How far to trust it",
    make("h3", {}, "What is proved about its error"),
    proofs(),
    make("h3", {}, "How much change the answers survive"),
    certifiedFigure(),
    classErrors(),
  );
}

function classErrors() {
  const rows = facts.error.by_class;
  if (!rows.length) return null;
  const worst = Math.max(...rows.map((row) => row.wrong / row.n), 0.01);
  return [
    make("h3", {}, "Errors by class"),
    make(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Errors by class" },
      table(
        ["class", "objects", "wrong", "share"],
        rows.map(({ name, n, wrong }, i) => [
          classMark(classes.indexOf(name)),
          n,
          wrong,
          make("span", {}, make("span", { class: "bar", style: `width: ${(8 * wrong) / n / worst}rem` }), percent(wrong / n)),
        ]),
      ),
    ),
  ];
}

function settingsFigure() {
  const found = facts.settings;
  if (found.reason) return because(found.reason);
  const points = found.curves
    .flatMap(({ name, settings, risks }) => settings.map((setting, i) => ({ name, setting, risk: risks[i] })))
    .filter(({ setting, risk }) => setting !== null && risk !== null);
  const names = found.curves.map(({ name }) => name),
    place = make("div");
  fitted(place, (width) =>
    place.replaceChildren(
      chart({
        width,
        height: 280,
        marginLeft: 52,
        marginBottom: 42,
        ariaLabel: `${found.risk} against ${found.setting}`,
        x: { label: `${found.setting}${found.unit ? `, in ${found.unit}s` : ""} →`, type: found.log ? "log" : "linear" },
        y: { label: `↑ ${found.risk} (%)`, percent: true, grid: true, zero: true },
        color: { type: "ordinal", domain: names, range: names.map((_, i) => line(i)) },
        marks: [
          Plot.ruleX(found.taken === null ? [] : [found.taken], { stroke: "var(--ink)", strokeDasharray: "3 3" }),
          Plot.line(points, { x: "setting", y: "risk", z: "name", stroke: "name", strokeWidth: 1.8 }),
          points.length <= 60 ? Plot.dot(points, { x: "setting", y: "risk", fill: "name", r: 2.5 }) : null,
        ],
      }),
    ),
  );
  const key =
    names.length > 1
      ? make(
          "p",
          { class: "soft" },
          names.map((name, i) => [make("span", { style: `color: ${line(i)}; font-weight: 700` }, "— "), name || "all", "   "]),
        )
      : null;
  return [
    figure(
      place,
      `The dashed line is what was taken: ${short(found.taken)}. The lowest point of such a curve is a little too low, because it is the best of many.`,
      ["setting", "value", "risk"],
      () => points.map(({ name, setting, risk }) => [name || found.setting, setting, percent(risk)]),
    ),
    key,
  ];
}

function choiceSection() {
  const found = facts.leaderboard;
  const parts = [];
  if (found.reason) parts.push(because(found.reason));
  else {
    const worst = Math.max(...found.rows.map((row) => row.error ?? 0), 0.01);
    const rows = found.rows.map((row) => [
      row.family,
      row.metric,
      row.error === null
        ? "–"
        : make(
            "span",
            {},
            make("span", { class: "bar", style: `width: ${(6 * row.error) / worst}rem` }),
            `${percent(row.error)} ± ${percent(row.standard_error)}`,
          ),
      row.safe === "-" ? "–" : row.safe,
      row.objects_kept === null ? "–" : row.objects_kept,
      row.an_answer === "-" ? "–" : row.an_answer,
      row.why,
    ]);
    const drawn = table(
      ["method", "distance", "error on objects left out", "proved safe", "kept", "an answer", "why"],
      rows,
      { class: "full" },
    );
    drawn.querySelector("tbody tr")?.classList.add("winner");
    parts.push(
      make("p", {}, found.choice),
      make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Leaderboard" }, drawn),
    );
  }
  section(
    "choice",
    "How it was chosen",
    parts,
    make("h3", {}, "The setting"),
    settingsFigure(),
    make(
      "details",
      {},
      make("summary", {}, "The model in its own words"),
      facts.learned.summary.map((line) => make("p", {}, line)),
    ),
  );
}
