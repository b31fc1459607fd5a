//! Nothing is claimed inside the A/A noise floor: how every kind of ask treats smaller effects.

use super::along::{reads, sweep};
use super::{direct_times, first};
use crate::finding::{Finding, Outcome, Remark};
use crate::verdict::{Answer, Estimate};
use model::mechanism::Measured;
use model::study::{Ask, AskKind};
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

/// Makes the baseline's second arm this much faster: the floor is that factor plus a little scatter.
fn with_floor(study: Synthetic, floor: f64) -> Synthetic {
    study.edit(move |record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        if let Some(Measured::Value(rate)) = metrics.get_mut("commits_per_s").filter(|_| record.key.duplicate)
        {
            *rate *= floor;
        }
    })
}

fn crossover(rate: impl Fn(&Configuration, u32) -> f64 + 'static) -> Synthetic {
    let between = Some("mode".to_owned());
    let asks = vec![Ask { between, ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"]) }];
    sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(rate)
}

#[track_caller]
fn assert_remark(finding: &Finding, remark: &Remark) {
    assert!(finding.remarks.contains(remark), "{remark:?}: {finding:?}");
}

fn counts(levels: &[u64]) -> Vec<Value> {
    levels.iter().copied().map(Value::Count).collect()
}

/// The place at which arms change places.
fn place(finding: &Finding) -> Option<&Estimate> {
    match &finding.outcome {
        Outcome::ChangePlaces { at, .. } => Some(at),
        _ => None,
    }
}

#[test]
fn arms_that_differ_by_less_are_not_said_to_keep_their_order() {
    let apart = first(&with_floor(crossover(direct_times(1.1)), 1.2));
    assert_eq!(apart.answer(), Answer::Undecided, "{apart:?}");
    assert!(apart.proof.noise_floor.is_some_and(|floor| floor > 1.2), "{apart:?}");
    assert_eq!(apart.proof.noise_floor_level, Some(0.95));
    assert_remark(&apart, &Remark::InsideNoise(counts(&[1, 2, 4, 8, 16])));
    let differs = |remark: &Remark| matches!(remark, Remark::BaselineDiffersFromItself(_));
    assert!(apart.remarks.iter().any(differs), "{apart:?}");
    let apart = first(&crossover(direct_times(1.1)));
    assert_eq!(apart.answer(), Answer::Different, "{apart:?}");

    // One level is enough to refute "at every level".
    let dip = |c: &Configuration, round| {
        direct_times(if (3.0..6.0).contains(&reads(c)) { 1.1 } else { 1.5 })(c, round)
    };
    let dipped = first(&with_floor(crossover(dip), 1.2));
    assert_eq!(dipped.answer(), Answer::Undecided, "{dipped:?}");
    assert_remark(&dipped, &Remark::InsideNoise(counts(&[4])));
}

#[test]
fn a_change_of_places_inside_the_floor_is_none() {
    let slight = |c: &Configuration, round| direct_times(if reads(c) < 4.0 { 0.9 } else { 1.5 })(c, round);
    assert_eq!(first(&crossover(slight)).answer(), Answer::Different);
    let finding = first(&with_floor(crossover(slight), 1.2));
    assert_eq!(finding.answer(), Answer::Undecided, "{finding:?}");
    assert!(place(&finding).is_none());

    // There and back again between two levels that count: they certainly change places, but the place is unknown.
    let back = |c: &Configuration, round| {
        let factor = [0.5, 1.1, 0.9, 2.0, 2.0][reads(c).log2() as usize];
        direct_times(factor)(c, round)
    };
    assert_eq!(first(&crossover(back)).outcome, Outcome::ChangePlacesOften { changes: 3 });
    let finding = first(&with_floor(crossover(back), 1.2));
    assert_eq!(finding.answer(), Answer::Undecided, "{finding:?}");
}

#[test]
fn the_interval_of_a_crossover_reaches_over_the_levels_inside_the_floor() {
    let crossing = |c: &Configuration, round| direct_times((reads(c) / 4.0).sqrt())(c, round);
    let interval = |study| place(&first(&study)).and_then(|at| at.interval).unwrap();
    let (low, high) = interval(crossover(crossing));
    assert!(low > 2.0 && high < 8.0, "{low} {high}");
    let (low, high) = interval(with_floor(crossover(crossing), 1.5));
    assert!((1.0..=2.0).contains(&low) && (8.0..=16.0).contains(&high), "{low} {high}");
    let hidden = Remark::InsideNoise(counts(&[2, 4, 8]));
    assert_remark(&first(&with_floor(crossover(crossing), 1.5)), &hidden);
}

#[test]
fn a_knee_at_the_best_level_needs_the_others_to_be_told_from_it() {
    let step = |c: &Configuration, _| if reads(c) > 8.0 { 1000.0 } else { 900.0 };
    let knee = || sweep(AskKind::Knee, "commits_per_s").rate(step);
    let clear = first(&knee());
    let Outcome::OnlyBest { best, is_smallest: false } = &clear.outcome else { panic!("{clear:?}") };
    assert_eq!(best.level, Value::Count(16));
    let drowned = first(&with_floor(knee(), 1.2));
    assert_eq!(drowned.answer(), Answer::Undecided, "{drowned:?}");
    let Outcome::EnoughUndecided { best } = &drowned.outcome else { panic!("{drowned:?}") };
    assert_eq!(best.level, Value::Count(16));
    assert_remark(&drowned, &Remark::MaybeEnough(counts(&[1, 2, 4, 8])));
    assert_remark(&drowned, &Remark::NoiseBeyondTolerance { tolerance: 0.05 });

    // "Enough" is a proof of nearness: the floor does not affect it.
    let saturating = |c: &Configuration, _| 1000.0 * reads(c).min(4.0);
    let enough = first(&with_floor(sweep(AskKind::Knee, "commits_per_s").rate(saturating), 1.2));
    let Outcome::Enough { level, .. } = &enough.outcome else { panic!("{enough:?}") };
    assert_eq!(level.level, Value::Count(4));
}

#[test]
fn levels_inside_the_floor_share_a_rank() {
    let order = || vec![name("buffered"), name("direct"), name("dontcache")];
    let asks = || vec![ask(AskKind::Rank, "mode", &["commits_per_s"])];
    let rank = |factor| Synthetic::commit().vary("mode", order()).asks(asks()).rate(direct_times(factor));
    assert_eq!(first(&rank(1.1)).answer(), Answer::Different);
    let tied = first(&with_floor(rank(1.1), 1.2));
    assert_eq!(tied.answer(), Answer::Undecided, "{tied:?}");
    assert_remark(&tied, &Remark::TiedByNoise);
    let apart = first(&with_floor(rank(1.5), 1.2));
    assert_eq!(apart.answer(), Answer::Different);
    let Outcome::Ranked(order) = &apart.outcome else { panic!("{apart:?}") };
    assert!(order[0].at.level == name("direct") && order[1].rank == 2, "{apart:?}");
    assert!(!apart.remarks.contains(&Remark::TiedByNoise), "{apart:?}");
}

fn level(finding: &Finding) -> Option<&Value> {
    finding.outcome.level().map(|at| &at.level)
}

#[test]
fn a_threshold_closer_to_its_limit_than_the_floor_says_so() {
    let threshold = |limit| {
        let on = ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]);
        let rising = |c: &Configuration, _| 1000.0 * reads(c);
        sweep(AskKind::Threshold, "commits_per_s").asks(vec![Ask { limit: Some(limit), ..on }]).rate(rising)
    };
    let is_near = |finding: &Finding| finding.remarks.iter().any(|it| matches!(it, Remark::NearLimit(_)));
    let close = first(&with_floor(threshold(1900.0), 1.2));
    assert_eq!(level(&close), Some(&Value::Count(2)), "{close:?}");
    assert_remark(&close, &Remark::NearLimit(counts(&[2])));
    // A share of 1 in every trial was reported as "closer to the limit than the A/A noise floor of 1.00×".
    for floor in [1.0, 1.2] {
        let exact = first(&with_floor(threshold(2000.0).scatter(0.0), floor));
        assert_eq!(level(&exact), Some(&Value::Count(2)), "{exact:?}");
        assert!(!is_near(&exact), "{exact:?}");
    }
    let far = first(&with_floor(threshold(1500.0), 1.2));
    assert!(!is_near(&far), "{far:?}");
    let broken = first(&with_floor(threshold(17_000.0), 1.2));
    assert!(matches!(broken.outcome, Outcome::NoneKeeps { .. }), "{broken:?}");
    assert_remark(&broken, &Remark::NearLimit(counts(&[16])));
}
