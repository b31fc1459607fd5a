//! The HTML report: well-formed, offline, safe against what records may contain, the same every time.

use crate::fixture;

use crate::outline::{outline, texts};
use crate::spoilt::spoil;
use fixture::specimen;
use model::plan::Skipped;
use scraper::{Html, Selector};
use verdict::finding::{Outcome, Reason};
use verdict::{RunRemark, Status};

const PLOTLY: &str = include_str!("../../assets/plotly-basic.min.js");

fn select(text: &str) -> Selector {
    Selector::parse(text).expect("the selector is well-formed")
}

/// The page without the plot library.
fn own_part(page: &str) -> String {
    assert_eq!(page.matches(PLOTLY).count(), 1);
    page.replace(PLOTLY, "")
}

#[test]
fn page_of_a_run() {
    let (run, verdict) = specimen(6);
    insta::assert_snapshot!(outline(&report::html(&run, &verdict, &[], &report::Repeat::default())));
}

#[test]
fn it_parses_without_errors_and_ids_are_unique() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(page.errors, Vec::<String>::new());
    let mut ids: Vec<&str> =
        page.select(&select("[id]")).filter_map(|element| element.value().id()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for link in page.select(&select("nav a, .answers a, .trust a, a.skip")) {
        let target =
            link.value().attr("href").and_then(|href| href.strip_prefix('#')).expect("links stay here");
        assert!(ids.contains(&target), "{target}");
    }
}

#[test]
fn nothing_is_fetched() {
    let (run, verdict) = specimen(6);
    let page = report::html(&run, &verdict, &[], &report::Repeat::default());
    let own = own_part(&page);
    for scheme in ["http://", "https://", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        let found = own.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(scheme), "{scheme}");
    }
    let parsed = Html::parse_document(&own);
    for element in parsed.select(&select("[src], link, iframe, object, embed, form, base")) {
        assert_eq!(element.value().attr("href"), Some("data:,"), "{}", element.html());
    }
    let policy = parsed.select(&select("meta[http-equiv=Content-Security-Policy]")).next().expect("a policy");
    assert!(policy.value().attr("content").is_some_and(|policy| policy.starts_with("default-src 'none'")));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</script><script>alert(1)</script><!--\"'><img src=x onerror=alert(2)>";
    let (mut run, mut verdict) = specimen(6);
    run.host.name = hostile.to_owned();
    run.host.kernel_command_line = hostile.to_owned();
    run.plan.directory = hostile.into();
    for record in &mut run.records {
        let placement = record.measurement.as_mut().map(|measurement| &mut measurement.placement);
        if let Some(placement) = placement {
            placement.model = model::mechanism::Measured::Value(hostile.to_owned());
            placement.device = model::mechanism::Measured::Value(hostile.to_owned());
            placement.filesystem = hostile.to_owned();
            placement.mount_options = hostile.to_owned();
        }
    }
    let study = &mut verdict.studies[0];
    study.name = hostile.to_owned();
    study.factors[0] = hostile.to_owned();
    study.asked.push(hostile.to_owned());
    study.cells[0].label = hostile.to_owned();
    study.cells[0].levels[0] = hostile.to_owned();
    study.curves[0].family = hostile.to_owned();
    let [first, second, ..] = &mut study.findings[..] else { panic!("two findings") };
    spoil(first, hostile);
    second.outcome = Outcome::NotAssessable(Reason::NotComparable(hostile.to_owned()));
    study.audits[0].name = hostile.to_owned();
    study.audits[0].summary = hostile.to_owned();
    study.audits[0].advice = hostile.to_owned();
    study.audits[0].status = Status::Fail;
    verdict.remarks.push(RunRemark::Read(hostile.to_owned()));
    run.plan.studies[0].question = hostile.to_owned();
    run.plan.skipped.push(Skipped { study: hostile.to_owned(), why: hostile.to_owned() });
    spoil(&mut verdict.studies[1].findings[0], hostile);
    let (plain, verdict_plain) = specimen(6);
    let expected =
        Html::parse_document(&report::html(&plain, &verdict_plain, &[], &report::Repeat::default()));
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(page.errors, Vec::<String>::new());
    let scripts = |page: &Html| page.select(&select("script")).count();
    assert_eq!(scripts(&page), scripts(&expected));
    assert_eq!(page.select(&select("img, [onerror]")).count(), 0);
    assert_eq!(texts(&page, "h1"), [format!("{hostile}, {hostile}")]);
    let data = page.select(&select("script[type='application/json']")).next().expect("data");
    let data: serde_json::Value = serde_json::from_str(&data.text().collect::<String>()).expect("JSON");
    assert_eq!(data["cells"][0]["label"], hostile);
}

/// Quantiles were once embedded with seven digits: those beyond 0.9999999 became 1, and were off the plot.
#[test]
fn curves_reach_into_the_tail() {
    let (run, mut verdict) = specimen(6);
    verdict.studies[0].curves[0].points.push(verdict::CurvePoint {
        quantile: 1.0 - 1e-9,
        value_us: 9e4,
        low_us: 8e4,
        high_us: 1e5,
    });
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let data = page.select(&select("script[type='application/json']")).next().expect("data");
    let data: serde_json::Value = serde_json::from_str(&data.text().collect::<String>()).expect("JSON");
    let points = data["curves"][0]["points"].as_array().expect("points");
    let beyond: Vec<f64> = points.iter().map(|point| point[0].as_f64().expect("a number")).collect();
    assert!(beyond.is_sorted_by(|left, right| left > right), "{beyond:?}");
    assert!(beyond.last().is_some_and(|share| (share - 1e-9).abs() < 1e-12), "{beyond:?}");
}

#[test]
fn throughput_over_time_is_embedded_for_forty_configurations_and_stalls_are_told() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    study.series = study.series.iter().cycle().take(41).cloned().collect();
    study.series[2].points[3].low_per_s = 0.0;
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let data = page.select(&select("script[type='application/json']")).next().expect("data");
    let data: serde_json::Value = serde_json::from_str(&data.text().collect::<String>()).expect("JSON");
    assert_eq!(data["overTime"]["title"], "commits/s");
    assert_eq!(data["overTime"]["lines"].as_array().map(Vec::len), Some(40));
    assert_eq!(data["overTime"]["lines"][1]["points"][20][0], 2);
    // The specimen's runtime is half a second; its series are longer.
    let captions = texts(&page, "#study-0 figure:has([data-plot=over-time]) figcaption");
    insta::assert_snapshot!(captions.join("\n"), @"The slowest interval ran at 0 % of its configuration's mean (mode=buffered group_size=1 reads_per_commit=16, 0.300 s after the start). Lines are means over the trials of a configuration, from the start of the measurement to the end of its shortest trial; bands reach from the slowest to the fastest single interval of any trial (0.100 s each) and are left out where more than eight lines are drawn. After the runtime nothing starts: the operations there were in flight, or are syncs. The first 40 of 41 configurations are drawn.");
}

#[test]
fn it_is_deterministic() {
    let (run, verdict) = specimen(6);
    assert_eq!(
        report::html(&run, &verdict, &[], &report::Repeat::default()),
        report::html(&run, &verdict, &[], &report::Repeat::default())
    );
}

#[test]
fn sections_come_in_reading_order() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let study = page.select(&select("#study-0")).next().expect("the first study");
    let headings: Vec<String> =
        study.select(&select("h2, h3")).map(|heading| heading.text().collect::<String>()).collect();
    assert_eq!(headings[0], verdict.studies[0].question);
    assert_eq!(
        &headings[1..],
        [
            "By configuration",
            "Every configuration against the best",
            "Figures",
            "Findings",
            "Latency percentiles",
            "Throughput over time",
            "Round by round",
            "Mechanism evidence",
            "Audits",
            "Every figure",
            "Method"
        ]
    );
}

/// A run of everything was 74 000 px high.
#[test]
fn of_a_study_only_the_answer_the_main_plot_and_one_table_are_open() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    for study in page.select(&select("section.study")) {
        let is_open = |found: &scraper::ElementRef<'_>| {
            let folded = found.ancestors().filter_map(scraper::ElementRef::wrap);
            !folded.take_while(|it| it.value().name() != "section").any(|it| it.value().name() == "details")
        };
        let open = |selector| study.select(&select(selector)).filter(is_open).count();
        assert_eq!((open(".answer"), open("figure"), open("table"), open("details.part")), (1, 1, 1, 9));
        let best = study
            .select(&select("[aria-label='Every configuration against the best']"))
            .next()
            .expect("a table");
        assert!(is_open(&best));
    }
}

#[test]
fn the_contents_have_the_questions() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(
        texts(&page, "nav p.label + ul a"),
        ["Direct or buffered commits, beside reads?", "Does it matter how the log's file was made?"]
    );
}

/// Axes without a point were drawn, and nothing said why.
#[test]
fn of_a_plot_without_points_a_line_says_why() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    study.curves.iter_mut().for_each(|curve| curve.points.clear());
    study.series.clear();
    let first = study.asked[0].clone();
    study.cells.iter_mut().for_each(|cell| {
        let figure = cell.figures.get_mut(&first).expect("an asked metric is measured");
        figure.mean.point = None;
        figure.mean.interval = None;
    });
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let study = page.select(&select("#study-0")).next().expect("the first study");
    let kinds: Vec<&str> =
        study.select(&select("[data-plot]")).filter_map(|place| place.value().attr("data-plot")).collect();
    assert!(kinds.contains(&"headline") && !kinds.contains(&"curves") && !kinds.contains(&"over-time"));
    let hints = texts(&page, "#study-0 .hint");
    assert_eq!(hints.iter().filter(|hint| hint.starts_with("no plot: ")).count(), 2);
    let data = page.select(&select("script[type='application/json']")).next().expect("data");
    let data: serde_json::Value = serde_json::from_str(&data.text().collect::<String>()).expect("JSON");
    assert_eq!(
        data["asked"][0], verdict.studies[0].asked[1],
        "the plot begins with a metric that has points"
    );
}

#[test]
fn every_plot_has_words_and_every_table_has_headings() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    for figure in page.select(&select("figure")) {
        let words = |selector| figure.select(&select(selector)).next().expect("it is there");
        assert!(words(".plot").value().attr("aria-label").is_some_and(|label| label.len() > 20));
        assert!(words("figcaption").text().collect::<String>().len() > 20);
    }
    for table in page.select(&select("table")) {
        let headings = table.select(&select("thead th[scope=col]")).count();
        assert!(headings > 0 && table.select(&select("tbody tr")).count() > 0, "{}", table.html());
    }
}

#[test]
fn every_parameter_and_every_reason_is_said() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    for (index, study) in run.plan.studies.iter().enumerate() {
        let parameters = texts(&page, &format!("#study-{index} dt"));
        for (name, _) in study.configurations.iter().flat_map(|configuration| &configuration.0) {
            assert!(parameters.contains(name), "{name}: {parameters:?}");
        }
    }
    insta::assert_snapshot!(texts(&page, "#study-1 > .remark, #study-1 > .note").join("\n"), @r"
    profile quick · 3 rounds · 6 configurations · 20 of 21 trials analysed, 1 failed
    Not measured: round 1: write wal-0.dat: no space left on device (128MiB needed, 90MiB free)
    [1] n = 3 trials, and fewer than 6 give no interval
    [2] n = 2 trials, and fewer than 6 give no interval
    Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations). The figures of answers and findings are geometric means. ÷ best is the ratio to the best mean of the same durability class, paired within rounds, with its 95 % t interval. The best of many looks better than it is.
    ");
    let unknown = texts(&page, "dd").into_iter().filter(|value| value.starts_with("unknown: "));
    assert_eq!(unknown.collect::<Vec<_>>(), ["unknown: statx has no STATX_DIOALIGN on this kernel"]);
}

#[test]
fn a_run_without_records_still_renders() {
    let (mut run, mut verdict) = specimen(6);
    run.records.clear();
    for study in &mut verdict.studies {
        study.cells.clear();
        study.curves.clear();
        study.series.clear();
        study.findings.clear();
        study.audits.clear();
        study.metrics.clear();
    }
    verdict.time = verdict::TimeShare::default();
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(page.errors, Vec::<String>::new());
    let text = report::terminal(&run, &verdict, &[], 100, false);
    insta::assert_snapshot!(text.lines().next().unwrap(), @"bench-07 · Linux 6.12.57+deb12-amd64 · 2026-11-21T09:30:00Z");
    verdict.studies.clear();
    assert_eq!(
        Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default())).errors,
        Vec::<String>::new()
    );
}
