//! The first screen: the disk, the first answers, and what could not be trusted.

use crate::fixture;

use fixture::specimen;
use model::Value;
use model::mechanism::Measured;
use model::plan::Skipped;
use model::run::Run;
use model::study::AskKind;
use scraper::{Html, Selector};
use verdict::finding::{Asked, At, Levels, Outcome, Outlook, Subject};
use verdict::{Bearing, Requirement, RunRemark};

fn select(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

fn texts(page: &Html, selector: &str) -> Vec<String> {
    page.select(&select(selector)).map(|found| found.text().collect::<String>()).collect()
}

#[test]
fn what_is_decided_comes_first_and_each_answer_has_a_sentence_a_number_and_a_plot() {
    let (run, verdict) = specimen(6);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let titles = texts(&page, ".answer-row h3 a");
    // The question about the log's layout comes earlier in the editorial order, but three rounds do not decide it.
    assert_eq!(
        titles,
        ["Direct or buffered commits, beside reads?", "Does it matter how the log's file was made?"]
    );
    assert_eq!(texts(&page, ".answer-row .said p").len(), 2);
    assert!(texts(&page, ".answer-row .interval").iter().any(|interval| interval.contains("95")));
    for row in page.select(&select(".answer-row")) {
        let plot = row.select(&select("svg[role=img]")).next().expect("a plot");
        let words = plot.value().attr("aria-label").expect("words");
        assert!(
            words.starts_with("Geometric mean ") && words.contains("prefilled") | words.contains("buffered"),
            "{words}"
        );
        assert!(plot.select(&select("circle")).count() >= 2);
    }
}

#[test]
fn a_run_of_one_study_has_one_answer_to_its_own_question() {
    let (mut run, mut verdict) = specimen(6);
    run.plan.studies.truncate(1);
    verdict.studies.truncate(1);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(texts(&page, ".answer-row h3 a"), [verdict.studies[0].question.clone()]);
    assert!(texts(&page, "#also").is_empty());
}

/// A command that the command line would refuse is not printed.
#[test]
fn more_rounds_than_may_be_asked_for_have_no_command() {
    let (run, verdict) = specimen(6);
    let again = |study: &verdict::StudyVerdict| (study.name.clone(), "syncline run it --rounds".to_owned());
    let in_rounds = verdict.studies.iter().map(again).collect();
    let repeat = report::Repeat { in_rounds, ..report::Repeat::default() };
    let said = |more: usize| {
        let mut verdict = verdict.clone();
        let findings = verdict.studies.iter_mut().flat_map(|study| &mut study.findings);
        findings.for_each(|finding| {
            finding.outlook = finding.outlook.map(|_| Outlook::Rounds { in_all: more + 3, more });
        });
        let page = Html::parse_document(&report::html(&run, &verdict, &[], &repeat));
        texts(&page, ".trust ul.lines li").join(" ")
    };
    assert!(said(10).contains("syncline run it --rounds 1"), "{}", said(10));
    assert!(!said(5000).contains("syncline run it"), "{}", said(5000));
}

#[test]
fn what_could_not_be_trusted_is_told_worst_first_with_what_to_do() {
    let (mut run, mut verdict) = specimen(6);
    let why = "its engine is not built in: build with the feature rocksdb";
    run.plan.skipped.push(Skipped { study: "kv".to_owned(), why: why.to_owned() });
    verdict.remarks.push(RunRemark::Skipped { study: "kv".to_owned(), why: why.to_owned() });
    let again = "syncline run wal-layout --profile quick --fix mode=direct --rounds".to_owned();
    let in_rounds = verdict.studies.iter().map(|study| (study.name.clone(), again.clone())).collect();
    let repeat = report::Repeat { in_rounds, ..report::Repeat::default() };
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &repeat));
    let audits = texts(&page, ".trust > ul.audits > li");
    assert!(audits[0].contains("small-n") && audits[0].contains("What to do: Run it again"), "{audits:?}");
    assert!(audits[1].contains("drift") && audits[1].contains("In commit"), "{audits:?}");
    let lines = texts(&page, ".trust ul.lines li");
    assert!(lines.iter().any(|line| line.contains("about 6 rounds in all would decide it")), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.ends_with("--profile quick --fix mode=direct --rounds 6")),
        "{lines:?}"
    );
    assert_eq!(lines.iter().filter(|line| line.contains(why)).count(), 1, "{lines:?}");
    let tally = texts(&page, ".tally li").join(", ");
    assert_eq!(tally, "1 answered, 1 undecided, 1 audit failed, 1 audit warns, 1 study skipped");
}

/// "Not assessable: the device saw as many flushes as acknowledged syncs need" stood where the audit had passed for
/// other configurations than the answer's.
#[test]
fn an_audit_that_passed_elsewhere_names_the_configurations_that_it_could_not_judge() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    let (audit, configuration) = ("littles-law".to_owned(), study.cells[1].configuration);
    let passed = study.audits.iter_mut().find(|known| known.name == audit).unwrap();
    passed.unassessed = vec![configuration];
    let (summary, label) = (passed.summary.clone(), study.cells[1].levels[0].clone());
    let rests_on = &mut study.findings[0].rests_on;
    rests_on.configurations = vec![configuration];
    rests_on.requires =
        vec![Requirement { audit, bearing: Bearing::Required, configurations: vec![configuration] }];
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let audits = texts(&page, ".trust > ul.audits > li");
    let told = audits.iter().find(|audit| audit.contains("littles-law")).unwrap();
    assert!(told.contains(&label) && !told.contains(&summary), "{told}");
}

/// It said "64.0 in flight give all this disk has … A read takes 509 µs at the median there", although 64 was the last
/// level, the latency belonged to another depth, and the median was a mean of medians.
#[test]
fn the_best_depth_is_told_with_its_own_latency_and_as_what_it_is() {
    let (mut run, mut verdict) = specimen(6);
    "depth".clone_into(&mut run.plan.studies[0].name);
    run.records
        .iter_mut()
        .filter(|record| record.key.study == "commit")
        .for_each(|record| "depth".clone_into(&mut record.key.study));
    let study = &mut verdict.studies[0];
    "depth".clone_into(&mut study.name);
    for cell in &mut study.cells {
        for (like, name) in [("reads_per_s", "iops"), ("commit_latency_p50_us", "completion_latency_p50_us")]
        {
            let figure = cell.figures[like].clone();
            cell.figures.insert(name.to_owned(), figure);
        }
    }
    let knee = &mut study.findings[0];
    knee.metric = "iops".to_owned();
    knee.ask = Asked { kind: AskKind::Knee, factor: "reads_per_commit".to_owned(), ..knee.ask.clone() };
    let at = |level: u64, figure: f64| At { level: Value::Count(level), figure };
    knee.subject = Subject::Range { first: Value::Count(1), last: Value::Count(64) };
    knee.outcome = Outcome::Enough { level: at(16, 9800.0), best: at(64, 10_000.0) };
    (knee.ratio, knee.figures) = (None, None);
    let sentence = |run: &Run, verdict: &verdict::Verdict| {
        let page = Html::parse_document(&report::html(run, verdict, &[], &report::Repeat::default()));
        let title = texts(&page, ".answer-row h3 a");
        assert_eq!(title[0], "How many random reads, and how many at once?");
        (texts(&page, ".answer-row .said p")[0].clone(), page.root_element().text().collect::<String>())
    };
    let (said, page) = sentence(&run, &verdict);
    assert!(page.contains("reads_per_commit = 64, highest of 16"), "the highest of many flatters");
    assert!(
        said.starts_with("16 in flight reach this disk's maximum, to within 5\u{a0}%. Latency with "),
        "{said}"
    );
    assert!(
        said.contains("reads_per_commit = 64, means over trials: p50 ") && said.contains(", 95\u{a0}%)"),
        "{said}"
    );
    assert!(!said.contains("median"), "{said}");
    assert!(page.contains("reads_per_commit = 16 is enough: 9"), "the finding in full");
    verdict.studies[0].findings[0].outcome = Outcome::OnlyBest { best: at(64, 10_000.0), is_smallest: false };
    let (said, _) = sentence(&run, &verdict);
    let best = "64 in flight are the fastest, and no smaller number is proven to come within 5\u{a0}% of it.";
    assert!(said.starts_with(best), "{said}");
}

/// "Which way to sync?" was undecided on the first screen, but nothing below stated what would decide it: only a
/// study's first ask did.
#[test]
fn what_the_first_screen_leaves_open_is_told_among_the_undecided() {
    let (mut run, mut verdict) = specimen(6);
    "commit-modes".clone_into(&mut run.plan.studies[0].name);
    let study = &mut verdict.studies[0];
    "commit-modes".clone_into(&mut study.name);
    let open = study.findings.last_mut().unwrap();
    let (factor, level) = ("sync".to_owned(), |name: &str| Value::Name(name.to_owned()));
    open.ask = Asked { place: 1, factor: factor.clone(), ..open.ask.clone() };
    open.subject = Subject::Levels(Levels { factor, level: level("dsync"), baseline: level("fdatasync") });
    open.outcome = Outcome::Undecided;
    open.outlook = Some(Outlook::Rounds { in_all: 40, more: 34 });
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert!(texts(&page, ".answer-row h3 a").contains(&"Which way to sync?".to_owned()));
    let lines = texts(&page, ".trust ul.lines li");
    let told: Vec<&String> = lines.iter().filter(|line| line.contains("about 40 rounds in all")).collect();
    assert!(matches!(told[..], [line] if line.contains("dsync against fdatasync")), "{lines:?}");
}

#[test]
fn what_this_disk_is_is_said_in_sentences() {
    let (mut run, verdict) = specimen(6);
    let said = |run: &Run| {
        texts(&Html::parse_document(&report::html(run, &verdict, &[], &report::Repeat::default())), ".lead")
            .join(" ")
    };
    let text = said(&run);
    assert!(
        text.contains(
            "nvme0n1p2 is a solid-state disk of 954\u{a0}GiB, formatted xfs and mounted rw,noatime"
        ),
        "{text}"
    );
    assert!(text.contains("this run does not show whether flushes reach it"), "{text}");
    "KVM".clone_into(&mut run.host.virtualisation);
    for placement in
        run.records.iter_mut().filter_map(|record| Some(&mut record.measurement.as_mut()?.placement))
    {
        placement.model = Measured::unsupported("no model");
        placement.write_cache = Measured::Value("write through".to_owned());
    }
    let text = said(&run);
    assert!(
        text.contains("is a virtual disk of")
            && text.contains("unknown whether it has a volatile write cache"),
        "{text}"
    );
}

/// The plots beside "4 070 against 4 190 commits/s" showed 7 300 and 6 490, the figures of the baseline's own
/// configurations.
#[test]
fn the_figures_beside_a_ratio_are_those_that_it_compares() {
    let (mut run, mut verdict) = specimen(6);
    run.plan.studies.truncate(1);
    verdict.studies.truncate(1);
    let figures = verdict.studies[0].findings[0].figures.unwrap();
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let shown = texts(&page, ".answer-row svg text.value");
    let text = |figure| model::figure::round_figure(figure, model::metric::Unit::PerSecond);
    assert_eq!(shown, [text(figures.baseline), text(figures.level)]);
    let ratio = verdict.studies[0].findings[0].ratio.as_ref().and_then(|ratio| ratio.point).unwrap();
    assert!((figures.level / figures.baseline / ratio - 1.0).abs() < 0.01, "{figures:?} and {ratio}");
}

/// With fewer trials than an interval takes, flushes were "good" beside "not measured".
#[test]
fn a_rating_without_an_interval_still_has_its_figure() {
    let (run, verdict) = specimen(3);
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let rated = texts(&page, "section.ratings dd");
    assert!(!rated.is_empty());
    assert!(rated.iter().all(|one| !one.contains("not measured")), "{rated:?}");
    assert!(rated.iter().any(|one| one.contains("not rated")), "{rated:?}");
}
