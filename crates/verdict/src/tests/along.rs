//! Asks along a numeric factor: trends, crossovers, knees, thresholds; and the order of levels.

use super::{direct_times, first};
use crate::synthetic::{Synthetic, ask, name};
use crate::verdict::Answer;
use model::study::{Ask, AskKind};
use model::{Configuration, Value};

pub(super) fn sweep(kind: AskKind, metric: &str) -> Synthetic {
    let levels = [1, 2, 4, 8, 16].map(Value::Count).to_vec();
    Synthetic::commit().vary("reads_per_commit", levels).asks(vec![ask(kind, "reads_per_commit", &[metric])])
}

pub(super) fn reads(configuration: &Configuration) -> f64 {
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

/// Six trials of a hundred percent each were "proven … at least 100 % (99.85 % level)".
#[test]
fn equal_outcomes_are_counted_and_not_proven() {
    let limit = Some(2000.0);
    let on = Ask { limit, ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let all_or_nothing = |c: &Configuration, _| if reads(c) >= 2.0 { 2000.0 } else { 0.0 };
    let study = sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(all_or_nothing);
    let told = first(&study.scatter(0.0).rounds(6));
    assert_eq!((told.answer, told.level.unwrap().point), (Answer::Different, Some(2.0)));
    assert!(!told.statement.contains("proven"), "{}", told.statement);
    assert!(told.statement.contains("at most 39.3 % could break it (95 %)"), "{}", told.statement);
}

#[test]
fn a_threshold_for_each_level_of_another_factor_may_meet_zeros() {
    let asks = vec![Ask {
        limit: Some(1000.0),
        each: Some("group_size".to_owned()),
        mechanism: Some("transactions_per_s".to_owned()),
        ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"])
    }];
    // From twice as many reads as the group is large: nothing, or all.
    let cliff = |c: &Configuration, _| {
        let enough = reads(c) >= 2.0 * c.count("group_size").unwrap_or(1) as f64;
        if enough { 2000.0 } else { 0.0 }
    };
    let study = sweep(AskKind::Threshold, "commits_per_s").asks(asks).rate(cliff).scatter(0.0);
    let findings = super::study(&study).findings;
    let told: Vec<(&str, Option<f64>)> = findings
        .iter()
        .map(|finding| (finding.statement.as_str(), finding.level.as_ref().and_then(|level| level.point)))
        .collect();
    assert_eq!(told.iter().map(|(_, level)| *level).collect::<Vec<_>>(), [Some(2.0), Some(8.0)], "{told:?}");
    assert!(
        told[1].0.starts_with("At group_size = 4: reads_per_commit = 8 is the smallest level"),
        "{told:?}"
    );
    let why = &findings[0].mechanism;
    assert!(why.iter().any(|why| why.starts_with("transactions/s by reads_per_commit: 0")), "{why:?}");
}

#[test]
fn an_ask_may_be_asked_at_another_level_than_the_baselines() {
    let at = [("mode".to_owned(), "direct".to_owned())].into();
    let plain = ask(AskKind::Across, "reads_per_commit", &["commits_per_s"]);
    let asks = vec![plain.clone(), Ask { at, ..plain }];
    let rate = |c: &Configuration, _| if c.is("mode", "direct") { 4000.0 } else { 1000.0 };
    let study = sweep(AskKind::Across, "commits_per_s").asks(asks).rate(rate);
    let findings = super::study(&study).findings;
    let figures: Vec<f64> =
        findings.iter().map(|finding| finding.level.as_ref().unwrap().point.unwrap()).collect();
    assert!((figures[1] / figures[0] - 4.0).abs() < 0.2, "{figures:?}");
    assert!(findings[1].statement.starts_with("With mode = direct: "), "{}", findings[1].statement);
    let told = findings[1].caveats.iter().any(|caveat| caveat.contains("mode=direct only"));
    assert!(told, "{:?}", findings[1].caveats);
}

#[test]
fn one_figure_across_levels_lets_them_differ() {
    let across = |spread: f64| {
        let rate = move |c: &Configuration, _| 1000.0 * reads(c).powf(spread);
        first(&sweep(AskKind::Across, "commits_per_s").rate(rate))
    };
    let alike = across(0.0);
    let (low, high) = alike.level.clone().unwrap().interval.unwrap();
    assert!(low < 1000.0 && 1000.0 < high && high / low < 1.03, "{}", alike.statement);
    // 1000, 2000 … 16000: the geometric mean is 4000, and no level need be near it.
    let apart = across(1.0);
    let level = apart.level.clone().unwrap();
    let (low, high) = level.interval.unwrap();
    assert!((level.point.unwrap() / 4000.0 - 1.0).abs() < 0.05 && high / low > 4.0, "{}", apart.statement);
    assert!(
        apart.statement.starts_with("commits/s over 5 levels of reads_per_commit: "),
        "{}",
        apart.statement
    );
    assert!(apart.statement.contains("100.0 % of the variation is between them"), "{}", apart.statement);
    assert_eq!(apart.by_cell.len(), 5);
    assert!(
        apart.caveats.iter().any(|caveat| caveat.starts_with("No level need have")),
        "{:?}",
        apart.caveats
    );
    let two = first(
        &sweep(AskKind::Across, "commits_per_s")
            .vary("reads_per_commit", vec![Value::Count(1), Value::Count(2)]),
    );
    assert!(two.statement.contains("no common figure"), "{}", two.statement);
}
