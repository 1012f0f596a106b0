// The marks of Observable Plot that a report draws; esbuild leaves out all others.
export { plot, dot, line, areaY, rectY, barX, cell, text, ruleX, ruleY, axisX, axisY, gridX, gridY } from "@observablehq/plot";
