// The charts of one result: where it is wrong, time and bandwidth against size, the roofline, memory traffic.
import { barX, cell, dot, lineY, line, ruleY, text, tip, pointer } from "@observablehq/plot";
import { drawFigure, figures, number } from "./chart.js";

const subjects = ["naive", "yours", "tuned"];
const style = {
  color: { domain: subjects, range: ["var(--naive)", "var(--yours)", "var(--tuned)"] },
  symbol: { domain: subjects, range: ["square", "circle", "diamond2"] },
};
const dash = (who) => ({ naive: "5 4", yours: null, tuned: "1.5 3" })[who];

// ---- Where it is wrong ----

function drawMap(figure, map) {
  const rows = map.rows;
  const wide = rows[0].length;
  const cells = rows.flatMap((row, y) => [...row].map((digit, x) => ({ x, y, share: Number(digit) / 9 })));
  const isVector = rows.length === 1;
  const position = (tile, size) => tile * size;
  // A tick where a round number of tiles ends, at most six of them.
  const ticks = (count) => {
    const step = [1, 2, 5, 10, 20, 25].find((one) => count / one <= 6) ?? 50;
    return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
  };
  drawFigure(figure, figure.dataset.describe, (width) => {
    const side = Math.max(3, Math.min(18, (width - 64) / wide, isVector ? 18 : 340 / rows.length));
    return {
      width: Math.round(side * wide + 64),
      height: Math.round((isVector ? 34 : side * rows.length) + 40),
      marginLeft: 48,
      marginRight: 16,
      marginTop: 6,
      marginBottom: 34,
      padding: 0,
      x: { domain: Array.from({ length: wide }, (_, i) => i), tickFormat: (t) => position(t, map.tile_columns), ticks: ticks(wide),
           label: figure.dataset.along, labelAnchor: "center", labelArrow: "none", tickSize: 3 },
      y: { domain: rows.map((_, i) => i), axis: isVector ? null : "left", tickFormat: (t) => position(t, map.tile_rows), ticks: ticks(rows.length),
           label: "row", labelArrow: "none", tickSize: 3 },
      marks: [
        cell(cells, { x: "x", y: "y", inset: side > 6 ? 0.5 : 0,
          fill: (d) => (d.share ? "var(--bad)" : "var(--right)"), fillOpacity: (d) => (d.share ? 0.35 + 0.65 * d.share : 1) }),
      ],
      opacity: { type: "identity" },
    };
  });
}

// ---- Time, bandwidth, roofline ----

function sizeScale(timings) {
  const names = Object.keys(timings[0].dims);
  if (names.length === 1) {
    return { of: (t) => t.dims[names[0]], scale: { type: "log", label: names[0], grid: false } };
  }
  const words = (t) => {
    const sizes = Object.values(t.dims);
    return sizes.every((s) => s === sizes[0]) ? `${sizes[0]}` : sizes.join("\u00d7");
  };
  const domain = timings.map(words);
  // Long words need room: they lean where they would meet.
  const lean = domain.some((word) => word.length > 6);
  return { of: words, scale: { type: "point", domain, label: names.join(", "), padding: 0.3, ...(lean ? { tickRotate: -25 } : {}) } };
}

// One row a size and subject. All subjects do the same work, so bandwidth and rate follow from the times.
function seriesOf(timings, x) {
  return timings.flatMap((t) => {
    const own = t.student.median_ms;
    const times = { naive: t.baseline.median_ms, yours: own, tuned: t.tuned_share > 0 ? own * t.tuned_share : null };
    return subjects
      .filter((who) => times[who] > 0)
      .map((who) => ({
        who,
        x: x(t),
        ms: times[who],
        gb_s: t.bandwidth_median_gb_s ? (t.bandwidth_median_gb_s * own) / times[who] : null,
        gflops: t.gflops_median ? (t.gflops_median * own) / times[who] : null,
      }));
  });
}

const curve = (rows, x, y, words) => [
  ...subjects.map((who) =>
    lineY(rows.filter((d) => d.who === who), { x, y, stroke: "who", strokeWidth: who === "yours" ? 2.25 : 1.5, strokeDasharray: dash(who) })),
  dot(rows, { x, y, fill: "who", symbol: "who", r: 4 }),
  tip(rows, pointer({ x, y, title: words })),
];

const frame = (scale) => ({ height: scale.tickRotate ? 290 : 260, marginLeft: 52, marginBottom: scale.tickRotate ? 70 : 40, marginRight: 20, marginTop: 24 });

const timeWords = (ms) => (ms < 1 ? `${number(ms * 1000)} \u00b5s` : `${number(ms)} ms`);

function drawTime(figure, rows, scale) {
  drawFigure(figure, figure.dataset.describe, () => ({
    ...frame(scale),
    x: scale,
    y: { type: "log", label: "median time (ms)", grid: true, labelArrow: "none", tickFormat: (d) => number(d) },
    ...style,
    marks: curve(rows, "x", "ms", (d) => `${d.who}\n${timeWords(d.ms)}`),
  }));
}

function drawBandwidth(figure, rows, scale, copy) {
  const shown = rows.filter((d) => d.gb_s);
  // A kernel that is bound by arithmetic stays far below what a copy moves.
  const log = copy > 3 * Math.max(...shown.map((d) => d.gb_s));
  drawFigure(figure, figure.dataset.describe, () => ({
    ...frame(scale),
    x: scale,
    y: { label: "effective bandwidth (GB/s)", grid: true, labelArrow: "none", ...(log ? { type: "log", tickFormat: (d) => number(d) } : { zero: true }) },
    ...style,
    marks: [
      ...(copy ? [
        ruleY([copy], { stroke: "var(--ink)", strokeWidth: 1 }),
        text([copy], { y: (d) => d, frameAnchor: "left", dx: 4, dy: 9, textAnchor: "start", fill: "var(--dim)",
                       text: (d) => `a copy: ${number(d, 4)}` }),
      ] : []),
      ...curve(shown, "x", "gb_s", (d) => `${d.who}\n${number(d.gb_s)} GB/s`),
    ],
  }));
}

function drawRoofline(figure, rows, copy, peak) {
  const points = rows.filter((d) => d.gb_s && d.gflops).map((d) => ({ ...d, intensity: d.gflops / d.gb_s }));
  const at = points.map((d) => d.intensity);
  const low = Math.min(...at, peak ? peak / copy : Infinity) / 3;
  const high = Math.max(...at, peak ? peak / copy : 0) * 3;
  const knee = peak ? peak / copy : high;
  const roof = [
    { x: low, y: low * copy },
    { x: Math.min(knee, high), y: Math.min(knee, high) * copy },
    ...(peak && high > knee ? [{ x: high, y: peak }] : []),
  ];
  drawFigure(figure, figure.dataset.describe, () => ({
    height: 320, marginLeft: 60, marginBottom: 40, marginRight: 20, marginTop: 24,
    x: { type: "log", label: "work for each byte (FLOP/byte)", labelArrow: "none", labelAnchor: "center", domain: [low, high], tickFormat: (d) => number(d) },
    y: { type: "log", label: "GFLOPS", grid: true, domain: [Math.min(...points.map((d) => d.gflops), roof[0].y) / 1.3, Math.max(...points.map((d) => d.gflops), ...roof.map((d) => d.y))], labelArrow: "none", tickFormat: (d) => number(d, 2) },
    ...style,
    marks: [
      line(roof, { x: "x", y: "y", stroke: "var(--ink)", strokeWidth: 1.5 }),
      text([roof[0]], { x: "x", y: "y", dx: 18, textAnchor: "start", fill: "var(--dim)", text: () => `a copy: ${number(copy, 4)} GB/s` }),
      ...(peak ? [text([roof.at(-1)], { x: "x", y: "y", dy: -7, textAnchor: "end", fill: "var(--dim)",
                                        text: () => `vendor's BLAS: ${number(peak, 4)} GFLOPS` })] : []),
      dot(points, { x: "intensity", y: "gflops", fill: "who", symbol: "who", r: 5 }),
      tip(points, pointer({ x: "intensity", y: "gflops", title: (d) => `${d.who}, ${d.x}\n${number(d.gflops)} GFLOPS\n${number(d.gb_s)} GB/s` })),
    ],
  }));
}

function drawTimings(timings) {
  // In order of the work, so that a line means something where sizes have several dimensions.
  const measured = timings.filter((t) => !t.emulated && t.student.median_ms > 0).sort((a, b) => a.baseline.median_ms - b.baseline.median_ms);
  if (!measured.length) return;
  const { of, scale } = sizeScale(measured);
  const rows = seriesOf(measured, of);
  const axis = { ...scale, labelArrow: "none", labelAnchor: "center" };
  const most = (name) => Math.max(0, ...measured.map((t) => t[name] ?? 0));
  for (const figure of figures("time")) drawTime(figure, rows, axis);
  for (const figure of figures("bandwidth")) drawBandwidth(figure, rows, axis, most("copy_gb_s"));
  for (const figure of figures("roofline")) drawRoofline(figure, rows, most("copy_gb_s"), most("blas_gflops"));
}

// ---- Memory traffic ----

function drawTraffic(figure) {
  const bars = JSON.parse(figure.dataset.bytes);
  const rows = subjects.filter((who) => bars[who] !== undefined).map((who) => ({ who, bytes: bars[who] }));
  const unit = Math.max(...rows.map((d) => d.bytes)) >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
  drawFigure(figure, figure.dataset.describe, () => ({
    height: 34 * rows.length + 44, marginLeft: 56, marginRight: 56, marginTop: 4, marginBottom: 38,
    x: { label: `read from global memory (${unit[1]})`, grid: true, labelArrow: "none", labelAnchor: "center", nice: true, ticks: 5 },
    y: { label: null, domain: rows.map((d) => d.who), tickSize: 0 },
    color: style.color,
    marks: [
      barX(rows, { x: (d) => d.bytes / unit[0], y: "who", fill: "who", insetTop: 5, insetBottom: 5 }),
      text(rows, { x: (d) => d.bytes / unit[0], y: "who", text: (d) => number(d.bytes / unit[0]), dx: 5, textAnchor: "start", fill: "currentColor" }),
    ],
  }));
}

export function drawStudent(result) {
  for (const figure of figures("map")) {
    const map = result.correctness.cases[Number(figure.dataset.case)]?.wrong_map;
    if (map) drawMap(figure, map);
  }
  drawTimings(result.timing);
  for (const figure of figures("traffic")) drawTraffic(figure);
}
