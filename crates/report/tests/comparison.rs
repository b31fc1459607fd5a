//! Two runs, compared: what the terminal shows, and the page.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fixture;

use fixture::specimen;
use model::mechanism::Measured;
use model::run::Run;
use scraper::{Html, Selector};
use verdict::Status;
use verdict::compare::{Comparison, Gate, Ruling, Side, Unjudged, compare, measured_by_both};

/// Before and after a new kernel: commits a fifth slower where they are direct, another file system below them.
fn runs() -> (Run, Run) {
    let (a, _) = specimen(6);
    let (mut b, _) = specimen(6);
    "2026-11-28T09:30:00Z".clone_into(&mut b.plan.created_at);
    b.plan.seed = 4712;
    "6.30.1".clone_into(&mut b.host.kernel);
    for record in &mut b.records {
        let direct = record.values.is("mode", "direct");
        let turn = f64::from((record.key.round * 7 + record.key.configuration as u32 * 3) % 5);
        let Some(measurement) = &mut record.measurement else { continue };
        "rw,noatime,|<b>".clone_into(&mut measurement.placement.mount_options);
        for (name, value) in &mut measurement.phases[0].metrics {
            let slower = if direct && name.starts_with("commit_latency") { 1.25 } else { 1.0 };
            if let Measured::Value(value) = value {
                *value *= slower * (1.0 + 0.002 * turn);
            }
        }
    }
    (a, b)
}

fn comparison((a, b): &(Run, Run)) -> (Comparison, Vec<Ruling>) {
    let mut verdicts = [a, b].map(|run| verdict::analyse(run, &|_| None));
    // The specimen's figures are made up, and audits that look into them notice; one that failed is left for B.
    for (verdict, keep) in verdicts.iter_mut().zip(["", "layout"]) {
        for study in &mut verdict.studies {
            study.audits.retain(|audit| audit.status != Status::Fail || audit.name == keep);
        }
    }
    let sides = [("runs/before", a), ("runs/after", b)];
    let side = |at: usize| Side { name: sides[at].0, run: sides[at].1, verdict: &verdicts[at] };
    let measured = measured_by_both(&verdicts[0], &verdicts[1]);
    let gates =
        ["commit_latency_p50>+10%", "commits_per_s<-5%"].map(|text| Gate::parse(text, &measured).unwrap());
    let metrics: Vec<String> = gates.iter().map(|gate| gate.metric.clone()).collect();
    let comparison = compare(side(0), side(1), &[], &metrics).unwrap();
    let rulings = gates.iter().map(|gate| gate.judge(&comparison)).collect();
    (comparison, rulings)
}

#[test]
fn terminal_at_a_hundred_and_ten_columns() {
    let (comparison, rulings) = comparison(&runs());
    let text = report::comparison(&comparison, &rulings, 110, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 110, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_page_is_well_formed_offline_and_says_what_the_terminal_says() {
    let (comparison, _) = comparison(&runs());
    let text = report::comparison_html(&comparison);
    for scheme in ["http://", "https://", "url(", "@import", "fetch("] {
        assert!(!text.contains(scheme), "{scheme}");
    }
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, Vec::<String>::new());
    let select = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).map(|found| found.text().collect::<String>()).collect::<Vec<_>>()
    };
    assert!(select("script").is_empty());
    let rows: usize = comparison.studies.iter().map(|study| study.rows.len()).sum();
    assert_eq!(select("table.changes tbody tr").len(), rows);
    assert!(select("td").iter().any(|cell| cell == "rw,noatime,|<b>"));
    for table in page.select(&Selector::parse("table").unwrap()) {
        assert!(table.select(&Selector::parse("thead th[scope=col]").unwrap()).count() > 0);
    }
}

#[test]
fn names_stay_text_on_the_page_and_in_the_terminal() {
    let hostile = "</td></table><script>alert(1)</script>\u{1b}]0;owned\u{7}\r\n|`";
    let mut runs = runs();
    runs.1.host.name = hostile.to_owned();
    runs.1.host.processor = hostile.to_owned();
    runs.1.plan.directory = hostile.to_owned();
    for run in [&mut runs.0, &mut runs.1] {
        run.plan.studies[0].question = hostile.to_owned();
    }
    let (mut comparison, mut rulings) = comparison(&runs);
    comparison.a.name = hostile.to_owned();
    comparison.studies[0].rows[0].configuration = Some(hostile.to_owned());
    comparison.studies[0].rows[1].why = Some(hostile.to_owned());
    comparison.studies[0].rows[1].metric = hostile.to_owned();
    comparison.studies[0].metrics.push(hostile.to_owned());
    comparison.studies[0].left_out.push(hostile.to_owned());
    comparison.remarks.push(hostile.to_owned());
    rulings[0].broken.push(hostile.to_owned());
    rulings[0].unjudged.push(Unjudged { why: hostile.to_owned(), rows: Vec::new() });
    let text = report::comparison(&comparison, &rulings, 110, false);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    let page = Html::parse_document(&report::comparison_html(&comparison));
    assert_eq!(page.errors, Vec::<String>::new());
    assert_eq!(page.select(&Selector::parse("script").unwrap()).count(), 0);
}
