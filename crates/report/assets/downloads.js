// A figure as a file: SVG, PNG, or CSV of its points. Made in the page, from what is embedded in it: nothing is requested.

// The points of each kind of plot: names of the columns, then a row for each point that is drawn. Figures are in the units of
// the records, whatever unit an axis has.
const POINTS = {
  headline(study, state) {
    const metric = study.metrics[state.metric];
    const rows = study.cells.flatMap((cell, index) => {
      const mean = metric.means[index];
      const means = mean && mean[0] !== null ? [[...cell.levels, "mean", "", ...mean, cell.n]] : [];
      const trials = (metric.rounds[index] ?? []).map(([round, value]) => [...cell.levels, "trial", round, value, "", "", 1]);
      return [...means, ...trials];
    });
    return [[...study.factors, "what", "round", named(metric), "low", "high", "n"], ...rows];
  },
  mechanism(study) {
    const rows = study.mechanism.map((name) => study.metrics[name]).flatMap((metric) => study.cells.flatMap((cell, index) => {
      const mean = metric.means[index];
      return mean && mean[0] !== null ? [[...cell.levels, metric.title, metric.unit, ...mean, cell.n]] : [];
    }));
    return [[...study.factors, "metric", "unit", "mean", "low", "high", "n"], ...rows];
  },
  curves(study, state) {
    const { chosen } = chosenLines(study, state, study.curves.filter(({ family }) => family === state.family));
    const rows = chosen.flatMap(({ cell, title, points }) => points.filter(([beyond, value]) => beyond > 0 && value > 0)
      .map(([beyond, ...latency]) => [...study.cells[cell].levels, title, 1 - beyond, ...latency]));
    return [[...study.factors, "latency", "quantile", "µs", "low", "high"], ...rows];
  },
  "over-time"(study, state) {
    const { chosen } = chosenLines(study, state, study.overTime.lines);
    const rows = chosen.flatMap(({ cell, trials, end, points }) => points
      .map(([start, ...rates], place) => [...study.cells[cell].levels, start, points[place + 1]?.[0] ?? end, ...rates, trials]));
    return [[...study.factors, "from s", "to s", study.overTime.title, "slowest", "fastest", "trials"], ...rows];
  },
  drift(study, state) {
    const metric = study.metrics[state.metric];
    const rows = driftLines(study, state).flatMap(({ cell, rounds }) => rounds.map(([round, value, outlier]) => [...cell.levels, round, value, outlier]));
    return [[...study.factors, "round", named(metric), "outlier"], ...rows];
  },
  forest(study, state, item) {
    const { title, ratio, cells } = study.findings[item];
    const rows = [["main effect", ratio], ...cells].filter(([, estimate]) => estimate && estimate[0] > 0);
    return [["what", `ratio of ${title}`, "low", "high"], ...rows.map(([label, estimate]) => [label || "all", ...estimate])];
  },
};

const named = (metric) => (metric.unit === "" || metric.title === metric.unit ? metric.title : `${metric.title} ${metric.unit}`);

// RFC 4180. A text that a spreadsheet would run as a formula begins with an apostrophe, which says that it is text.
function csvField(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

const csvText = (rows) => rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");

const FILE_WIDTH = 960; // px; the height is the plot's, with its title and its legend above
const FILE_MARGIN = 20;
const FILE_SCALE = 2; // pixels of a PNG for each px

const SVG = "http://www.w3.org/2000/svg";

function svgElement(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.textContent = text;
  return element;
}

// Words in lines that are no wider than a file.
function wrapped(text, font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const lines = [""];
  text.split(" ").forEach((word) => {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (context.measureText(longer).width <= FILE_WIDTH - 2 * FILE_MARGIN || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  });
  return { lines, width: (words) => context.measureText(words).width };
}

// The legend above the plot: as many entries on a line as fit. Returns where it ends.
function addLegend(svg, legend, theme, top) {
  const { width } = wrapped("", `13px ${theme.font}`);
  let [x, y] = [FILE_MARGIN, top];
  legend.forEach(({ kind, look, dash = look, text }) => {
    const sample = kind === "rows" ? 0 : 36;
    const wide = sample + width(text) + 20;
    if (x > FILE_MARGIN && x + wide > FILE_WIDTH - FILE_MARGIN) [x, y] = [FILE_MARGIN, y + 20];
    const colour = kind === "mean" ? theme.ink : theme.series[look];
    if (kind === "mark") svg.append(svgElement("text", { x: x + 12, y: y + 4, fill: colour, "font-size": 15 }, GLYPHS[look]));
    else if (sample) svg.append(svgElement("line", { x1: x, x2: x + 30, y1: y, y2: y, stroke: colour, "stroke-width": kind === "mean" ? 3 : 2, "stroke-dasharray": STROKES[kind === "mean" ? 0 : dash] }));
    svg.append(svgElement("text", { x: x + sample, y: y + 4, fill: theme.quiet, "font-size": 13 }, text));
    x += wide;
  });
  return legend.length ? y + 18 : top - 6;
}

// The plot in the light theme, below its title, its study's question and its legend.
async function svgText({ heading, study, drawing }, theme) {
  const { traces, layout, legend } = drawing(theme, FILE_WIDTH - 2 * FILE_MARGIN);
  layout.width = FILE_WIDTH - 2 * FILE_MARGIN;
  const inner = await Plotly.toImage({ data: traces, layout }, { format: "svg", width: layout.width, height: layout.height, imageDataOnly: true });
  const plot = new DOMParser().parseFromString(inner, "image/svg+xml").documentElement;
  const svg = svgElement("svg", { width: FILE_WIDTH, "font-family": theme.font });
  const background = svgElement("rect", { width: "100%", height: "100%", fill: theme.paper });
  svg.append(background);
  let y = FILE_MARGIN + 12;
  [[heading(), 600, 17, theme.ink], [`${study.question} (Syncline, study ${study.name})`, 400, 13, theme.quiet]].forEach(([text, weight, size, fill]) => {
    wrapped(text, `${weight} ${size}px ${theme.font}`).lines.forEach((line) => {
      svg.append(svgElement("text", { x: FILE_MARGIN, y, fill, "font-size": size, "font-weight": weight }, line));
      y += 1.35 * size;
    });
  });
  y = addLegend(svg, legend, theme, y + 8);
  plot.setAttribute("x", FILE_MARGIN);
  plot.setAttribute("y", y);
  svg.append(document.importNode(plot, true));
  const height = Math.ceil(y + layout.height + FILE_MARGIN / 2);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${FILE_WIDTH} ${height}`);
  return new XMLSerializer().serializeToString(svg);
}

async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [FILE_SCALE * image.width, FILE_SCALE * image.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser makes no PNG of this size"))), "image/png");
  });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// What each button makes of a figure: `rows` are its points, `drawing` draws it in a theme and a width.
const FILES = {
  PNG: async (figure, theme) => pngOf(await svgText(figure, theme)),
  SVG: async (figure, theme) => new Blob([await svgText(figure, theme)], { type: "image/svg+xml" }),
  CSV: async (figure) => new Blob([csvText(figure.rows())], { type: "text/csv" }),
};

// The buttons below a plot.
function addDownloads(place, figure, lightTheme) {
  place.append("Download ");
  Object.entries(FILES).forEach(([format, make]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format;
    button.setAttribute("aria-label", `Download ${figure.title} as ${format}`);
    button.addEventListener("click", async () => {
      try {
        save(await make(figure, lightTheme()), `syncline-${figure.study.name}-${figure.file}.${format.toLowerCase()}`.replace(/[^\w.-]+/g, "-"));
      } catch (error) {
        button.replaceWith(`${format}: ${error.message}`);
      }
    });
    place.append(button);
  });
}
