//! The first screen: the disk, the first answers, and what could not be trusted.

use crate::fixture;

use crate::outline::texts;
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
    assert_eq!(
        texts(&page, ".answer-row .interval"),
        ["1.08–1.10, 95\u{a0}%", "no interval: n = 3 trials, and fewer than 6 give no interval"]
    );
    let mut words = Vec::new();
    for row in page.select(&select(".answer-row")) {
        let plot = row.select(&select("svg[role=img]")).next().expect("a plot");
        words.extend(plot.value().attr("aria-label"));
        assert!(plot.select(&select("circle")).count() >= 2);
    }
    insta::assert_snapshot!(words.join("\n"), @r"
    Geometric mean commits/s by mode. buffered: 430/s (no interval: the interval is that of the ratio); direct: 470/s (no interval: the interval is that of the ratio).
    Geometric mean device flushes per commit by wal_layout. prefilled: 1.00 (no interval: the interval is that of the ratio); append: 2.00 (no interval: the interval is that of the ratio).
    ");
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
    let commands = |more: usize| {
        let mut verdict = verdict.clone();
        let findings = verdict.studies.iter_mut().flat_map(|study| &mut study.findings);
        findings.for_each(|finding| {
            finding.outlook = finding.outlook.map(|_| Outlook::Rounds { in_all: more + 3, more });
        });
        let page = Html::parse_document(&report::html(&run, &verdict, &[], &repeat));
        texts(&page, ".trust ul.lines code")
    };
    assert_eq!(commands(10), ["syncline run it --rounds 13"]);
    assert!(commands(5000).is_empty());
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
    let told = texts(&page, ".trust > ul.audits .badge, .trust > ul.audits p, .trust ul.lines li");
    insta::assert_snapshot!(told.join("\n"), @r"
    ✕ FAIL
    small-n in wal-layout. 3 rounds: no interval can be given for any figure.
    What to do: Run it again with --rounds 6 or more.
    ! warn
    drift in commit, wal-layout. In commit: commits/s fell by 0.4 % a round.
    What to do: Let the device cool down: --fix cooldown=2s.
    wal-layout device flushes per commit, append against prefilled: about 6 rounds in all would decide it. syncline run wal-layout --profile quick --fix mode=direct --rounds 6
    kv was skipped: its engine is not built in: build with the feature rocksdb
    The run was resumed: its trials come from 2 sessions.
    ");
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
    let rests_on = &mut study.findings[0].rests_on;
    rests_on.configurations = vec![configuration];
    rests_on.requires =
        vec![Requirement { audit, bearing: Bearing::Required, configurations: vec![configuration] }];
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    let audits = texts(&page, ".trust > ul.audits p:first-child");
    let told = audits.iter().find(|audit| audit.starts_with("littles-law ")).unwrap();
    insta::assert_snapshot!(told, @"littles-law in commit. It could not be carried out for buffered, group_size = 1, reads_per_commit = 4.");
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
        let [what, said] =
            [".answer-row .what", ".answer-row .said p"].map(|part| texts(&page, part)[0].clone());
        (what, said, texts(&page, "#study-0 .answer")[0].clone())
    };
    let (what, said, finding) = sentence(&run, &verdict);
    insta::assert_snapshot!(what, @"IOPS, direct, group_size = 1, reads_per_commit = 64, highest of 16");
    insta::assert_snapshot!(said, @"16 in flight reach this disk's maximum, to within 5 %. Latency with direct, group_size = 1, reads_per_commit = 64, means over trials: p50 2 010 µs (1 990–2 030, 95 %).");
    insta::assert_snapshot!(finding, @"reads_per_commit = 16 is enough: 9 800 IOPS, within 5 % of the best, 10 000 at 64 (95 % confidence, 6 rounds).");
    verdict.studies[0].findings[0].outcome = Outcome::OnlyBest { best: at(64, 10_000.0), is_smallest: false };
    let (_, said, _) = sentence(&run, &verdict);
    insta::assert_snapshot!(said, @"64 in flight are the fastest, and no smaller number is proven to come within 5 % of it. Latency with direct, group_size = 1, reads_per_commit = 64, means over trials: p50 2 010 µs (1 990–2 030, 95 %).");
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
    insta::assert_snapshot!(texts(&page, ".trust ul.lines li").join("\n"), @r"
    commit-modes commit latency p50, dsync against fdatasync: about 40 rounds in all would decide it.
    wal-layout device flushes per commit, append against prefilled: about 6 rounds in all would decide it.
    The run was resumed: its trials come from 2 sessions.
    ");
}

#[test]
fn what_this_disk_is_is_said_in_sentences() {
    let (mut run, verdict) = specimen(6);
    let said = |run: &Run| {
        texts(&Html::parse_document(&report::html(run, &verdict, &[], &report::Repeat::default())), ".lead")
            .join(" ")
    };
    insta::assert_snapshot!(said(&run), @"nvme0n1p2 is a solid-state disk of 954 GiB, formatted xfs and mounted rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota. Its write cache is volatile; this run does not show whether flushes reach it.");
    "KVM".clone_into(&mut run.host.virtualisation);
    for placement in
        run.records.iter_mut().filter_map(|record| Some(&mut record.measurement.as_mut()?.placement))
    {
        placement.model = Measured::unsupported("no model");
        placement.write_cache = Measured::Value("write through".to_owned());
    }
    insta::assert_snapshot!(said(&run), @"nvme0n1p2 is a virtual disk of 954 GiB, formatted xfs and mounted rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota. It is unknown whether it has a volatile write cache: queue/write_cache reports no volatile cache, and nothing else shows that.");
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
    insta::assert_snapshot!(rated.join("\n"), @r"
    ? not rated 448/s (n = 3 trials, and fewer than 6 give no interval)
    ? not rated 3 450 µs (n = 3 trials, and fewer than 6 give no interval)
    ? not rated 1.00 (flushes were not counted)
    ");
}
