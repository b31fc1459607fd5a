//! A fleet: the terminal and the page.

use crate::fixture;
use crate::outline::outline;
use fleet::{Digest, Fleet, Plots, Statement, Unread, Unused};
use model::Value;
use model::mechanism::Measured;
use model::metric::{self, Better, Metric};
use model::rank::Rank;
use model::run::Run;
use model::trial::TrialOutcome;
use scraper::{Html, Selector};

/// A run of a host on a day, on a disk that is `times` as fast as in the fixture.
fn run(host: u32, day: u32, times: f64) -> Run {
    let mut run = fixture::run_of(6, &[1]);
    run.host.name = format!("node{host:02}");
    run.plan.created_at = format!("2026-11-{day:02}T10:00:00Z");
    (run.plan.rank, run.plan.again) = (Some(Rank::new(host, Some(12))), day == 2);
    // A trial fails on one host.
    run.records.retain(|record| {
        host == 5 || !matches!(record.outcome, TrialOutcome::Failed(_) | TrialOutcome::Killed(_))
    });
    let measurements = run.records.iter_mut().filter_map(|record| {
        record.started_at = format!("2026-11-{day:02}T10:01:00Z");
        record.measurement.as_mut()
    });
    for measurement in measurements {
        if host == 3 {
            measurement.placement.scheduler = Measured::Value("mq-deadline".to_owned());
        }
        for (name, figure) in measurement.phases.iter_mut().flat_map(|phase| &mut phase.metrics) {
            let Some(paid) = metric::find(name).filter(Metric::is_paid) else { continue };
            let factor = if paid.family.better == Better::Lower { 1.0 / times } else { times };
            *figure = figure.map(|value| value * factor);
        }
    }
    run
}

fn fleet(runs: &[Run]) -> Statement {
    let mut fleet = Fleet::default();
    for (index, run) in runs.iter().enumerate() {
        match Digest::of(format!("fleet/{index:02}"), run, &|_| None) {
            Ok(digest) => fleet.add(digest),
            Err(unread) => fleet.add_unread(*unread),
        }
    }
    let error = "fleet/spoiled: it has no plan.json".to_owned();
    fleet.add_unread(Unread { run: "fleet/spoiled".to_owned(), why: Unused::Unreadable { error } });
    fleet.state(&mut |_, _| Vec::new())
}

/// Twelve disks, of which node03 is slow; seven were measured again. node00 was slow on the first day.
fn runs() -> Vec<Run> {
    let jitter = |host: u32| 1.0 + 0.002 * f64::from(host % 5);
    let slow = |host: u32| match host {
        0 => 0.5,
        3 => 0.4,
        _ => 1.0,
    };
    let first = (0..12).map(|host| run(host, 1, jitter(host) * slow(host)));
    let again = (0..8).map(|host| run(host, 2, jitter(host) * if host == 3 { 0.4 } else { 1.0 }));
    first.chain(again).collect()
}

#[test]
fn terminal_at_a_hundred_and_ten_columns() {
    let text = report::fleet(&fleet(&runs()), 110, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 110, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_small_fleet_says_what_a_judgement_needs() {
    let few: Vec<Run> = (0..3).map(|host| run(host, 1, 1.0)).collect();
    insta::assert_snapshot!(report::fleet(&fleet(&few), 110, false));
}

/// A failed trial, two runs at the same time, one that measured nothing, and a question that nobody else answers.
#[test]
fn what_was_not_measured_is_listed_with_its_reason() {
    let mut runs = runs();
    let (mut beside, mut killed) = (run(1, 1, 1.0), run(2, 9, 1.0));
    (beside.plan.rank, killed.plan.rank) = (None, None);
    for record in &mut killed.records {
        (record.outcome, record.measurement) = (TrialOutcome::Killed(30.0), None);
    }
    for configuration in runs[4].plan.studies.iter_mut().flat_map(|study| &mut study.configurations) {
        configuration.0.insert("record_size".to_owned(), Value::Count(7));
    }
    runs.retain(|run| run.host.name != "node11");
    runs.extend([beside, killed]);
    let text = report::fleet(&fleet(&runs), 110, false);
    let found = &text[text.find("  not checked").unwrap()..text.find("\nThe first measurement").unwrap()];
    insta::assert_snapshot!(found);
}

#[test]
fn markdown_of_a_fleet() {
    insta::assert_snapshot!(page::markdown::document(&fleet(&runs()).document(Plots::NONE)));
}

#[test]
fn page_of_a_fleet() {
    insta::assert_snapshot!(outline(&report::fleet_html(&fleet(&runs()))));
}

#[test]
fn the_page_is_well_formed_offline_and_has_a_row_for_each_disk() {
    let text = report::fleet_html(&fleet(&runs()));
    for scheme in ["http://", "https://", "url(", "@import", "fetch("] {
        assert!(!text.contains(scheme), "{scheme}");
    }
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, Vec::<String>::new());
    let select = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).map(|found| found.text().collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(select("table.sortable tbody tr").len(), 12);
    assert_eq!(select("#suspects .badge"), ["✕ proven slow", "! not checked", "? not confirmed"]);
    for table in page.select(&Selector::parse("table").unwrap()) {
        assert!(table.select(&Selector::parse("thead th[scope=col]").unwrap()).count() > 0);
    }
    for target in page.select(&Selector::parse("nav a[href]").unwrap()) {
        let target = target.value().attr("href").unwrap();
        assert!(page.select(&Selector::parse(target).unwrap()).next().is_some(), "{target}");
    }
}

#[test]
fn names_stay_text_on_the_page_and_in_the_terminal() {
    let hostile = "</td></table><script>alert(1)</script>\u{1b}]0;owned\u{7}\u{202e}\u{2066}\r\n|`";
    let mut runs = runs();
    for run in &mut runs {
        run.host.kernel = hostile.to_owned();
        run.plan.directory = hostile.into();
    }
    let statement = fleet(&runs);
    let (text, html) = (report::fleet(&statement, 110, false), report::fleet_html(&statement));
    for shown in [&text, &html] {
        assert!(shown.chars().all(|c| c == '\n' || model::printable::is_printable(c)));
    }
    let page = Html::parse_document(&html);
    assert_eq!(page.errors, Vec::<String>::new());
    assert_eq!(page.select(&Selector::parse("script").unwrap()).count(), 1, "the one that sorts");
}
