//! What a verdict says of runs whose truth is known.

use crate::synthetic::{Synthetic, ask, name};
use crate::verdict::{Answer, Finding, StudyVerdict};
use crate::{analyse, synthetic};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::study::{Ask, AskKind};
use model::trial::Outcome;
use model::{Configuration, Value};

fn study(synthetic: &Synthetic) -> StudyVerdict {
    let mut verdict = analyse(&synthetic.run(), &|_| None);
    verdict.studies.remove(0)
}

fn first(synthetic: &Synthetic) -> Finding {
    study(synthetic).findings.remove(0)
}

fn direct_times(factor: f64) -> impl Fn(&Configuration, u32) -> f64 {
    move |configuration, _| if configuration.is("mode", "direct") { 1000.0 * factor } else { 1000.0 }
}

#[test]
fn a_true_effect_is_found_with_its_size() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)));
    assert_eq!(finding.answer, Answer::Different, "{}", finding.statement);
    let (low, high) = finding.ratio.unwrap().interval.unwrap();
    assert!(low < 1.5 && 1.5 < high && high / low < 1.1, "{low} {high}");
    assert!(finding.p_adjusted.unwrap() < 0.001);
    assert_eq!(finding.trials, 40);
    assert_eq!(finding.by_cell.len(), 2);
    assert!(finding.statement.starts_with("direct: commits/s is 1."), "{}", finding.statement);
    assert!(
        finding.statement.contains("that of buffered, better (95 % interval 1."),
        "{}",
        finding.statement
    );
    assert!(finding.statement.ends_with("10 rounds, 2 cells)."), "{}", finding.statement);
    assert!(
        finding.mechanism[0].starts_with("Device flushes per commit the same: 1.00"),
        "{:?}",
        finding.mechanism
    );
}

#[test]
fn less_latency_is_better() {
    let asks = vec![ask(AskKind::Compare, "mode", &["commit_latency_p50_us"])];
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).asks(asks));
    assert!(finding.statement.contains("that of buffered, better"), "{}", finding.statement);
}

#[test]
fn noise_gives_no_difference() {
    let finding = first(&Synthetic::commit().scatter(0.2));
    assert_ne!(finding.answer, Answer::Different, "{}", finding.statement);
}

#[test]
fn identical_arms_are_equivalent() {
    let finding = first(&Synthetic::commit().scatter(0.005));
    assert_eq!(finding.answer, Answer::Equivalent, "{}", finding.statement);
    assert!(finding.statement.contains("equals that of buffered within 5 %"), "{}", finding.statement);
}

#[test]
fn what_lies_between_is_undecided_and_says_how_many_rounds_would_decide() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.08)).scatter(0.12));
    assert_eq!(finding.answer, Answer::Undecided, "{}", finding.statement);
    let total = 10 + finding.rounds_needed.unwrap_or_else(|| panic!("{}", finding.statement));
    assert!(
        finding.statement.contains(&format!("about {total} rounds in all would")),
        "{}",
        finding.statement
    );
}

#[test]
fn opposite_effects_are_not_averaged_away() {
    let rate = |configuration: &Configuration, _| match (
        configuration.is("mode", "direct"),
        configuration.count("group_size"),
    ) {
        (true, Ok(1)) => 2000.0,
        (true, _) => 600.0,
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert!(
        finding.caveats.iter().any(|caveat| caveat.contains("not the same in every cell")),
        "{:?}",
        finding.caveats
    );
    assert!(finding.statement.contains("it depends on the cell: 0."), "{}", finding.statement);
    assert!(finding.statement.contains("at group_size=1"), "{}", finding.statement);
}

#[test]
fn three_rounds_give_no_interval_and_say_why() {
    let verdict = study(&Synthetic::commit().rounds(3).rate(direct_times(1.5)));
    let finding = &verdict.findings[0];
    assert_eq!(finding.answer, Answer::NotAssessable);
    assert!(finding.statement.contains("3 trials, an interval needs 6"), "{}", finding.statement);
    let ratio = finding.ratio.clone().unwrap();
    assert!(ratio.interval.is_none() && ratio.point.is_some());
    let figure = &verdict.cells[0].figures["commits_per_s"];
    assert_eq!(figure.mean.reason.as_deref(), Some("3 trials, an interval needs 6"));
    assert!(verdict.noise["commits_per_s"].value().is_none());
}

#[test]
fn simultaneous_intervals_widen_with_the_number_of_asks() {
    let on = ["commits_per_s", "commit_latency_p50_us"];
    let asks = vec![ask(AskKind::Compare, "mode", &on), ask(AskKind::Compare, "group_size", &on)];
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).asks(asks));
    assert!((finding.ratio.unwrap().level.unwrap() - 0.9875).abs() < 1e-12);
    assert!(finding.statement.contains("98.75 % simultaneous interval"), "{}", finding.statement);
}

#[test]
fn arms_of_different_durability_are_not_compared_silently() {
    let finding = first(&Synthetic::commit().rate(direct_times(3.0)).edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    }));
    assert_eq!(finding.answer, Answer::Different);
    assert!(finding.statement.starts_with("Durability classes differ (buffered: power, direct: process)"));
}

#[test]
fn an_unsupported_metric_is_no_zero() {
    let asks = vec![ask(AskKind::Compare, "mode", &["sync_latency_p50_us"])];
    let finding = first(&Synthetic::commit().asks(asks).edit(|record| {
        if record.values.is("mode", "direct") {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert(
                "sync_latency_p50_us".to_owned(),
                Measured::unsupported("the sync is part of the write"),
            );
        }
    }));
    assert_eq!(finding.answer, Answer::NotAssessable);
    assert!(finding.statement.contains("the sync is part of the write"), "{}", finding.statement);
}

fn sweep(kind: AskKind, metric: &str) -> Synthetic {
    let levels = [1, 2, 4, 8, 16].map(Value::Count).to_vec();
    Synthetic::commit().vary("reads_per_commit", levels).asks(vec![ask(kind, "reads_per_commit", &[metric])])
}

fn reads(configuration: &Configuration) -> f64 {
    configuration.count("reads_per_commit").unwrap_or(1) as f64
}

#[test]
fn a_trend_is_told_over_its_whole_range() {
    let flat = first(&sweep(AskKind::Trend, "commit_latency_p50_us").scatter(0.005));
    assert_eq!(flat.answer, Answer::Equivalent, "{}", flat.statement);
    assert!(flat.statement.starts_with("reads_per_commit has no effect on commit latency p50 from 1 to 16"));
    let rising =
        first(&sweep(AskKind::Trend, "commit_latency_p50_us").rate(|c, _| 1000.0 / reads(c).powf(0.25)));
    assert_eq!(rising.answer, Answer::Different);
    assert!(
        rising.statement.contains("becomes 2.0") || rising.statement.contains("becomes 1.9"),
        "{}",
        rising.statement
    );
    assert!(rising.statement.contains("worse"), "{}", rising.statement);
    assert_eq!(rising.by_cell.len(), 4);
    let hump = |c: &Configuration, _| if c.count("reads_per_commit") == Ok(4) { 2000.0 } else { 1000.0 };
    let humped = first(&sweep(AskKind::Trend, "commits_per_s").rate(hump));
    assert_eq!(humped.answer, Answer::Different);
    assert!(humped.statement.contains("not steadily"), "{}", humped.statement);
    assert!(
        humped.caveats.iter().any(|caveat| caveat.contains("reads_per_commit = 4")),
        "{:?}",
        humped.caveats
    );
    let unordered = Synthetic::commit().asks(vec![ask(AskKind::Trend, "mode", &["commits_per_s"])]);
    assert!(first(&unordered).statement.contains("mode = buffered is no number"));
}

#[test]
fn a_crossover_is_located() {
    let crossing = |c: &Configuration, _| {
        if c.is("mode", "direct") { 1000.0 * (reads(c) / 4.0).powf(0.5) } else { 1000.0 }
    };
    let asks = vec![Ask {
        between: Some("mode".to_owned()),
        ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"])
    }];
    let at = first(&sweep(AskKind::Crossover, "commits_per_s").asks(asks.clone()).rate(crossing));
    let (low, high) = at.level.clone().unwrap().interval.unwrap();
    assert!(low < 4.0 && 4.0 < high, "{}", at.statement);
    assert!(at.statement.contains("direct is below before and above after"), "{}", at.statement);
    let apart = first(&sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(direct_times(1.5)));
    assert!(apart.statement.contains("do not change places"), "{}", apart.statement);
    assert!(apart.level.is_none());
}

#[test]
fn knees_thresholds_and_ranks() {
    let saturating = |c: &Configuration, _| 1000.0 * reads(c).min(4.0);
    let knee = first(&sweep(AskKind::Knee, "commits_per_s").rate(saturating));
    assert!(knee.statement.starts_with("reads_per_commit = 4 is enough for commits/s"), "{}", knee.statement);
    let limit =
        vec![Ask { limit: Some(1900.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) }];
    let threshold = first(&sweep(AskKind::Threshold, "commits_per_s").asks(limit).rate(saturating));
    assert_eq!(threshold.level.unwrap().point, Some(2.0), "{}", threshold.statement);
    let order = vec![name("buffered"), name("direct"), name("dontcache")];
    let rates = |c: &Configuration, _| if c.is("mode", "direct") { 1500.0 } else { 1000.0 };
    let rank =
        Synthetic::commit().vary("mode", order).asks(vec![ask(AskKind::Rank, "mode", &["commits_per_s"])]);
    let rank = first(&rank.rate(rates));
    assert!(
        rank.statement.starts_with("mode by commits/s, best first: 1. direct (1\u{2009}"),
        "{}",
        rank.statement
    );
    assert!(
        rank.statement.contains("2. buffered") && rank.statement.contains("2. dontcache"),
        "{}",
        rank.statement
    );
}

#[test]
fn the_answer_tells_failed_audits() {
    let broken = Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
    });
    let answer = study(&broken).answer;
    assert!(answer.starts_with("direct: commits/s is 1."), "{answer}");
    assert!(answer.contains("why 1 audit failed: littles-law"), "{answer}");
}

#[test]
fn the_order_of_records_does_not_matter() {
    let mut run = Synthetic::commit().rate(direct_times(1.5)).run();
    // A trial that was killed, then ran again in a second session.
    let mut killed = run.records[7].clone();
    killed.outcome = Outcome::Killed(30.0);
    killed.measurement = None;
    run.records[7].session = 1;
    run.records.push(killed);
    let forward = serde_json::to_string(&analyse(&run, &synthetic::sidecar)).unwrap();
    run.records.reverse();
    run.records.swap(3, 30);
    assert_eq!(serde_json::to_string(&analyse(&run, &synthetic::sidecar)).unwrap(), forward);
    let verdict = analyse(&run, &|_| None);
    assert_eq!(verdict.studies[0].trials.ok, 50);
    assert!(
        verdict.remarks.iter().any(|remark| remark.contains("1 records repeat")),
        "{:?}",
        verdict.remarks
    );
}

#[test]
fn missing_trials_cost_their_round_and_are_counted() {
    let mut run = Synthetic::commit().rate(direct_times(1.5)).run();
    run.records.retain(|record| record.key.round != 9 || record.key.configuration != 1);
    run.records[0].key.configuration = 99;
    let verdict = analyse(&run, &|_| None);
    let study = &verdict.studies[0];
    assert_eq!((study.trials.planned, study.trials.ok, study.trials.missing), (50, 48, 2));
    assert!(study.findings[0].statement.contains("8 rounds, 2 cells"), "{}", study.findings[0].statement);
    assert!(study.findings[0].caveats.iter().any(|caveat| caveat.contains("left out")));
    assert!(verdict.remarks.iter().any(|remark| remark.contains("2 of 50 trials have not run yet")));
    assert!(verdict.remarks.iter().any(|remark| remark.contains("not in the plan")));
}

#[test]
fn a_configuration_that_never_runs_does_not_take_the_others_with_it() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        if record.key.configuration == 3 && record.key.round > 2 {
            record.outcome = Outcome::Unsupported("no".to_owned());
            record.measurement = None;
        }
    }));
    assert_eq!(finding.answer, Answer::Different);
    assert!(finding.statement.contains("10 rounds, 1 cell)"), "{}", finding.statement);
    assert!(
        finding.caveats.iter().any(|caveat| caveat.contains("group_size=4 is left out")),
        "{:?}",
        finding.caveats
    );
}

#[test]
fn an_empty_run_has_no_answer() {
    let mut run = Synthetic::commit().run();
    run.records.clear();
    let verdict = analyse(&run, &|_| None);
    assert_eq!(verdict.studies[0].answer, "No trial has ended well yet, so there is no answer.");
}

#[test]
fn time_adds_up() {
    let verdict = analyse(&Synthetic::commit().run(), &|_| None);
    let time = &verdict.time;
    let total = time.measuring_s + time.preparing_s + time.quiescing_s + time.cache_s + time.other_s;
    assert!((total - 50.0 * 2.6).abs() < 1e-6, "{time:?}");
    assert!((time.other_s - 50.0 * 0.2).abs() < 1e-6);
}

#[test]
fn a_small_run_as_json() {
    let asks = vec![
        ask(AskKind::Compare, "mode", &["commits_per_s", "commit_latency_p50_us"]),
        ask(AskKind::Trend, "group_size", &["transactions_per_s"]),
    ];
    let study = Synthetic::commit().rounds(6).rate(direct_times(1.5)).asks(asks);
    let mut verdict = analyse(&study.run(), &synthetic::sidecar);
    // Two figures and a short curve stand for all.
    for study in &mut verdict.studies {
        for cell in &mut study.cells {
            cell.figures.retain(|metric, _| metric == "commits_per_s");
        }
        study.curves.truncate(1);
        study.curves[0].points.truncate(3);
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&verdict).unwrap());
}

mod hostile;
