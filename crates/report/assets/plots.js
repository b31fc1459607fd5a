// From a study's embedded figures to Plotly traces and layouts, one function per plot. Pure, like axes.js.

function drawHeadline(study, state, theme, width) {
  const metric = study.metrics[state.metric];
  const rows = study.rows.labels;
  const stacked = isStacked(rows, width);
  const layout = baseLayout(theme, rows.length * (rowHeight(study) + (stacked ? LABEL_ABOVE : 0)) + 70);
  const title = axisTitle(metric, scaleOf(metric).unit);
  layout.xaxis = valueAxis(theme, metric, { width, title: width < NARROW ? folded(title) : title });
  layout.yaxis = rowAxis(theme, rows, { showticklabels: !stacked });
  layout.annotations = stacked ? labelsAbove(theme, rows) : [];
  layout.shapes = stripes(theme, rows.length);
  const below = stacked ? BELOW_LABEL : 0;
  const traces = [...trialTraces(study, metric, theme, below), ...meanTraces(study, metric, theme, {}, below)];
  return { traces, layout, legend: [...seriesLegend(study, "mark"), ...rowsLegend(study)] };
}

function drawMechanism(study, state, theme, width) {
  const names = study.mechanism;
  const rows = study.rows.labels;
  const narrow = width < 760;
  const stacked = narrow && isStacked(rows, width);
  const panel = rows.length * (rowHeight(study) + (stacked ? LABEL_ABOVE : 0));
  const layout = baseLayout(theme, narrow ? names.length * (panel + 64) + 24 : panel + 70);
  const traces = [];
  names.forEach((name, index) => {
    const suffix = index === 0 ? "" : String(index + 1);
    const metric = study.metrics[name];
    const share = 1 / names.length;
    const gap = narrow ? 64 / (names.length * (panel + 64)) : 0.04;
    const value = valueAxis(theme, metric, {
      width, rangemode: "tozero", nticks: 5, title: axisTitle(metric, scaleOf(metric).unit).replace(/^device /, ""),
    });
    if (narrow) {
      value.anchor = `y${suffix}`;
      layout[`yaxis${suffix}`] = rowAxis(theme, rows, { showticklabels: !stacked, domain: [1 - (index + 1) * share + gap, 1 - index * share] });
    } else {
      value.domain = [index * share + (index ? gap / 2 : 0), (index + 1) * share - gap / 2];
      layout.yaxis = rowAxis(theme, rows);
    }
    layout[`xaxis${suffix}`] = value;
    const yref = narrow ? `y${suffix}` : "y";
    layout.shapes.push(...stripes(theme, rows.length, yref, `x${suffix} domain`));
    if (stacked) layout.annotations.push(...labelsAbove(theme, rows, yref, `x${suffix} domain`));
    traces.push(...meanTraces(study, metric, theme, { xaxis: `x${suffix}`, yaxis: yref }, stacked ? BELOW_LABEL : 0));
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

const SIDE_NUMBERS = 440; // px; below this, a ratio stands below its label instead of at the right edge

function drawForest(study, state, theme, width, item) {
  const finding = study.findings[item];
  const cells = finding.cells.filter(([, ratio]) => ratio[0] > 0);
  const short = shortLabels(cells.map(([label]) => label));
  const noise = finding.noise ?? 1;
  // Cells on both sides have no effect in common: a diamond above them would say otherwise.
  const opposed = cells.some(([, [point]]) => point > noise) && cells.some(([, [point]]) => point < 1 / noise);
  const main = finding.ratio && finding.ratio[0] > 0 ? [[opposed ? "all together" : "main effect", finding.ratio]] : [];
  const rows = opposed ? [...cells, ...main] : [...main, ...cells];
  const aside = width >= SIDE_NUMBERS;
  const bounds = rows.flatMap(([, [point, low, high]]) => [point, low ?? point, high ?? point]).filter((bound) => bound > 0);
  const low = Math.min(...bounds, 1 / noise, 0.985), high = Math.max(...bounds, noise, 1.015);
  const margin = 0.06 * Math.log(high / low);
  const range = [Math.log(low) - margin, Math.log(high) + margin];
  const ticks = ratioTicks(Math.exp(range[0]), Math.exp(range[1]), aside ? 5 : 4);
  const layout = baseLayout(theme, rows.length * (aside ? 25 : 42) + 64);
  const title = finding.direction ? `ratio (${finding.direction})` : "ratio";
  layout.xaxis = axis(theme, { title, range, tickformat: "", tickvals: ticks.map(Math.log), ticktext: ticks.map((tick) => `×${tick}`) });
  const strong = (text) => (opposed ? `<i>${text}</i>` : `<b>${text}</b>`);
  const below = (text, ratio) => (aside ? text : `${text}<br>${intervalText(ratio)}`);
  const named = {
    main: main.map(([label, ratio]) => strong(below(label, ratio))),
    cells: short.labels.map((label, index) => below(plain(label || "all"), cells[index][1])),
  };
  layout.yaxis = rowAxis(theme, rows, { ticktext: opposed ? [...named.cells, ...named.main] : [...named.main, ...named.cells] });
  layout.shapes = [
    { type: "rect", layer: "below", xref: "x", yref: "paper", x0: -Math.log(noise), x1: Math.log(noise), y0: 0, y1: 1, fillcolor: theme.line, opacity: 0.7, line: { width: 0 } },
    { type: "line", layer: "below", xref: "x", yref: "paper", x0: 0, x1: 0, y0: 0, y1: 1, line: { color: theme.ink, width: 1 } },
  ];
  const part = (chosen, start, thickness, style) => ({
    type: "scatter", mode: "markers", hoverinfo: "text", ...style,
    x: chosen.map(([, [point]]) => Math.log(point)), y: chosen.map((_, index) => start + index),
    error_x: {
      type: "data", symmetric: false, width: 0, thickness, color: style.marker.color,
      array: chosen.map(([, [point, , upper]]) => (upper === null ? 0 : Math.log(upper / point))),
      arrayminus: chosen.map(([, [point, lower]]) => (lower === null ? 0 : Math.log(point / lower))),
    },
    text: chosen.map(([label, ratio]) => `${plain(label || "all")}<br>×${intervalText(ratio)}`),
  });
  const traces = [
    opposed
      ? part(main, cells.length, 1, { opacity: 0.6, marker: { symbol: "diamond-open", size: 9, color: theme.quiet } })
      : part(main, 0, 2.5, { marker: { symbol: "diamond", size: 13, color: theme.accent } }),
    opposed
      ? part(cells, 0, 2, { marker: { symbol: "circle", size: 9, color: theme.accent } })
      : part(cells, main.length, 1.5, { marker: { symbol: "circle", size: 7, color: theme.quiet } }),
  ];
  if (aside) {
    layout.yaxis2 = { ...layout.yaxis, overlaying: "y", side: "right", title: undefined, ticktext: rows.map((row) => (main.includes(row) ? strong(intervalText(row[1])) : intervalText(row[1]))) };
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

// Share of operations beyond, and the percentile's name.
const PERCENTILES = [[1, "0"], [0.5, "50"], [0.1, "90"], [1e-2, "99"], [1e-3, "99.9"], [1e-4, "99.99"], [1e-5, "99.999"], [1e-6, "99.9999"], [1e-7, "99.99999"]];

function drawCurves(study, state, theme, width) {
  const { chosen, look: lookOf, dash, legend } = chosenLines(study, state, study.curves.filter(({ family }) => family === state.family));
  const crowded = chosen.length > theme.series.length;
  const traces = [];
  let low = Infinity, high = 0, last = 1;
  chosen.forEach((curve) => {
    const cell = study.cells[curve.cell];
    const look = lookOf(cell);
    const points = curve.points.filter(([beyond, value]) => beyond > 0 && value > 0);
    const x = points.map(([beyond]) => -Math.log10(beyond));
    points.forEach(([, value, bottom, top]) => { low = Math.min(low, bottom || value); high = Math.max(high, top || value); });
    last = Math.max(last, ...x);
    if (!crowded) {
      traces.push({
        type: "scatter", mode: "lines", hoverinfo: "skip", fill: "toself", fillcolor: theme.band[look], line: { width: 0 },
        x: [...x, ...[...x].reverse()],
        y: [...points.map(([, value, , top]) => Math.log10(top || value)), ...points.map(([, value, bottom]) => Math.log10(bottom || value)).reverse()],
      });
    }
    traces.push({
      type: "scatter", mode: "lines", x,
      y: points.map(([, value]) => Math.log10(value)), line: { color: theme.series[look], width: crowded ? 1.2 : 2, dash: DASHES[dash(cell)] },
      text: points.map(([beyond, value, bottom, top]) => `${plain(cell.label)}<br>p${Number((100 - 100 * beyond).toPrecision(12))}: ${intervalText([value, bottom, top])} µs`),
      hoverinfo: "text",
    });
  });
  const layout = baseLayout(theme, width < NARROW ? 340 : 420);
  const title = study.curves.find((curve) => curve.family === state.family)?.title ?? "";
  const marks = PERCENTILES.map(([beyond, text]) => [-Math.log10(beyond), text]).filter(([x]) => x <= last + 0.05);
  const shown = marks.filter(([x], index) => index !== 1 || width >= NARROW || last < 4);
  layout.xaxis = axis(theme, { title: "percentile of operations", range: [0, last], tickformat: "", tickvals: shown.map(([x]) => x), ticktext: shown.map(([, text]) => text) });
  const ticks = latencyTicks(low / 1.05, high * 1.05);
  layout.yaxis = axis(theme, { title: `${title} (log scale)`, tickformat: "", tickvals: ticks.vals, ticktext: ticks.text, range: [Math.log10(low / 1.05), Math.log10(high * 1.05)] });
  return { traces, layout, legend };
}

const NAMED_MAX = 16; // lines that a legend names

// What is drawn of a row: one row at a time where a factor gives the colours, else all of them.
function chosenLines(study, state, lines) {
  const bySeries = study.series.levels.length > 1;
  const everyRow = !bySeries || state.row === "all";
  const chosen = lines.filter(({ cell }) => cell !== null && (everyRow || study.cells[cell].row === Number(state.row)));
  // With more rows than colours, a colour comes back with another dash.
  const look = (cell) => (bySeries ? cell.series : cell.row % DASHES.length);
  const dash = (cell) => (bySeries ? cell.series : (cell.row + 3 * Math.floor(cell.row / DASHES.length)) % DASHES.length);
  const text = (cell) => (bySeries ? `${study.series.factor} = ${study.series.levels[cell.series]}` : cell.label);
  const named = new Map();
  chosen.forEach(({ cell: index }) => {
    const cell = study.cells[index];
    named.set(text(cell), { kind: "line", look: look(cell), dash: dash(cell), text: text(cell) });
  });
  return { chosen, look, dash, legend: named.size <= NAMED_MAX ? [...named.values()] : [] };
}

function drawOverTime(study, state, theme, width) {
  const { chosen, look, dash, legend } = chosenLines(study, state, study.overTime.lines);
  const crowded = chosen.length > theme.series.length;
  const traces = [];
  chosen.forEach(({ cell: index, trials, end, points }) => {
    const cell = study.cells[index];
    const series = look(cell);
    // A point stands in the middle of the time that it is the mean of.
    const ends = points.map((_, place) => points[place + 1]?.[0] ?? end);
    const x = points.map(([start], place) => (start + ends[place]) / 2);
    if (!crowded) {
      traces.push({
        type: "scatter", mode: "lines", hoverinfo: "skip", fill: "toself", fillcolor: theme.band[series], line: { width: 0 },
        x: [...x, ...[...x].reverse()], y: [...points.map(([, , , most]) => most), ...points.map(([, , least]) => least).reverse()],
      });
    }
    traces.push({
      type: "scatter", mode: points.length > 12 ? "lines" : "lines+markers", x, y: points.map(([, mean]) => mean),
      line: { color: theme.series[series], width: crowded ? 1 : 1.8, dash: DASHES[dash(cell)] }, marker: { size: 5, color: theme.series[series] },
      text: points.map(([start, ...rates], place) => `${plain(cell.label)}<br>${figureText(start)} s to ${figureText(ends[place])} s: ${intervalText(rates)} ${plain(study.overTime.title)}<br>n = ${trials}`),
      hoverinfo: "text",
    });
  });
  const layout = baseLayout(theme, width < NARROW ? 260 : 280);
  const longest = Math.max(0, ...chosen.map(({ end }) => end));
  layout.xaxis = axis(theme, { title: "seconds since the measurement began", range: [0, longest || 1], nticks: width < NARROW ? 6 : 12 });
  layout.yaxis = axis(theme, { title: study.overTime.title, rangemode: "tozero", nticks: 6 });
  return { traces, layout, legend };
}

function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The configurations that have a value in some round. Relative to a median of zero nothing has a place.
function driftLines(study, state) {
  const lines = study.cells.map((cell, index) => {
    const rounds = study.metrics[state.metric].rounds[index] ?? [];
    return { cell, rounds, centre: rounds.length ? median(rounds.map(([, value]) => value)) : 0 };
  });
  const relative = state.scale === "relative" && lines.some(({ centre }) => centre > 0);
  return lines.filter(({ rounds, centre }) => rounds.length && (!relative || centre > 0)).map((line) => ({ ...line, relative }));
}

function drawDrift(study, state, theme, width) {
  const metric = study.metrics[state.metric];
  const { factor, unit } = scaleOf(metric);
  const lines = driftLines(study, state);
  const relative = lines.some((line) => line.relative);
  const logs = new Map();
  const traces = [];
  lines.forEach(({ cell, rounds, centre }) => {
    const shown = rounds.map(([, value]) => (relative ? value / centre : value * factor));
    rounds.forEach(([round], place) => {
      if (shown[place] > 0) logs.set(round, [...(logs.get(round) ?? []), Math.log(shown[place])]);
    });
    const color = theme.series[cell.series];
    traces.push({
      type: "scatter", cliponaxis: false, mode: rounds.length > 40 ? "lines" : "lines+markers",
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

const DRAWINGS = { headline: drawHeadline, curves: drawCurves, "over-time": drawOverTime, drift: drawDrift, mechanism: drawMechanism, forest: drawForest };
