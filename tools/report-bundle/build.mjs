// Bundles marks.js into one file, byte for byte the same in every run, and collects the licences of what is inside.
//   node build.mjs FOLDER      writes plot.js and plot-licences.txt into FOLDER
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".";
const { metafile, outputFiles } = await build({
  entryPoints: ["marks.js"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "Plot",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  write: false,
});

const used = new Map();
for (const [path, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0].inputs)) {
  const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found && bytesInOutput) used.set(found[1], join("node_modules", found[1]));
}
const notices = [...used]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, place]) => {
    const { version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    const file = readdirSync(place).find((each) => /^licen[cs]e/i.test(each));
    const text = file ? readFileSync(join(place, file), "utf8").trim() : `License: ${license}`;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });

const head = "/*! Observable Plot and the parts of D3 that it needs; licences: plot-licences.txt */\n";
writeFileSync(join(folder, "plot.js"), head + outputFiles[0].text);
writeFileSync(
  join(folder, "plot-licences.txt"),
  `plot.js is made of these packages.\n\n${notices.join(`\n${"-".repeat(78)}\n\n`)}`,
);
