// What the doctor says of the distance.
const AXIOMS = {
  finite: "is not always finite",
  nonnegative: "is sometimes negative",
  zero_self: "is not 0 from an object to itself",
  zero_equal: "is not 0 between equal objects",
  symmetric: "depends on the direction",
  triangle: "breaks the triangle inequality",
};
const NEEDS = { obeys_triangle: "the triangle inequality", hilbertian: "a Hilbertian metric", negative_type: "negative type" };

function distanceSection() {
  const found = facts.doctor;
  if (found.reason) {
    section("distance", "The distance", because(found.reason));
    return;
  }
  const verdict =
    found.is_metric === true
      ? "is a metric"
      : found.is_metric === false
        ? "is not a metric"
        : "is not known to be a metric; these objects show nothing against it";
  const lines = [
    `The ${facts.learned.metric} ${verdict}: ${plural(found.examined, "object", "objects")} and all their ${whole(found.triangles)} triangles were examined.`,
  ];
  for (const broken of found.violations)
    lines.push(
      `It ${AXIOMS[broken.axiom] || broken.axiom} in ${percent(broken.share, 2)} of the cases${broken.rows.length ? `, such as ${broken.rows.join(", ")}` : ""}.`,
    );
  if (found.spread) {
    const { smallest, lower, median, upper, largest, zero_pairs: zero } = found.spread;
    lines.push(
      `Half of all distances lie between ${short(lower)} and ${short(upper)}; the smallest is ${short(smallest)}, the median ${short(median)}, the largest ${short(largest)}.`,
    );
    if (zero) lines.push(`${plural(zero, "pair is", "pairs are")} at distance 0.`);
  }
  if (found.hubs && found.hubs.skewness > 1)
    lines.push(
      `There are hubs: ${rowName(found.hubs.row)} is among the ${found.hubs.k} nearest of ${found.hubs.most} others, and ${percent(found.hubs.orphans, 0)} of the objects are among the nearest of none.`,
    );
  if (found.nearest_error !== null)
    lines.push(`The nearest neighbour alone errs on ${percent(found.nearest_error)} of the examined objects.`);
  if (found.n_conflicts) lines.push(`${plural(found.n_conflicts, "pair", "pairs")} of equal objects have different labels.`);
  const methods = found.methods.map(({ method, valid, missing, without }) => [
    method,
    make(
      "span",
      { class: valid === true ? "right" : valid === false ? "wrong" : null },
      valid === true ? "✓ yes" : valid === false ? "✗ no" : "not known",
    ),
    valid === true ? "" : `needs ${missing.map((need) => NEEDS[need] || need).join(", ")}${without ? `; ${without}` : ""}`,
  ]);
  section(
    "distance",
    "The distance",
    lines.map((line) => make("p", {}, line)),
    make(
      "details",
      { open: found.is_metric !== true },
      make("summary", {}, "Which methods are valid on it"),
      make(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": "Valid methods" },
        table(["method", "valid", "why not"], methods),
      ),
    ),
    found.repairs.length
      ? make(
          "p",
          {},
          `Repairs that work on these objects, for methods that need what the distance lacks: ${found.repairs.map(({ name, detail }) => `${name} (${detail})`).join("; ")}.`,
        )
      : null,
  );
}
