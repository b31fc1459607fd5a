"use strict";
// What all plots share: text, axes, rows, legends, and the marks of a metric. Pure: nothing here touches the page.

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
  if (metric.unit === "B/s") return most >= 2 ** 20 ? { factor: 2 ** -20, unit: "MiB/s" } : { factor: 2 ** -10, unit: "KiB/s" };
  if (metric.unit !== "B") return { factor: 1, unit: metric.unit };
  const step = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([size]) => most >= size) ?? [1, "B"];
  return { factor: 1 / step[0], unit: step[1] };
}

// The title of a rate may be its unit: commits/s.
const axisTitle = (metric, unit) => (unit === "" || metric.title === unit ? metric.title : `${metric.title}, ${unit}`);

// On a phone a long title takes two lines.
function folded(title) {
  const middle = title.length / 2;
  const spaces = [...title.matchAll(/ /g)].map(({ index }) => index);
  const best = spaces.sort((left, right) => Math.abs(left - middle) - Math.abs(right - middle))[0];
  return title.length < 26 || best === undefined ? title : `${title.slice(0, best)}\n${title.slice(best + 1)}`;
}

function baseLayout(theme, height) {
  return {
    height, autosize: true, dragmode: false, hovermode: "closest", separators: ".\u202f",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: theme.font, size: 13, color: theme.ink },
    margin: { l: 12, r: 14, t: 8, b: 48, pad: 4 },
    hoverlabel: { bgcolor: theme.raised, bordercolor: theme.line, font: { color: theme.ink, family: theme.font } },
    showlegend: false, shapes: [], annotations: [],
  };
}

const axis = (theme, more) => ({
  gridcolor: theme.line, linecolor: theme.line, zeroline: false, automargin: true, fixedrange: true,
  tickangle: 0, tickformat: ",.6~r", ticks: "", ...more,
  title: { text: plain(more.title ?? "").replace("\n", "<br>"), font: { size: 13, color: theme.quiet }, standoff: 12 },
});

// Rows from top to bottom, every second one shaded.
function rowAxis(theme, labels, more = {}) {
  return axis(theme, {
    tickvals: labels.map((_, row) => row), ticktext: labels.map(plain), range: [labels.length - 0.5, -0.5],
    showgrid: false, tickformat: "", ...more,
  });
}

// On a phone, labels beside the rows would leave no room for the plot: long ones stand above their marks.
const LABEL_BESIDE_MAX = 12; // characters
const LABEL_ABOVE = 18; // px
const BELOW_LABEL = 0.2; // rows

const isStacked = (labels, width) => width < NARROW && labels.some((label) => label.length > LABEL_BESIDE_MAX);

const labelsAbove = (theme, labels, yref = "y", xref = "x domain") =>
  labels.map((label, row) => ({
    text: plain(label), xref, yref, x: 0, y: row - 0.5, xanchor: "left", yanchor: "top", showarrow: false,
    font: { size: 12, color: theme.quiet }, borderpad: 1,
  }));

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
function meanTraces(study, metric, theme, axes, below = 0) {
  const { factor, unit } = scaleOf(metric);
  return study.series.levels.map((_, series) => {
    const cells = study.cells.map((cell, index) => ({ ...cell, mean: metric.means[index] }))
      .filter((cell) => cell.series === series && cell.mean && cell.mean[0] !== null);
    const scaled = cells.map((cell) => cell.mean.map((bound) => (bound === null ? null : bound * factor)));
    return {
      type: "scatter", mode: "markers", cliponaxis: false, ...axes,
      x: scaled.map(([point]) => point), y: cells.map((cell) => cell.row + offset(study, series) + below),
      error_x: {
        type: "data", symmetric: false, thickness: 2, width: 0, color: theme.series[series],
        array: scaled.map(([point, , high]) => (high === null ? 0 : high - point)),
        arrayminus: scaled.map(([point, low]) => (low === null ? 0 : point - low)),
      },
      marker: { size: 9, symbol: SYMBOLS[series], color: theme.series[series], line: { width: 1, color: theme.paper } },
      text: cells.map((cell, index) => `${plain(cell.label)}<br>${plain(axisTitle(metric, unit))}: ${intervalText(scaled[index])}<br>n = ${cell.n}`),
      hoverinfo: "text",
    };
  });
}

// Single trials, faint, behind the means.
function trialTraces(study, metric, theme, below) {
  const { factor, unit } = scaleOf(metric);
  return study.series.levels.map((_, series) => {
    const x = [], y = [], text = [];
    study.cells.forEach((cell, index) => {
      if (cell.series !== series || !metric.rounds[index]) return;
      const rounds = metric.rounds[index];
      const step = Math.max(1, Math.ceil(rounds.length / DOTS_MAX));
      rounds.filter((_, place) => place % step === 0).forEach(([round, value, outlier]) => {
        x.push(value * factor);
        y.push(cell.row + offset(study, series) + below);
        text.push(`${plain(cell.label)}<br>round ${round}: ${figureText(value * factor)} ${unit}${outlier ? "<br>outlier" : ""}`);
      });
    });
    return {
      type: "scatter", mode: "markers", x, y, text, hoverinfo: "text",
      marker: { size: 5, color: theme.series[series], opacity: 0.35 },
    };
  });
}

// Horizontal tick labels on a phone: few, and thousands as k.
const tight = (width, most) => (width < NARROW ? { nticks: 5, ...(most >= 1e4 ? { tickformat: "~s" } : {}) } : {});

function valueAxis(theme, metric, more = {}) {
  const { factor, unit } = scaleOf(metric);
  const points = metric.means.filter((mean) => mean && mean[0] !== null).map(([mean]) => mean);
  const wide = Math.max(...points) > 3 * Math.min(...points) || points.every((point) => point === points[0]);
  return axis(theme, { title: axisTitle(metric, unit), rangemode: wide || metric.unit === "" ? "tozero" : "normal", nticks: 7, ...tight(more.width ?? NARROW, factor * Math.max(0, ...points)), ...more, width: undefined });
}
