// Draws each plot when it comes into view, again when the theme or the width changes, and all of them for print.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");

  const studies = [];
  for (let element; (element = document.getElementById(`data-${studies.length}`)); ) {
    studies.push(JSON.parse(element.textContent));
  }

  const plots = [...document.querySelectorAll(".plot")].map((element) => {
    const study = studies[Number(element.dataset.study)];
    const lines = { curves: study.curves, "over-time": study.overTime.lines }[element.dataset.plot] ?? [];
    const rows = new Set(lines.filter(({ cell }) => cell !== null).map(({ cell }) => study.cells[cell].row));
    const row = String(Math.min(...rows));
    const state = { metric: study.asked[0], family: study.curves[0]?.family, scale: "relative", row };
    const legend = document.createElement("div");
    legend.className = "legend";
    element.before(legend);
    return { element, study, state, rows, legend, drawn: false, width: 0 };
  });

  // Paper, and files that leave the page, are light.
  function lightTheme() {
    const was = root.classList.contains("printing");
    root.classList.add("printing");
    const theme = themeNow();
    root.classList.toggle("printing", was);
    return theme;
  }

  function themeNow() {
    const style = getComputedStyle(root);
    const value = (name) => style.getPropertyValue(`--${name}`).trim();
    const series = Array.from({ length: 8 }, (_, index) => value(`series-${index}`));
    const band = series.map((colour) => `${colour}26`);
    const font = getComputedStyle(document.body).fontFamily;
    return { ink: value("ink"), quiet: value("quiet"), line: value("line"), raised: value("raised"), paper: value("paper"), accent: value("accent"), series, band, font };
  }

  // The key of a series: the symbol or the dash that the plot uses, in its colour, and words.
  function legendEntry({ kind, look, dash = look, text }) {
    const entry = document.createElement("span");
    entry.className = `key ${kind}`;
    if (kind !== "rows") {
      const mark = document.createElement("span");
      mark.ariaHidden = "true";
      mark.style.color = kind === "mean" ? "var(--ink)" : `var(--series-${look})`;
      if (kind === "mark") mark.textContent = GLYPHS[look];
      else mark.append(dashSample(kind === "mean" ? 0 : dash, kind === "mean" ? 3 : 2));
      entry.append(mark);
    }
    entry.append(text);
    return entry;
  }

  function dashSample(look, width) {
    const create = (name, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
      return element;
    };
    const svg = create("svg", { width: 30, height: 10 });
    svg.append(create("line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: "currentColor", "stroke-width": width, "stroke-dasharray": STROKES[look] }));
    return svg;
  }

  const WIDTH_UNSEEN = 600; // px, of a plot in what is folded: it is drawn again when it is unfolded

  function draw(plot, theme = themeNow()) {
    const { plot: kind, item } = plot.element.dataset;
    const width = plot.element.clientWidth || WIDTH_UNSEEN;
    const { traces, layout, legend } = DRAWINGS[kind](plot.study, plot.state, theme, width, Number(item));
    plot.legend.replaceChildren(...legend.map(legendEntry));
    layout.width = width;
    plot.element.style.minHeight = `${layout.height}px`;
    Plotly.react(plot.element, traces, layout, { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false });
    plot.drawn = true;
    plot.width = width;
  }

  function redraw() {
    const theme = themeNow();
    plots.filter((plot) => plot.drawn).forEach((plot) => draw(plot, theme));
  }

  function addSelect(place, text, choices, chosen, change) {
    if (choices.length < 2) return;
    const label = document.createElement("label");
    label.append(text);
    const select = document.createElement("select");
    choices.forEach(([value, words]) => select.add(new Option(words, value, false, value === chosen)));
    select.addEventListener("change", () => change(select.value));
    label.append(select);
    place.append(label);
  }

  // The caption in words follows the chosen metric.
  function say(figure, plot, words) {
    const reading = figure.querySelector(".reading");
    if (!reading) return;
    reading.textContent = words;
    plot.element.setAttribute("aria-label", words);
  }

  // The selects above a plot, and what they change.
  document.querySelectorAll(".controls").forEach((place) => {
    const figure = place.closest("figure");
    const plot = plots.find(({ element }) => figure.contains(element));
    const { study, state, rows } = plot;
    const set = (key) => (value) => {
      state[key] = value;
      if (key === "metric") say(figure, plot, study.metrics[value].summary);
      draw(plot);
    };
    const metrics = study.asked.map((name) => [name, study.metrics[name].title]);
    const kind = place.dataset.controls;
    if (kind === "headline" || kind === "drift") addSelect(place, "Metric", metrics, state.metric, set("metric"));
    if (kind === "drift") {
      addSelect(place, "Show", [["relative", "relative to each configuration's median"], ["values", "values"]], state.scale, set("scale"));
    }
    if (kind === "curves") {
      const families = [...new Map(study.curves.map((curve) => [curve.family, curve.title]))];
      addSelect(place, "Latency", families, state.family, set("family"));
    }
    if (kind === "curves" || kind === "over-time") {
      const drawn = study.rows.labels.map((label, row) => [String(row), label]).filter(([row]) => rows.has(Number(row)));
      const choices = drawn.length > 1 ? [...drawn, ["all", "all"]] : drawn;
      if (study.series.levels.length > 1) addSelect(place, study.rows.factors, choices, state.row, set("row"));
    }
  });

  plots.forEach(({ element, study, state }) => {
    const { plot: kind, item, title } = element.dataset;
    const drawing = (theme, width) => DRAWINGS[kind](study, state, theme, width, Number(item));
    const rows = () => POINTS[kind](study, state, Number(item));
    const file = item === undefined ? kind : `${kind}-${Number(item) + 1}`;
    const heading = () => (kind === "headline" || kind === "drift" ? `${title}: ${study.metrics[state.metric].title}` : title);
    addDownloads(element.parentElement.querySelector(".downloads"), { file, title, heading, study, drawing, rows }, lightTheme);
  });

  const watcher = new IntersectionObserver((entries) => {
    const theme = themeNow();
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      watcher.unobserve(entry.target);
      const plot = plots.find(({ element }) => element === entry.target);
      if (!plot.drawn) draw(plot, theme);
    });
  }, { rootMargin: "400px" });
  plots.forEach(({ element }) => watcher.observe(element));

  let waiting = 0;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const theme = themeNow();
      plots.filter((plot) => plot.drawn && plot.element.clientWidth !== plot.width).forEach((plot) => draw(plot, theme));
    }, 120);
  }).observe(document.body);

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // Paper has nothing to unfold. The table of all trials stays away: it can be hundreds of pages.
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    root.classList.add("printing");
    unfolded = [...document.querySelectorAll("details:not([open], :has(> .scroll[aria-label='All trials']))")];
    unfolded.forEach((details) => { details.open = true; });
    const theme = themeNow();
    plots.forEach((plot) => draw(plot, theme));
  });
  window.addEventListener("afterprint", () => {
    root.classList.remove("printing");
    unfolded.forEach((details) => { details.open = false; });
    redraw();
  });
})();
