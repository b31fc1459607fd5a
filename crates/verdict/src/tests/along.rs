//! Asks along a numeric factor: trends, crossovers, knees, thresholds; and the order of levels.

use super::{direct_times, first};
use crate::finding::{
    Counter, Figures, Finding, Held, Limit, Outcome, Proven, Reason, Remark, Side, Subject,
};
use crate::verdict::{Answer, Estimate};
use model::study::{Ask, AskKind};
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

pub(super) fn sweep(kind: AskKind, metric: &str) -> Synthetic {
    let levels = [1, 2, 4, 8, 16].map(Value::Count).to_vec();
    Synthetic::commit().vary("reads_per_commit", levels).asks(vec![ask(kind, "reads_per_commit", &[metric])])
}

pub(super) fn reads(configuration: &Configuration) -> f64 {
    configuration.count("reads_per_commit").unwrap_or(1) as f64
}

fn typical(finding: &Finding) -> &Estimate {
    match &finding.outcome {
        Outcome::Typical { mean, .. } => mean,
        _ => panic!("{finding:?}"),
    }
}

#[test]
fn a_trend_is_told_over_its_whole_range() {
    let flat = first(&sweep(AskKind::Trend, "commit_latency_p50_us").scatter(0.005));
    assert_eq!(flat.answer(), Answer::Equivalent, "{flat:?}");
    assert_eq!(flat.subject, Subject::Range { first: Value::Count(1), last: Value::Count(16) });
    let rising =
        first(&sweep(AskKind::Trend, "commit_latency_p50_us").rate(|c, _| 1000.0 / reads(c).powf(0.25)));
    assert_eq!(rising.answer(), Answer::Different);
    assert_eq!(rising.outcome, Outcome::Different { is_small: false, is_steady: true });
    assert!((rising.ratio.as_ref().unwrap().point.unwrap() - 2.0).abs() < 0.1, "{rising:?}");
    let Figures { level, baseline } = rising.figures.unwrap();
    assert!((level / baseline - 2.0).abs() < 0.1, "{rising:?}");
    assert_eq!(rising.by_cell.len(), 4);
    let hump = |c: &Configuration, _| if c.count("reads_per_commit") == Ok(4) { 2000.0 } else { 1000.0 };
    let humped = first(&sweep(AskKind::Trend, "commits_per_s").rate(hump));
    assert_eq!(humped.answer(), Answer::Different);
    assert_eq!(humped.outcome, Outcome::Different { is_small: false, is_steady: false }, "{humped:?}");
    let bend = |remark: &Remark| matches!(remark, Remark::Bend { level: Value::Count(4), .. });
    assert!(humped.remarks.iter().any(bend), "{humped:?}");
    let unordered = Synthetic::commit().asks(vec![ask(AskKind::Trend, "mode", &["commits_per_s"])]);
    let why = Reason::NotANumber { factor: "mode".to_owned(), level: name("buffered") };
    assert_eq!(first(&unordered).outcome, Outcome::NotAssessable(why));
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
    let Outcome::ChangePlaces { at: place, starts } = &at.outcome else { panic!("{at:?}") };
    let (low, high) = place.interval.unwrap();
    assert!(low < 4.0 && 4.0 < high && *starts == Side::Below, "{at:?}");
    let apart = first(&sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(direct_times(1.5)));
    assert_eq!(apart.outcome, Outcome::KeepPlaces { always: Side::Above });
}

#[test]
fn knees_thresholds_and_ranks() {
    let saturating = |c: &Configuration, _| 1000.0 * reads(c).min(4.0);
    let knee = first(&sweep(AskKind::Knee, "commits_per_s").rate(saturating));
    let Outcome::Enough { level, best } = &knee.outcome else { panic!("{knee:?}") };
    assert_eq!(level.level, Value::Count(4));
    assert!((level.figure / best.figure - 1.0).abs() < 0.05, "{knee:?}");
    let limit =
        vec![Ask { limit: Some(1900.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) }];
    let threshold = first(&sweep(AskKind::Threshold, "commits_per_s").asks(limit).rate(saturating));
    let Outcome::Keeps { level, limit, proven } = &threshold.outcome else { panic!("{threshold:?}") };
    assert_eq!(
        (&level.level, limit, proven),
        (&Value::Count(2), &Limit::AtLeast(1900.0), &Proven::ByInterval)
    );
    let order = vec![name("buffered"), name("direct"), name("dontcache")];
    let rates = |c: &Configuration, _| if c.is("mode", "direct") { 1500.0 } else { 1000.0 };
    let rank =
        Synthetic::commit().vary("mode", order).asks(vec![ask(AskKind::Rank, "mode", &["commits_per_s"])]);
    let rank = first(&rank.rate(rates));
    let Outcome::Ranked(order) = &rank.outcome else { panic!("{rank:?}") };
    let ranks: Vec<usize> = order.iter().map(|place| place.rank).collect();
    assert_eq!((ranks, &order[0].at.level), (vec![1, 2, 2], &name("direct")));
}

/// Six trials of a hundred percent each gave "proven … at least 100 % (99.85 % level)".
#[test]
fn equal_outcomes_are_counted_and_not_proven() {
    let limit = Some(2000.0);
    let on = Ask { limit, ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let all_or_nothing = |c: &Configuration, _| if reads(c) >= 2.0 { 2000.0 } else { 0.0 };
    let study = sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(all_or_nothing);
    let told = first(&study.scatter(0.0).rounds(6));
    let Outcome::Keeps { level, proven, .. } = &told.outcome else { panic!("{told:?}") };
    assert_eq!(level.level, Value::Count(2));
    let Proven::InEveryTrial { trials: 6, otherwise_at_most } = proven else { panic!("{told:?}") };
    assert!((otherwise_at_most - 0.393).abs() < 0.001, "{told:?}");
}

#[test]
fn a_threshold_for_each_level_of_another_factor_may_meet_zeros() {
    let asks = vec![Ask {
        limit: Some(1000.0),
        each: Some("group_size".to_owned()),
        mechanism: Some("transactions_per_s".to_owned()),
        ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"])
    }];
    // 2 000 commits/s with at least twice as many reads as the group size, and none with fewer.
    let cliff = |c: &Configuration, _| {
        let enough = reads(c) >= 2.0 * c.count("group_size").unwrap_or(1) as f64;
        if enough { 2000.0 } else { 0.0 }
    };
    let study = sweep(AskKind::Threshold, "commits_per_s").asks(asks).rate(cliff).scatter(0.0);
    let findings = super::study(&study).findings;
    let levels: Vec<_> =
        findings.iter().map(|finding| finding.outcome.level().unwrap().level.clone()).collect();
    assert_eq!(levels, [Value::Count(2), Value::Count(8)]);
    let at = Held { factor: "group_size".to_owned(), level: Value::Count(4) };
    assert_eq!(findings[1].ask.at, [at]);
    let Counter::ByLevel { metric, means } = &findings[0].mechanism[0] else { panic!("{findings:?}") };
    assert!(metric == "transactions_per_s" && means[0] == (Value::Count(1), 0.0), "{means:?}");
}

#[test]
fn an_ask_may_be_asked_at_another_level_than_the_baselines() {
    let at = [("mode".to_owned(), "direct".to_owned())].into();
    let plain = ask(AskKind::Across, "reads_per_commit", &["commits_per_s"]);
    let asks = vec![plain.clone(), Ask { at, ..plain }];
    let rate = |c: &Configuration, _| if c.is("mode", "direct") { 4000.0 } else { 1000.0 };
    let study = sweep(AskKind::Across, "commits_per_s").asks(asks).rate(rate);
    let findings = super::study(&study).findings;
    let figures: Vec<f64> = findings.iter().map(|finding| typical(finding).point.unwrap()).collect();
    assert!((figures[1] / figures[0] - 4.0).abs() < 0.2, "{figures:?}");
    assert_eq!(findings[1].ask.at, [Held { factor: "mode".to_owned(), level: name("direct") }]);
    let held = Remark::HeldAt { levels: "mode=direct".to_owned(), is_baseline: false };
    assert!(findings[1].remarks.contains(&held), "{:?}", findings[1].remarks);
}

#[test]
fn one_figure_across_levels_lets_them_differ() {
    let across = |spread: f64| {
        let rate = move |c: &Configuration, _| 1000.0 * reads(c).powf(spread);
        first(&sweep(AskKind::Across, "commits_per_s").rate(rate))
    };
    let alike = across(0.0);
    let (low, high) = typical(&alike).interval.unwrap();
    assert!(low < 1000.0 && 1000.0 < high && high / low < 1.03, "{alike:?}");
    // 1000, 2000 … 16000: the geometric mean is 4000, although a level need not be near it.
    let apart = across(1.0);
    let level = typical(&apart);
    let (low, high) = level.interval.unwrap();
    assert!((level.point.unwrap() / 4000.0 - 1.0).abs() < 0.05 && high / low > 4.0, "{apart:?}");
    let Outcome::Typical { levels: 5, heterogeneity, lowest, highest, .. } = &apart.outcome else {
        panic!("{apart:?}")
    };
    assert!(*heterogeneity > 0.999, "{apart:?}");
    assert_eq!((&lowest.level, &highest.level), (&Value::Count(1), &Value::Count(16)));
    assert_eq!(apart.by_level.len(), 5);
    assert_eq!((alike.answer(), apart.answer()), (Answer::Equivalent, Answer::Different));
    let two = first(
        &sweep(AskKind::Across, "commits_per_s")
            .vary("reads_per_commit", vec![Value::Count(1), Value::Count(2)]),
    );
    assert!(matches!(two.outcome, Outcome::NotAssessable(Reason::NoInterval(_))), "{two:?}");
}

/// "different" stood before every such figure, also before 0.861 (0.126–5.87) inside a noise floor of 8×.
#[test]
fn levels_that_scatter_like_an_arm_against_itself_do_not_differ() {
    let wide = sweep(AskKind::Across, "commits_per_s").rounds(6).scatter(0.8);
    let finding = first(&wide);
    assert!(matches!(finding.outcome, Outcome::Typical { .. }), "{finding:?}");
    assert_eq!(finding.answer(), Answer::Undecided, "{finding:?}");
}
