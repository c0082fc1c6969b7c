// The charts of a class: scores, speedups, what went wrong.
import { barX, binX, rectY, ruleX, ruleY, text } from "@observablehq/plot";
import { drawFigure, figures, number } from "./chart.js";

const median = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
const ascending = (a, b) => a - b;

function histogram(figure, values, x, thresholds) {
  const middle = median([...values].sort(ascending));
  drawFigure(figure, figure.dataset.describe, () => ({
    height: 240, marginLeft: 44, marginRight: 16, marginTop: 26, marginBottom: 40,
    x: { labelArrow: "none", labelAnchor: "center", ...x },
    y: { label: "students", grid: true, labelArrow: "none", tickFormat: (d) => (Number.isInteger(d) ? String(d) : "") },
    marks: [
      rectY(values, binX({ y: "count" }, { x: (d) => d, thresholds, fill: "var(--yours)", insetLeft: 0.75, insetRight: 0.75 })),
      ruleY([0], { stroke: "var(--ink)" }),
      ruleX([middle], { stroke: "var(--ink)", strokeDasharray: "3 3" }),
      text([middle], { x: (d) => d, frameAnchor: "top", dy: -14, fill: "currentColor", text: (d) => `median ${number(d)}` }),
    ],
  }));
}

function drawScores(rows) {
  const shares = rows.filter((r) => r.maximum > 0).map((r) => (100 * r.points) / r.maximum);
  if (!shares.length) return;
  const tens = Array.from({ length: 11 }, (_, i) => i * 10);
  for (const figure of figures("scores")) {
    histogram(figure, shares, { label: "% of the points that count", domain: [0, 100] }, tens);
  }
}

function drawSpeedups(rows) {
  const values = rows.filter((r) => r.speedup > 0).map((r) => r.speedup);
  if (!values.length) return;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // Equal steps of the ratio: half as fast is as far from the baseline as twice as fast.
  const step = Math.max(Math.log2(high / low) / 16, Math.log2(1.05));
  const first = Math.floor(Math.log2(low) / step);
  const last = Math.max(Math.floor(Math.log2(high) / step), first) + 1;
  const edges = Array.from({ length: last - first + 1 }, (_, i) => 2 ** ((first + i) * step));
  for (const figure of figures("speedups")) {
    histogram(figure, values, { label: "speedup over naive (times)", type: "log", domain: [edges[0], edges.at(-1)],
                                ticks: 6, tickFormat: (d) => number(d) }, edges);
  }
}

function drawVerdicts(figure) {
  const rows = [...document.querySelectorAll("#verdicts tbody tr")].map((row) => ({
    words: row.cells[0].textContent.trim(), count: Number(row.cells[1].dataset.value), tone: row.dataset.tone,
  }));
  const ink = { good: "var(--good)", bad: "var(--bad)", warn: "var(--warn)", none: "var(--naive)" };
  drawFigure(figure, figure.dataset.describe, (width) => ({
    height: 26 * rows.length + 44, marginLeft: Math.min(150, width * 0.4), marginRight: 36, marginTop: 4, marginBottom: 38,
    x: { label: "students", labelArrow: "none", labelAnchor: "center", grid: true, ticks: 5, tickFormat: (d) => (Number.isInteger(d) ? String(d) : "") },
    y: { label: null, domain: rows.map((d) => d.words), tickSize: 0 },
    marks: [
      barX(rows, { x: "count", y: "words", fill: (d) => ink[d.tone], insetTop: 4, insetBottom: 4 }),
      text(rows, { x: "count", y: "words", text: (d) => String(d.count), dx: 5, textAnchor: "start", fill: "currentColor" }),
    ],
  }));
}

export function drawClass(rows) {
  drawScores(rows);
  drawSpeedups(rows);
  for (const figure of figures("verdicts")) drawVerdicts(figure);
}
