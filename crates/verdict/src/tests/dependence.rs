//! Arms that are fast for a while and slow for a while, each by itself: what one round shows, the next one repeats.

use super::study;
use crate::asks::Pairs;
use crate::finding::{Dependence, Finding, NoDependence, Noise, Remark};
use crate::verdict::{Estimate, StudyVerdict};
use model::mechanism::Measured;
use model::study::AskKind;
use model::trial::TrialOutcome;
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

const ROUNDS: u32 = 12;
const METRIC: &str = "commits_per_s";

/// What an arm has for itself in a round: one wave over the run, each arm at another place of it.
fn wave(arm: f64, round: u32) -> f64 {
    (0.1 * (std::f64::consts::TAU * f64::from(round) / f64::from(ROUNDS) + 1.3 * arm).sin()).exp()
}

/// The rounds in this order: all have the same values, whatever the order.
fn waves(order: impl Fn(u32) -> u32 + Clone + 'static) -> Synthetic {
    let (of_arm, of_duplicate) = (order.clone(), order);
    let asks = ["mode", "group_size"].map(|factor| ask(AskKind::Compare, factor, &[METRIC]));
    Synthetic::commit()
        .rounds(ROUNDS)
        .scatter(0.0)
        .asks(asks.to_vec())
        .rate(move |configuration: &Configuration, round| {
            let is_direct = f64::from(u8::from(configuration.is("mode", "direct")));
            let arm = is_direct + configuration.count("group_size").unwrap() as f64;
            1000.0 * (1.0 + 0.1 * is_direct) * wave(arm, of_arm(round))
        })
        .edit(move |record| {
            let round = of_duplicate(record.key.round);
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            if let Some(Measured::Value(rate)) = metrics.get_mut(METRIC).filter(|_| record.key.duplicate) {
                *rate *= wave(7.0, round);
            }
        })
}

fn in_order() -> StudyVerdict {
    study(&waves(|round| round))
}

/// Neighbours of the wave are five rounds apart.
fn mixed() -> StudyVerdict {
    study(&waves(|round| 5 * round % ROUNDS))
}

fn widened_by(finding: &Finding) -> f64 {
    match finding.proof.dependence {
        Some(Dependence::Found { widened_by, .. }) => widened_by,
        ref other => panic!("{other:?}"),
    }
}

fn log_width(estimate: &Estimate) -> f64 {
    let (low, high) = estimate.interval.unwrap();
    (high / low).ln()
}

fn floor(study: &StudyVerdict) -> f64 {
    match study.noise[METRIC] {
        Noise::Floor(ratio) => ratio,
        Noise::Unknown(why) => panic!("{why:?}"),
    }
}

#[test]
fn rounds_that_repeat_each_other_widen_intervals_by_what_the_finding_states() {
    let (dependent, independent) = (in_order(), mixed());
    for (wide, narrow) in dependent.findings.iter().zip(&independent.findings) {
        let widened_by = widened_by(wide);
        assert!(widened_by > 1.5, "{wide:?}");
        assert!(
            narrow.proof.dependence.is_some_and(|found| found.correlation() < f64::EPSILON),
            "{narrow:?}"
        );
        let ratio = log_width(wide.ratio.as_ref().unwrap()) / log_width(narrow.ratio.as_ref().unwrap());
        assert!((ratio - widened_by).abs() < 1e-6, "{ratio} {widened_by}");
        let of_cell = |finding: &Finding| log_width(&finding.by_cell[0].1);
        assert!((of_cell(wide) / of_cell(narrow) - widened_by).abs() < 1e-6);
        let is_stated = |finding: &Finding| {
            finding.remarks.iter().any(|remark| matches!(remark, Remark::DependentRounds { .. }))
        };
        assert!(is_stated(wide) && !is_stated(narrow));
        assert!(wide.proof.p_adjusted >= narrow.proof.p_adjusted, "{wide:?} {narrow:?}");
    }
    let p_of_mode = |study: &StudyVerdict| study.findings[0].proof.p_adjusted.unwrap();
    assert!(p_of_mode(&dependent) > p_of_mode(&independent));
    assert!(floor(&dependent) > floor(&independent));
}

#[test]
fn a_comparison_that_no_ask_makes_allows_for_it_too() {
    let plan = waves(|round| round).plan();
    let verdict = in_order();
    let of_mode = &verdict.findings[0];
    let pair = |group| {
        let of = |mode: &str| {
            let is_it = |c: &Configuration| c.is("mode", mode) && c.count("group_size") == Ok(group);
            plan.configurations.iter().position(is_it).unwrap()
        };
        (of("buffered"), of("direct"))
    };
    let pairs = [pair(1), pair(4)];
    let pairs = Pairs { parameters: &["mode"], configurations: &pairs };
    let found = verdict.contrast(&plan, pairs, METRIC, 2).unwrap();
    assert_eq!(Some(&found.ratio), of_mode.ratio.as_ref());
    let remark = Remark::DependentRounds {
        correlation: of_mode.proof.dependence.unwrap().correlation(),
        widened_by: widened_by(of_mode),
    };
    assert!(found.remarks.contains(&remark), "{:?}", found.remarks);
}

#[test]
fn six_rounds_of_few_arms_do_not_prove_that_rounds_are_independent() {
    let few = study(&Synthetic::commit().rounds(6));
    let Some(Dependence::NotAssessable(NoDependence::Undetectable { rounds: 6, arms: 5, detectable })) =
        few.findings[0].proof.dependence
    else {
        panic!("{:?}", few.findings[0].proof);
    };
    assert!(detectable > 0.7, "{detectable}");
    let none = study(&Synthetic::commit().rounds(3));
    let why = none.findings[0].proof.dependence;
    assert!(matches!(why, Some(Dependence::NotAssessable(NoDependence::NoEstimate(_)))), "{why:?}");
}

#[test]
fn a_limit_is_not_compared_within_rounds() {
    let asks = vec![ask(AskKind::Across, "mode", &[METRIC])];
    assert_eq!(study(&Synthetic::commit().asks(asks)).findings[0].proof.dependence, None);
}

/// Seven of nine arms scatter without order, so all arms together show less than the two that wander.
#[test]
fn a_comparison_of_two_arms_that_wander_among_steady_ones_is_widened_by_its_own_ratios() {
    let levels = [1, 2, 4, 8, 16, 32, 64, 128];
    let wandering = |configuration: &Configuration, round: u32| {
        let level = configuration.count("reads_per_commit").unwrap();
        let wave = |phase: f64| (0.06 * (0.35 * f64::from(round) + phase).sin()).exp();
        match level {
            64 => 1000.0 * wave(0.0),
            128 => 1000.0 * wave(std::f64::consts::PI),
            _ => 1000.0,
        }
    };
    let study = study(
        &Synthetic::commit()
            .rounds(18)
            .vary("mode", vec![name("buffered")])
            .vary("group_size", vec![Value::Count(1)])
            .vary("reads_per_commit", levels.map(Value::Count).to_vec())
            .asks(vec![ask(AskKind::Compare, "reads_per_commit", &[METRIC])])
            .rate(wandering),
    );
    let of_all_arms = study.dependence[METRIC].correlation();
    let of = |level: u64| {
        let is_it = |finding: &&Finding| {
            finding.subject.levels().is_some_and(|levels| levels.level == Value::Count(level))
        };
        study.findings.iter().find(is_it).unwrap().proof.dependence.unwrap().correlation()
    };
    assert!(of(128) > of_all_arms + 0.2, "{} {of_all_arms}", of(128));
    assert!((of(4) - of_all_arms).abs() < 1e-12, "{} {of_all_arms}", of(4));
}

#[test]
fn a_round_with_a_missing_trial_has_no_neighbour_across_it() {
    let missing = waves(|round| round).edit(|record| {
        if record.key.round == 4 && record.key.configuration == 0 {
            record.outcome = TrialOutcome::Failed("made up".to_owned());
        }
    });
    let (whole, gap) = (in_order(), study(&missing));
    let lag1 = |study: &StudyVerdict| match study.dependence[METRIC] {
        Dependence::Found { lag1, .. } => lag1,
        ref other => panic!("{other:?}"),
    };
    assert_eq!((whole.findings[0].proof.rounds, gap.findings[0].proof.rounds), (12, 11));
    assert!(lag1(&gap) > 0.5 && widened_by(&gap.findings[0]) > 1.5, "{} {}", lag1(&whole), lag1(&gap));
}
