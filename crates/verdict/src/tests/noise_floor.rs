//! Nothing is claimed inside the A/A noise floor: what every kind of ask makes of effects smaller than that.

use super::along::{reads, sweep};
use super::{direct_times, first};
use crate::synthetic::{Synthetic, ask, name};
use crate::verdict::{Answer, Finding};
use model::Configuration;
use model::mechanism::Measured;
use model::study::{Ask, AskKind};

/// Lets the baseline's second arm come out this much faster: the floor is that, and a little of scatter.
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
fn assert_caveat(finding: &Finding, words: &str) {
    assert!(finding.caveats.iter().any(|caveat| caveat.contains(words)), "{words}: {:?}", finding.caveats);
}

#[test]
fn arms_that_differ_by_less_are_not_said_to_keep_their_order() {
    let apart = first(&with_floor(crossover(direct_times(1.1)), 1.2));
    assert_eq!(apart.answer, Answer::Undecided, "{}", apart.statement);
    assert!(apart.statement.contains("or lies inside the A/A noise floor of 1.2"), "{}", apart.statement);
    assert_caveat(&apart, "undecided there: reads_per_commit = 1, 2, 4, 8, 16.");
    assert_caveat(&apart, "The A/A arm differs from the baseline");
    let apart = first(&crossover(direct_times(1.1)));
    assert_eq!(apart.answer, Answer::Different, "{}", apart.statement);

    // One level is enough to take "at every level" away.
    let dip = |c: &Configuration, round| {
        direct_times(if (3.0..6.0).contains(&reads(c)) { 1.1 } else { 1.5 })(c, round)
    };
    let dipped = first(&with_floor(crossover(dip), 1.2));
    assert_eq!(dipped.answer, Answer::Undecided, "{}", dipped.statement);
    assert_caveat(&dipped, "undecided there: reads_per_commit = 4.");
}

#[test]
fn a_change_of_places_inside_the_floor_is_none() {
    let slight = |c: &Configuration, round| direct_times(if reads(c) < 4.0 { 0.9 } else { 1.5 })(c, round);
    assert_eq!(first(&crossover(slight)).answer, Answer::Different);
    let finding = first(&with_floor(crossover(slight), 1.2));
    assert_eq!(finding.answer, Answer::Undecided, "{}", finding.statement);
    assert!(finding.level.is_none());

    // There and back again between two that count: that they change places is sure, where is not.
    let back = |c: &Configuration, round| {
        let factor = [0.5, 1.1, 0.9, 2.0, 2.0][reads(c).log2() as usize];
        direct_times(factor)(c, round)
    };
    assert!(first(&crossover(back)).statement.contains("3 times"));
    let finding = first(&with_floor(crossover(back), 1.2));
    assert_eq!(finding.answer, Answer::Undecided, "{}", finding.statement);
}

#[test]
fn the_interval_of_a_crossover_reaches_over_the_levels_inside_the_floor() {
    let crossing = |c: &Configuration, round| direct_times((reads(c) / 4.0).sqrt())(c, round);
    let interval = |study| first(&study).level.and_then(|level| level.interval).unwrap();
    let (low, high) = interval(crossover(crossing));
    assert!(low > 2.0 && high < 8.0, "{low} {high}");
    let (low, high) = interval(with_floor(crossover(crossing), 1.5));
    assert!((1.0..=2.0).contains(&low) && (8.0..=16.0).contains(&high), "{low} {high}");
    assert_caveat(
        &first(&with_floor(crossover(crossing), 1.5)),
        "undecided there: reads_per_commit = 2, 4, 8.",
    );
}

#[test]
fn a_knee_at_the_best_level_needs_the_others_to_be_told_from_it() {
    let step = |c: &Configuration, _| if reads(c) > 8.0 { 1000.0 } else { 900.0 };
    let knee = || sweep(AskKind::Knee, "commits_per_s").rate(step);
    let clear = first(&knee());
    assert_eq!((clear.answer, clear.level.unwrap().point), (Answer::Different, Some(16.0)));
    let drowned = first(&with_floor(knee(), 1.2));
    assert_eq!(drowned.answer, Answer::Undecided, "{}", drowned.statement);
    assert!(drowned.level.is_none());
    assert!(drowned.statement.starts_with("Whether less than reads_per_commit = 16 is enough"));
    assert_caveat(&drowned, "nor too little: reads_per_commit = 1, 2, 4, 8.");
    assert_caveat(&drowned, "is wider than the 5 %");

    // "Enough" is a proof of nearness: the floor leaves it alone.
    let saturating = |c: &Configuration, _| 1000.0 * reads(c).min(4.0);
    let enough = first(&with_floor(sweep(AskKind::Knee, "commits_per_s").rate(saturating), 1.2));
    assert!(enough.statement.starts_with("reads_per_commit = 4 is enough"), "{}", enough.statement);
}

#[test]
fn levels_inside_the_floor_share_a_rank() {
    let order = || vec![name("buffered"), name("direct"), name("dontcache")];
    let asks = || vec![ask(AskKind::Rank, "mode", &["commits_per_s"])];
    let rank = |factor| Synthetic::commit().vary("mode", order()).asks(asks()).rate(direct_times(factor));
    assert_eq!(first(&rank(1.1)).answer, Answer::Different);
    let tied = first(&with_floor(rank(1.1), 1.2));
    assert_eq!(tied.answer, Answer::Undecided, "{}", tied.statement);
    assert_caveat(&tied, "share a number");
    let apart = first(&with_floor(rank(1.5), 1.2));
    assert_eq!(apart.answer, Answer::Different);
    assert!(apart.statement.contains("1. direct") && apart.statement.contains("2. "), "{}", apart.statement);
    assert!(!apart.caveats.iter().any(|caveat| caveat.contains("share a number")), "{:?}", apart.caveats);
}

#[test]
fn a_threshold_closer_to_its_limit_than_the_floor_says_so() {
    let threshold = |limit| {
        let on = ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]);
        let rising = |c: &Configuration, _| 1000.0 * reads(c);
        sweep(AskKind::Threshold, "commits_per_s").asks(vec![Ask { limit: Some(limit), ..on }]).rate(rising)
    };
    let close = first(&with_floor(threshold(1900.0), 1.2));
    assert_eq!(close.level.clone().unwrap().point, Some(2.0), "{}", close.statement);
    assert_caveat(&close, "1.2");
    assert_caveat(&close, "reads_per_commit = 2; another session");
    // A share of 1 in every trial was "closer to the limit than the A/A noise floor of 1.00×".
    for floor in [1.0, 1.2] {
        let exact = first(&with_floor(threshold(2000.0).scatter(0.0), floor));
        assert_eq!(exact.level.clone().unwrap().point, Some(2.0), "{}", exact.statement);
        assert!(
            !exact.caveats.iter().any(|caveat| caveat.contains("another session")),
            "{:?}",
            exact.caveats
        );
    }
    let far = first(&with_floor(threshold(1500.0), 1.2));
    assert!(!far.caveats.iter().any(|caveat| caveat.contains("another session")), "{:?}", far.caveats);
    let broken = first(&with_floor(threshold(17_000.0), 1.2));
    assert!(broken.statement.contains("all break it"), "{}", broken.statement);
    assert_caveat(&broken, "reads_per_commit = 16; another session");
}
