"use strict";
// From a study's embedded figures to Plotly traces and layouts. Pure: nothing here touches the page.

const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "pentagon"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "5px,2px,1px,2px", "10px,4px"];
// The same looks for the legend, which is text and not part of the plot.
const GLYPHS = ["●", "■", "◆", "▲", "✚", "✖", "★", "⬟"];
const STROKES = ["none", "9 5", "3 3", "9 3 3 3", "13 4", "13 4 3 4", "5 2 1 2", "10 4"];
const DOTS_MAX = 60; // single trials drawn per configuration
const NARROW = 560; // px; below this, plots stack and drop side labels

// Plotly reads tags and entities in labels; text from records must stay text.
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

function figureText(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return value.toLocaleString("en", digits).replace(/,/g, "\u202f");
}

const intervalText = ([point, low, high]) =>
  low === null ? `${figureText(point)} (no interval)` : `${figureText(point)} (${figureText(low)} … ${figureText(high)})`;

// The factor and the unit in which a metric is plotted.
function scaleOf(metric) {
  const points = metric.means.filter(Boolean).map(([mean]) => Math.abs(mean ?? 0));
  const most = Math.max(0, ...points);
  if (metric.unit === "of 1") return { factor: 100, unit: "%" };
  if (metric.unit !== "B") return { factor: 1, unit: metric.unit };
  const step = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([size]) => most >= size) ?? [1, "B"];
  return { factor: 1 / step[0], unit: step[1] };
}

function axisTitle(metric, unit) {
  return unit === "" || metric.title.endsWith(unit) ? metric.title : `${metric.title}, ${unit}`;
}

function baseLayout(theme, height) {
  return {
    height, autosize: true, dragmode: false, hovermode: "closest", separators: ".\u202f",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: theme.font, size: 13, color: theme.ink },
    margin: { l: 12, r: 14, t: 8, b: 48, pad: 4 },
    hoverlabel: { bgcolor: theme.raised, bordercolor: theme.line, font: { color: theme.ink, family: theme.font } },
    showlegend: false, shapes: [],
  };
}

const axis = (theme, more) => ({
  gridcolor: theme.line, linecolor: theme.line, zeroline: false, automargin: true, fixedrange: true,
  tickangle: 0, tickformat: ",.6~r", ticks: "", ...more,
  title: { text: plain(more.title ?? ""), font: { size: 13, color: theme.quiet }, standoff: 12 },
});

// Rows from top to bottom, every second one shaded.
function rowAxis(theme, labels, more = {}) {
  return axis(theme, {
    tickvals: labels.map((_, row) => row), ticktext: labels.map(plain), range: [labels.length - 0.5, -0.5],
    showgrid: false, tickformat: "", ...more,
  });
}

const stripes = (theme, count, yref = "y", xref = "x domain") =>
  Array.from({ length: count }, (_, row) => row).filter((row) => row % 2 === 0).map((row) => ({
    type: "rect", layer: "below", xref, yref, x0: 0, x1: 1, y0: row - 0.5, y1: row + 0.5,
    fillcolor: theme.raised, line: { width: 0 },
  }));

// What the legend above a plot says: one entry per series, as a mark or as a line.
const seriesLegend = (study, kind) => (study.series.factor
  ? study.series.levels.map((level, look) => ({ kind, look, text: `${study.series.factor} = ${level}` }))
  : []);
const rowsLegend = (study) => (study.rows.factors ? [{ kind: "rows", text: `rows: ${study.rows.factors}` }] : []);

const offset = (study, index) => {
  const count = study.series.levels.length;
  return (index - (count - 1) / 2) * Math.min(0.3, 0.7 / count);
};

const rowHeight = (study) => Math.max(26, 13 * study.series.levels.length);

// Means with intervals, one trace per series.
function meanTraces(study, metric, theme, axes) {
  const { factor, unit } = scaleOf(metric);
  return study.series.levels.map((_, series) => {
    const cells = study.cells.map((cell, index) => ({ ...cell, mean: metric.means[index] }))
      .filter((cell) => cell.series === series && cell.mean && cell.mean[0] !== null);
    const scaled = cells.map((cell) => cell.mean.map((bound) => (bound === null ? null : bound * factor)));
    return {
      type: "scatter", mode: "markers", ...axes,
      x: scaled.map(([point]) => point), y: cells.map((cell) => cell.row + offset(study, series)),
      error_x: {
        type: "data", symmetric: false, thickness: 2, width: 0, color: theme.series[series],
        array: scaled.map(([point, , high]) => (high === null ? 0 : high - point)),
        arrayminus: scaled.map(([point, low]) => (low === null ? 0 : point - low)),
      },
      marker: { size: 9, symbol: SYMBOLS[series], color: theme.series[series], line: { width: 1, color: theme.paper } },
      text: cells.map((cell, index) => `${plain(cell.label)}<br>${plain(metric.title)} ${intervalText(scaled[index])} ${unit}<br>n = ${cell.n}`),
      hoverinfo: "text",
    };
  });
}

// Single trials, faint, behind the means.
function trialTraces(study, metric, theme) {
  const { factor, unit } = scaleOf(metric);
  return study.series.levels.map((_, series) => {
    const x = [], y = [], text = [];
    study.cells.forEach((cell, index) => {
      if (cell.series !== series || !metric.rounds[index]) return;
      const rounds = metric.rounds[index];
      const step = Math.max(1, Math.ceil(rounds.length / DOTS_MAX));
      rounds.filter((_, place) => place % step === 0).forEach(([round, value, outlier]) => {
        x.push(value * factor);
        y.push(cell.row + offset(study, series));
        text.push(`${plain(cell.label)}<br>round ${round}: ${figureText(value * factor)} ${unit}${outlier ? "<br>outlier" : ""}`);
      });
    });
    return {
      type: "scatter", mode: "markers", x, y, text, hoverinfo: "text",
      marker: { size: 5, color: theme.series[series], opacity: 0.35 },
    };
  });
}

function valueAxis(theme, metric, more = {}) {
  const { unit } = scaleOf(metric);
  const points = metric.means.filter((mean) => mean && mean[0] !== null).map(([mean]) => mean);
  const wide = Math.max(...points) > 3 * Math.min(...points) || points.every((point) => point === points[0]);
  return axis(theme, { title: axisTitle(metric, unit), rangemode: wide ? "tozero" : "normal", nticks: 7, ...more });
}

function drawHeadline(study, state, theme) {
  const metric = study.metrics[state.metric];
  const rows = study.rows.labels;
  const layout = baseLayout(theme, rows.length * rowHeight(study) + 70);
  layout.xaxis = valueAxis(theme, metric);
  layout.yaxis = rowAxis(theme, rows);
  layout.shapes = stripes(theme, rows.length);
  const traces = [...trialTraces(study, metric, theme), ...meanTraces(study, metric, theme, {})];
  return { traces, layout, legend: [...seriesLegend(study, "mark"), ...rowsLegend(study)] };
}

function drawMechanism(study, state, theme, width) {
  const names = study.mechanism;
  const rows = study.rows.labels;
  const narrow = width < 760;
  const panel = rows.length * rowHeight(study);
  const layout = baseLayout(theme, narrow ? names.length * (panel + 64) + 24 : panel + 70);
  const traces = [];
  names.forEach((name, index) => {
    const suffix = index === 0 ? "" : String(index + 1);
    const metric = study.metrics[name];
    const share = 1 / names.length;
    const gap = narrow ? 64 / (names.length * (panel + 64)) : 0.04;
    const value = valueAxis(theme, metric, { rangemode: "tozero", nticks: 5 });
    if (narrow) {
      value.anchor = `y${suffix}`;
      layout[`yaxis${suffix}`] = rowAxis(theme, rows, { domain: [1 - (index + 1) * share + gap, 1 - index * share] });
    } else {
      value.domain = [index * share + (index ? gap / 2 : 0), (index + 1) * share - gap / 2];
      layout.yaxis = rowAxis(theme, rows);
    }
    layout[`xaxis${suffix}`] = value;
    const yref = narrow ? `y${suffix}` : "y";
    layout.shapes.push(...stripes(theme, rows.length, yref, `x${suffix} domain`));
    traces.push(...meanTraces(study, metric, theme, { xaxis: `x${suffix}`, yaxis: yref }));
  });
  return { traces, layout, legend: [...seriesLegend(study, "mark"), ...rowsLegend(study)] };
}

// Ratio ticks, at most `most` of them: even steps near 1, the 1-2-5 series where ratios are far apart.
function ratioTicks(low, high, most) {
  if (high / low < 2.2) {
    const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((size) => (high - low) / size < most) ?? 0.5;
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toFixed(4)));
  }
  const even = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6].filter((tick) => tick >= low && tick <= high);
  if (high / low < 9 && even.length <= most) return even;
  const decades = [-3, -2, -1, 0, 1, 2, 3].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
  const all = decades.filter((tick) => tick >= low && tick <= high);
  return all.length <= most ? all : all.filter((tick) => Math.log10(tick) % 1 === 0);
}

// Cells as `group_size=1 reads_per_commit=16` share their keys: the keys are said once, the rows keep the values.
function shortLabels(labels) {
  const pairs = labels.map((label) => label.split(" ").map((part) => part.split("=")));
  const keys = (pairs[0] ?? []).map(([key]) => key);
  const alike = pairs.every((parts) => parts.length === keys.length && parts.every((part, index) => part.length === 2 && part[0] === keys[index]));
  if (!alike) return { rows: "", labels };
  return { rows: keys.join(" · "), labels: pairs.map((parts) => parts.map(([, value]) => value).join(" · ")) };
}

function drawForest(study, state, theme, width, item) {
  const finding = study.findings[item];
  const cells = finding.cells.filter(([, ratio]) => ratio[0] > 0);
  const short = shortLabels(cells.map(([label]) => label));
  const rows = [["main effect", finding.ratio], ...cells];
  const noise = finding.noise ?? 1;
  const bounds = rows.flatMap(([, [point, low, high]]) => [point, low ?? point, high ?? point]).filter((bound) => bound > 0);
  const low = Math.min(...bounds, 1 / noise, 0.985), high = Math.max(...bounds, noise, 1.015);
  const margin = 0.06 * Math.log(high / low);
  const range = [Math.log(low) - margin, Math.log(high) + margin];
  const ticks = ratioTicks(Math.exp(range[0]), Math.exp(range[1]), 5);
  const layout = baseLayout(theme, rows.length * 25 + 64);
  const title = finding.direction ? `ratio (${finding.direction})` : "ratio";
  layout.xaxis = axis(theme, { title, range, tickformat: "", tickvals: ticks.map(Math.log), ticktext: ticks.map((tick) => `×${tick}`) });
  layout.yaxis = rowAxis(theme, rows, { ticktext: ["<b>main effect</b>", ...short.labels.map((label) => plain(label || "all"))] });
  layout.shapes = [
    { type: "rect", layer: "below", xref: "x", yref: "paper", x0: -Math.log(noise), x1: Math.log(noise), y0: 0, y1: 1, fillcolor: theme.line, opacity: 0.7, line: { width: 0 } },
    { type: "line", layer: "below", xref: "x", yref: "paper", x0: 0, x1: 0, y0: 0, y1: 1, line: { color: theme.ink, width: 1 } },
  ];
  const part = (chosen, start, style) => ({
    type: "scatter", mode: "markers", hoverinfo: "text", ...style,
    x: chosen.map(([, [point]]) => Math.log(point)), y: chosen.map((_, index) => start + index),
    error_x: {
      type: "data", symmetric: false, width: 0, thickness: start === 0 ? 2.5 : 1.5, color: style.marker.color,
      array: chosen.map(([, [point, , upper]]) => (upper === null ? 0 : Math.log(upper / point))),
      arrayminus: chosen.map(([, [point, lower]]) => (lower === null ? 0 : Math.log(point / lower))),
    },
    text: chosen.map(([label, ratio]) => `${plain(label || "all")}<br>×${intervalText(ratio)}`),
  });
  const traces = [
    part(rows.slice(0, 1), 0, { marker: { symbol: "diamond", size: 13, color: theme.accent } }),
    part(rows.slice(1), 1, { marker: { symbol: "circle", size: 7, color: theme.quiet } }),
  ];
  if (width >= 380) {
    layout.yaxis2 = { ...layout.yaxis, overlaying: "y", side: "right", title: undefined, ticktext: rows.map(([, ratio], index) => (index === 0 ? `<b>${intervalText(ratio)}</b>` : intervalText(ratio))) };
    traces.push({ type: "scatter", mode: "markers", x: [0], y: [0], yaxis: "y2", opacity: 0, hoverinfo: "skip" });
  }
  return { traces, layout, legend: short.rows ? [{ kind: "rows", text: `rows: ${short.rows}` }] : [] };
}

// 1, 2, 5 × 10ᵏ microseconds between two bounds, as people say them.
function latencyTicks(low, high) {
  const within = (digits) => {
    const ticks = [];
    for (let power = -2; power <= 9; power += 1) digits.forEach((digit) => ticks.push(digit * 10 ** power));
    return ticks.filter((tick) => tick >= low && tick <= high);
  };
  const inside = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9]].map(within).find((ticks) => ticks.length >= 4)
    ?? within([1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9]);
  const text = (tick) => (tick >= 1e6 ? `${tick / 1e6} s` : tick >= 1e3 ? `${tick / 1e3} ms` : tick >= 1 ? `${tick} µs` : `${Math.round(tick * 1e3)} ns`);
  return { vals: inside.map(Math.log10), text: inside.map((tick) => text(Number(tick.toPrecision(3)))) };
}

const QUANTILES = [[0, "0"], [0.5, "50"], [0.9, "90"], [0.99, "99"], [0.999, "99.9"], [0.9999, "99.99"], [0.99999, "99.999"], [0.999999, "99.9999"]];
const tail = (quantile) => -Math.log10(1 - quantile);

function drawCurves(study, state, theme, width) {
  const bySeries = study.series.levels.length > 1;
  const everyRow = !bySeries || state.row === "all";
  const chosen = study.curves.filter((curve) => curve.family === state.family && curve.cell !== null
    && (everyRow || study.cells[curve.cell].row === Number(state.row)));
  const crowded = chosen.length > theme.series.length;
  const traces = [];
  const named = new Map();
  let low = Infinity, high = 0, last = 1;
  chosen.forEach((curve) => {
    const cell = study.cells[curve.cell];
    const look = (bySeries ? cell.series : cell.row) % theme.series.length;
    const points = curve.points.filter(([quantile, value]) => quantile < 1 && value > 0);
    const x = points.map(([quantile]) => tail(quantile));
    points.forEach(([, value, bottom, top]) => { low = Math.min(low, bottom || value); high = Math.max(high, top || value); });
    last = Math.max(last, ...x);
    named.set(look, { kind: "line", look, text: bySeries ? `${study.series.factor} = ${study.series.levels[cell.series]}` : cell.label });
    if (!crowded) {
      traces.push({
        type: "scatter", mode: "lines", hoverinfo: "skip", fill: "toself", fillcolor: theme.band[look], line: { width: 0 },
        x: [...x, ...[...x].reverse()],
        y: [...points.map(([, value, , top]) => Math.log10(top || value)), ...points.map(([, value, bottom]) => Math.log10(bottom || value)).reverse()],
      });
    }
    traces.push({
      type: "scatter", mode: "lines", x,
      y: points.map(([, value]) => Math.log10(value)), line: { color: theme.series[look], width: crowded ? 1.2 : 2, dash: DASHES[look] },
      text: points.map(([quantile, value, bottom, top]) => `${plain(cell.label)}<br>p${Number((quantile * 100).toPrecision(7))}: ${intervalText([value, bottom, top])} µs`),
      hoverinfo: "text",
    });
  });
  const layout = baseLayout(theme, width < NARROW ? 340 : 420);
  const title = study.curves.find((curve) => curve.family === state.family)?.title ?? "";
  const quantiles = QUANTILES.filter(([quantile]) => tail(quantile) <= last + 0.05);
  layout.xaxis = axis(theme, { title: "percentile of operations", range: [0, last], tickformat: "", tickvals: quantiles.map(([quantile]) => tail(quantile)), ticktext: quantiles.map(([, text]) => text) });
  const ticks = latencyTicks(low / 1.05, high * 1.05);
  layout.yaxis = axis(theme, { title: `${title} (log scale)`, tickformat: "", tickvals: ticks.vals, ticktext: ticks.text, range: [Math.log10(low / 1.05), Math.log10(high * 1.05)] });
  return { traces, layout, legend: bySeries || !crowded ? [...named.values()] : [] };
}

function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function drawDrift(study, state, theme, width) {
  const metric = study.metrics[state.metric];
  const { factor, unit } = scaleOf(metric);
  const relative = state.scale === "relative";
  const logs = new Map();
  const traces = [];
  study.cells.forEach((cell, index) => {
    const rounds = metric.rounds[index] ?? [];
    const centre = median(rounds.map(([, value]) => value));
    if (!rounds.length || (relative && !(centre > 0))) return;
    const shown = rounds.map(([, value]) => (relative ? value / centre : value * factor));
    rounds.forEach(([round], place) => {
      if (shown[place] > 0) logs.set(round, [...(logs.get(round) ?? []), Math.log(shown[place])]);
    });
    const color = theme.series[cell.series];
    traces.push({
      type: "scatter", mode: rounds.length > 40 ? "lines" : "lines+markers",
      x: rounds.map(([round]) => round), y: shown, opacity: 0.55, line: { color, width: 1, dash: DASHES[cell.series] },
      marker: { color, size: rounds.map(([, , outlier]) => (outlier ? 12 : 5)), symbol: rounds.map(([, , outlier]) => SYMBOLS[cell.series] + (outlier ? "-open" : "")), line: { width: rounds.map(([, , outlier]) => (outlier ? 2 : 0)) }, opacity: 1 },
      text: rounds.map(([round, value, outlier]) => `${plain(cell.label)}<br>round ${round}: ${figureText(value * factor)} ${unit}${outlier ? " (outlier)" : ""}`),
      hoverinfo: "text",
    });
  });
  if (relative) {
    const rounds = [...logs.keys()].sort((left, right) => left - right);
    const means = rounds.map((round) => Math.exp(logs.get(round).reduce((sum, value) => sum + value, 0) / logs.get(round).length));
    traces.push({ type: "scatter", mode: "lines", x: rounds, y: means, line: { color: theme.ink, width: 3 }, hoverinfo: "text", text: means.map((mean, index) => `round ${rounds[index]}: ×${figureText(mean)}`) });
  }
  const layout = baseLayout(theme, width < NARROW ? 300 : 340);
  layout.xaxis = axis(theme, { title: "round", showgrid: false, tickformat: "d", dtick: logs.size <= 12 ? 1 : undefined });
  layout.yaxis = axis(theme, { title: relative ? "÷ configuration's median" : axisTitle(metric, unit), nticks: 7 });
  const legend = seriesLegend(study, "line");
  if (relative) {
    // Never closer than ±2 %: noise should look like noise.
    const spread = [...logs.values()].flat();
    layout.yaxis.range = [Math.exp(Math.min(-0.02, ...spread)) * 0.99, Math.exp(Math.max(0.02, ...spread)) * 1.01];
    layout.shapes = [{ type: "line", layer: "below", xref: "x domain", yref: "y", x0: 0, x1: 1, y0: 1, y1: 1, line: { color: theme.quiet, width: 1, dash: "dot" } }];
    legend.push({ kind: "mean", text: "geometric mean of the round" });
  }
  return { traces, layout, legend };
}

const DRAWINGS = { headline: drawHeadline, curves: drawCurves, drift: drawDrift, mechanism: drawMechanism, forest: drawForest };
