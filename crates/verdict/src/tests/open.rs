//! An undecided answer states what would decide it, for every kind of ask and at every held level.

use super::along::{reads, sweep};
use super::{direct_times, first, study};
use crate::finding::{Finding, NoFloor, Noise, Outcome, Outlook, Remark};
use crate::verdict::Answer;
use model::Value;
use model::mechanism::Measured;
use model::study::{Ask, AskKind};
use synthetic::{Synthetic, ask, name};

/// What would decide an answer that is undecided after ten rounds.
#[track_caller]
fn outlook(finding: &Finding) -> Outlook {
    assert_eq!(finding.answer(), Answer::Undecided, "{finding:?}");
    let outlook = finding.outlook.unwrap_or_else(|| panic!("{finding:?}"));
    if let Outlook::Rounds { in_all, more } = outlook {
        assert!(in_all == more + 10 && finding.rounds_needed() == Some(more), "{finding:?}");
    }
    outlook
}

fn modes() -> Vec<Value> {
    ["buffered", "direct", "dontcache"].map(name).to_vec()
}

#[test]
fn a_ranking() {
    let asks = || vec![ask(AskKind::Rank, "mode", &["commits_per_s"])];
    let rank = |factor| {
        Synthetic::commit().vary("mode", modes()).asks(asks()).rate(direct_times(factor)).scatter(0.1)
    };
    assert!(matches!(outlook(&first(&rank(1.05))), Outlook::InsideNoise { .. }));
}

#[test]
fn a_crossover() {
    let between = Some("mode".to_owned());
    let asks = vec![Ask { between, ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"]) }];
    let study = sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(direct_times(1.05)).scatter(0.1);
    outlook(&first(&study));
}

#[test]
fn a_change_there_and_back_is_an_answer() {
    let between = Some("mode".to_owned());
    let asks = vec![Ask { between, ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"]) }];
    let back = |c: &model::Configuration, round| {
        direct_times([0.5, 2.0, 0.5, 2.0, 2.0][reads(c).log2() as usize])(c, round)
    };
    let finding = first(&sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(back));
    assert_eq!(finding.answer(), Answer::Different, "{finding:?}");
    assert_eq!(finding.outcome, Outcome::ChangePlacesOften { changes: 3 });
}

#[test]
fn a_threshold() {
    let on = Ask { limit: Some(1000.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let near = sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(|_, _| 1010.0);
    let outlook = outlook(&first(&near.scatter(0.03)));
    assert!(matches!(outlook, Outlook::Rounds { .. } | Outlook::TooMany { .. }), "{outlook:?}");
}

/// Levels that keep a limit on average, while one of the modes breaks it.
#[test]
fn a_threshold_is_kept_in_every_cell() {
    let on = Ask { limit: Some(1000.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let rate = |c: &model::Configuration, _| reads(c) * if c.is("mode", "direct") { 1000.0 } else { 150.0 };
    let finding = first(&sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(rate));
    // The geometric mean of 4 reads is 1 550; the buffered half is 600.
    let Outcome::Keeps { level, .. } = &finding.outcome else { panic!("{finding:?}") };
    assert_eq!((&level.level, finding.proof.cells), (&Value::Count(8), 4));
}

#[test]
fn a_knee_that_holds_on_average_names_the_cells_where_it_does_not() {
    let rate = |c: &model::Configuration, _| {
        let falls_short = c.is("mode", "direct") && c.count("group_size") == Ok(4) && reads(c) < 16.0;
        1000.0 * reads(c).min(8.0) * if falls_short { 0.9 } else { 1.0 }
    };
    let finding = first(&sweep(AskKind::Knee, "commits_per_s").rate(rate).scatter(0.005));
    assert_eq!(finding.outcome.level().map(|at| &at.level), Some(&Value::Count(8)), "{finding:?}");
    let less = finding.remarks.iter().find_map(|remark| match remark {
        Remark::LessInCells(cells) => Some(cells),
        _ => None,
    });
    let cells: Vec<&str> = less.unwrap().iter().map(|less| less.cell.as_str()).collect();
    assert_eq!(cells, ["mode=direct group_size=4"]);
}

#[test]
fn a_comparison_whose_cells_point_different_ways() {
    let sign = |plus: bool| if plus { 0.33_f64 } else { -0.33 };
    // 1.28 times and 0.78 times, each with a scatter that proves neither by itself, but together they differ.
    let rate = move |c: &model::Configuration, round: u32| match (
        c.is("mode", "direct"),
        c.count("group_size") == Ok(1),
    ) {
        (true, true) => 1000.0 * (0.25 + sign(round.is_multiple_of(2))).exp(),
        (true, false) => 1000.0 * (-0.25 - 0.066 + sign(round % 4 < 2)).exp(),
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    let Outcome::DependsOnCell(opposing) = &finding.outcome else { panic!("{finding:?}") };
    assert_eq!(opposing.factor.as_deref(), Some("group_size"));
    let outlook = outlook(&finding);
    assert!(matches!(outlook, Outlook::Rounds { .. } | Outlook::TooMany { .. }), "{outlook:?}");
}

/// With four looks a study has less than 5 % of error for each. The interval shows that, and p is scaled so that 0.05
/// stays its limit.
#[test]
fn a_look_is_told_at_the_level_that_it_has() {
    let looks = [6, 9, 12, 18];
    let at = |scatter, looks: &[u32]| {
        let study = Synthetic::commit().rounds(6).looks(looks).rate(direct_times(1.05)).scatter(scatter);
        study.asks(vec![ask(AskKind::Compare, "mode", &["commits_per_s", "commit_latency_p50_us"])])
    };
    let (looked, once) = (first(&at(0.03, &looks)), first(&at(0.03, &[])));
    let level = |finding: &Finding| finding.ratio.as_ref().and_then(|ratio| ratio.level).unwrap();
    let spent = 1.0 - crate::looks::confidence(&at(0.03, &looks).plan(), 6);
    assert!((level(&looked) - (1.0 - spent / 2.0)).abs() < 1e-12, "{}", level(&looked));
    assert!((level(&once) - 0.975).abs() < 1e-12, "{}", level(&once));
    assert!((looked.proof.confidence - level(&looked)).abs() < 1e-12, "{looked:?}");
    let (p, p_once) = (looked.proof.p_adjusted.unwrap(), once.proof.p_adjusted.unwrap());
    assert!(p < 1.0 && (p / p_once - 0.05 / spent).abs() < 1e-9, "{p} {p_once}");
    for scatter in [0.005, 0.01, 0.02, 0.03, 0.05] {
        for finding in study(&at(scatter, &looks)).findings {
            let rejects = finding.answer() == Answer::Different;
            // Holm's p is at most Bonferroni's, which the interval uses.
            assert!(!rejects || finding.proof.p_adjusted.unwrap() <= 0.05, "{finding:?}");
        }
    }
}

#[test]
fn a_noise_floor_that_cannot_be_has_the_studys_reason() {
    let zero = Synthetic::commit().edit(|record| {
        if record.key.configuration == 0 && record.key.round == 3 {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("commits_per_s".to_owned(), Measured::Value(0.0));
        }
    });
    let on = Ask { limit: Some(500.0), ..ask(AskKind::Threshold, "group_size", &["commits_per_s"]) };
    let verdict = study(&zero.asks(vec![on]));
    assert_eq!(verdict.noise["commits_per_s"], Noise::Unknown(NoFloor::Zero));
    let unknown = Remark::NoNoiseFloor { why: NoFloor::Zero };
    assert!(verdict.findings[0].remarks.contains(&unknown), "{:?}", verdict.findings[0]);
}
