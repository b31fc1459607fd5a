//! A comparison that is not an ask's uses the same computation as the asks.

use super::{direct_times, study};
use crate::finding::{Outcome, Reason, Remark};
use crate::{Answer, Contrast, Finding, Pairs, StudyVerdict};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::TrialOutcome;
use synthetic::Synthetic;

const COMMITS: &str = "commits_per_s";

/// `direct` compared with `buffered` in both cells, as in the study's only ask.
fn of_mode(synthetic: &Synthetic, found: &StudyVerdict) -> Result<Contrast, Reason> {
    let plan = synthetic.plan();
    let at = |mode, group| {
        let found = plan.configurations.iter().position(|values| {
            values.is("mode", mode) && values.count("group_size").is_ok_and(|count| count == group)
        });
        found.unwrap()
    };
    let pairs = [1, 4].map(|group| (at("buffered", group), at("direct", group)));
    found.contrast(&plan, Pairs { parameters: &["mode"], configurations: &pairs }, COMMITS, 1)
}

#[track_caller]
fn assert_same(contrast: &Contrast, finding: &Finding) {
    let ratio = finding.ratio.as_ref().unwrap();
    assert_eq!(contrast.answer, finding.answer());
    assert_eq!(contrast.ratio.point, ratio.point);
    assert_eq!((contrast.ratio.interval, contrast.ratio.level), (ratio.interval, ratio.level));
    assert_eq!((contrast.rounds, contrast.trials), (finding.proof.rounds, finding.proof.trials));
    assert_eq!(contrast.rests_on, finding.rests_on);
    assert!(contrast.remarks.iter().all(|remark| finding.remarks.contains(remark)), "{finding:?}");
}

/// If one arm kept failing in a cell, the advice's own comparison gave up on all cells.
#[test]
fn a_sparse_cell_is_left_out_by_both() {
    let sparse = Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        if record.key.configuration == 3 && record.key.round > 1 {
            record.outcome = TrialOutcome::Failed("made up".to_owned());
        }
    });
    let found = study(&sparse);
    let contrast = of_mode(&sparse, &found).unwrap();
    assert_same(&contrast, &found.findings[0]);
    assert_eq!((contrast.answer, contrast.rounds, contrast.trials), (Answer::Different, 10, 20));
    let left_out = Remark::CellLeftOut { cell: "group_size=4".to_owned(), rounds: 2, of_rounds: 10 };
    assert_eq!(contrast.remarks, [left_out]);
    assert!(!contrast.rests_on.configurations.contains(&3));
}

/// One missing trial removes its round, but not its cells.
#[test]
fn a_missing_trial_costs_its_round_in_both() {
    let missing = Synthetic::commit().rate(direct_times(1.5)).edit(|record| {
        if record.key.configuration == 3 && record.key.round == 4 {
            record.outcome = TrialOutcome::Failed("made up".to_owned());
        }
    });
    let found = study(&missing);
    let contrast = of_mode(&missing, &found).unwrap();
    assert_same(&contrast, &found.findings[0]);
    assert_eq!((contrast.rounds, contrast.trials), (9, 36));
}

#[test]
fn earlier_looks_and_the_noise_floor_count_in_both() {
    let looked = Synthetic::commit().rate(direct_times(1.5)).looks(&[6, 8, 10]);
    let found = study(&looked);
    let contrast = of_mode(&looked, &found).unwrap();
    assert_same(&contrast, &found.findings[0]);
    assert!(contrast.ratio.level.unwrap() > 0.95);
    // Inside the floor nothing is claimed.
    let apart = |record: &mut model::trial::TrialRecord| {
        let factor = if record.key.duplicate { 1.6 } else { 1.0 };
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        if let Some(Measured::Value(rate)) = metrics.get_mut(COMMITS) {
            *rate *= factor;
        }
    };
    let leaking = Synthetic::commit().rate(direct_times(1.3)).edit(apart);
    let found = study(&leaking);
    let contrast = of_mode(&leaking, &found).unwrap();
    assert_same(&contrast, &found.findings[0]);
    assert_eq!(contrast.answer, Answer::Undecided);
}

/// Better in one cell and worse in the other: the mean over them holds for neither.
#[test]
fn cells_that_point_different_ways_have_no_ratio_in_common() {
    let opposing = Synthetic::commit().rate(|values, _| {
        let is_grouped = values.count("group_size").unwrap() == 4;
        let factor = if is_grouped { 2.0 } else { 0.7 };
        if values.is("mode", "direct") { 1000.0 * factor } else { 1000.0 }
    });
    let found = study(&opposing);
    let depends = of_mode(&opposing, &found).unwrap().opposing.unwrap();
    assert_eq!(depends.factor.as_deref(), Some("group_size"));
    assert_eq!(found.findings[0].outcome, Outcome::DependsOnCell(depends));
    assert!(found.findings[0].ratio.is_none());
}

/// Trials too slow to have a quantile were left out of the comparison, and only the fast ones were compared.
#[test]
fn figures_that_are_none_have_no_ratio() {
    const P99: &str = "commit_latency_p99_us";
    let selected = Synthetic::commit()
        .asks(vec![synthetic::ask(model::study::AskKind::Compare, "mode", &[P99])])
        .edit(|record| {
            let has = !record.values.is("mode", "direct") || record.key.round > 3;
            let scatter = 1.0 + 0.01 * f64::from(record.key.round % 3);
            let value = if has { Measured::Value(9.0 * scatter) } else { Measured::unsupported("too few") };
            record.measurement.as_mut().unwrap().phases[0].metrics.insert(P99.to_owned(), value);
        });
    let finding = &study(&selected).findings[0];
    let Outcome::NotAssessable(Reason::NoValue { why, .. }) = &finding.outcome else { panic!("{finding:?}") };
    insta::assert_snapshot!(why, @"only 6 of 10 trials have enough operations for it, and those are the fast ones");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let without = |edit: fn(&mut model::trial::TrialRecord)| {
        let synthetic = Synthetic::commit().edit(move |record| {
            if record.values.is("mode", "direct") {
                edit(record);
            }
        });
        of_mode(&synthetic, &study(&synthetic)).unwrap_err()
    };
    let failed = without(|record| record.outcome = TrialOutcome::Failed("made up".to_owned()));
    assert!(matches!(failed, Reason::NoTrial { .. }), "{failed:?}");
    let untold = without(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert(COMMITS.to_owned(), Measured::unsupported("made up"));
    });
    assert!(matches!(untold, Reason::NoValue { .. }), "{untold:?}");
    let few = Synthetic::commit().rounds(3);
    assert!(matches!(of_mode(&few, &study(&few)), Err(Reason::NoInterval(_))));
    // Rules must check durability themselves: a ratio across classes is the price of the stronger class.
    let weaker = Synthetic::commit().edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    assert!(of_mode(&weaker, &study(&weaker)).is_ok());
}
