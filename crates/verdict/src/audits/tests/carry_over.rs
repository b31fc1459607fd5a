//! Turns that carry something over, each kind of it planted, and turns that do not.

use super::is_direct;
use crate::basis::Scope;
use crate::verdict::{Audit, Status};
use crate::{Answer, Way, analyse, takes_turns};
use model::Configuration;
use model::mechanism::Measured;
use model::trial::TrialKey;
use model::turns::Arm;
use synthetic::{Slices, Synthetic};

const ALL: std::ops::Range<u32> = 0..18;

fn in_turns() -> Synthetic {
    Synthetic::commit().in_turns(ALL)
}

fn is_second(arm: Arm) -> bool {
    arm.configuration == 1 && !arm.duplicate
}

fn audited(study: &Synthetic, slices: &Slices) -> Audit {
    let verdict = analyse(&study.run(), &|key: &TrialKey| slices.sidecar(key));
    verdict.studies[0].audits.iter().find(|audit| audit.name == "carry-over").cloned().expect("the audit")
}

#[test]
fn turns_that_leave_nothing_behind_pass() {
    let study = in_turns();
    let audit = audited(&study, &Slices::of(&study.plan()));
    assert_eq!((audit.status, &audit.unassessed[..]), (Status::Pass, &[][..]), "{audit:?}");
}

#[test]
fn trials_one_after_another_carry_nothing_over() {
    let study = Synthetic::commit();
    assert_eq!(audited(&study, &Slices::of(&study.plan())).status, Status::NotApplicable);
}

#[test]
fn bytes_that_the_device_does_not_have_yet_fail_for_every_arm() {
    let study = in_turns().edit_turns(|record| {
        let is_late = record.key.round == 4 && is_direct(record);
        let phase = &mut record.measurement.as_mut().expect("measured").phases[0];
        if let Some(turns) = phase.turns.as_mut().filter(|_| is_late) {
            turns.left_bytes_max = Some(Measured::Value(8192));
        }
    });
    let audit = audited(&study, &Slices::of(&study.plan()));
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert_eq!(audit.about, [Scope::Configurations(vec![0, 1, 2, 3])], "{audit:?}");
}

/// A server that moves this part of what it moves in its turns, in others' turns.
fn with_idle_servers(part: f64) -> Synthetic {
    in_turns().edit_turns(move |record| {
        let phase = &mut record.measurement.as_mut().expect("measured").phases[0];
        if let Measured::Value(device) = &mut phase.mechanism.device {
            (device.read_bytes, device.written_bytes) = (0, 1 << 30);
        }
        if let Some(turns) = phase.turns.as_mut() {
            turns.idle_bytes = Some(Measured::Value((part * f64::from(1 << 30)) as u64));
        }
    })
}

#[test]
fn a_server_that_works_in_others_turns_fails_for_every_arm() {
    let audit = |part: f64| {
        let study = with_idle_servers(part);
        audited(&study, &Slices::of(&study.plan()))
    };
    let failed = audit(0.1);
    assert_eq!(failed.status, Status::Fail, "{failed:?}");
    assert_eq!(failed.about, [Scope::Configurations(vec![0, 1, 2, 3])], "{failed:?}");
    assert_ne!(audit(0.001).status, Status::Fail);
}

#[test]
fn what_is_unknown_of_one_arm_is_not_passed_for_it() {
    let study = in_turns().edit_turns(|record| {
        let is_first = record.key.configuration == 0;
        let phase = &mut record.measurement.as_mut().expect("measured").phases[0];
        if let Some(turns) = phase.turns.as_mut().filter(|_| is_first) {
            turns.left_bytes_max = Some(Measured::unsupported("this kernel has no cachestat"));
        }
    });
    let audit = audited(&study, &Slices::of(&study.plan()));
    assert_eq!((audit.status, &audit.unassessed[..]), (Status::NotAssessable, &[0][..]), "{audit:?}");
}

#[test]
fn an_arm_that_slows_the_next_fails_for_every_arm() {
    let study = in_turns();
    let slices = Slices::of(&study.plan()).after(|arm| if is_second(arm) { 0.9 } else { 1.0 });
    let audit = audited(&study, &slices);
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert_eq!(audit.about, [Scope::Configurations(vec![0, 1, 2, 3])], "{audit:?}");
    insta::assert_snapshot!(audit.advice, @"Run the study with interleave = off: its trials then run one after another, and need more rounds.");
}

#[test]
fn a_rate_that_changes_inside_slices_fails_for_its_arm() {
    let study = in_turns();
    let slices = Slices::of(&study.plan()).last_quarter(|arm| if is_second(arm) { 1.1 } else { 1.0 });
    let audit = audited(&study, &slices);
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert_eq!(audit.about, [Scope::Configurations(vec![1])], "{audit:?}");
}

/// `carry-over` failed for caches that fill in each turn beside a ratio of 18, and the run ended with exit code 3. What
/// such a change cannot make stands; what it could make is not claimed.
#[test]
fn a_small_change_inside_slices_takes_the_small_answers_alone() {
    let found = |direct: f64| {
        let rate = move |values: &Configuration, _| {
            if values.is("mode", "direct") { 1000.0 * direct } else { 1000.0 }
        };
        let study = in_turns().rate(rate).scatter(0.002);
        let slices = Slices::of(&study.plan()).last_quarter(|arm| if is_second(arm) { 1.04 } else { 1.0 });
        analyse(&study.run(), &|key: &TrialKey| slices.sidecar(key)).studies.remove(0)
    };
    let answer = |direct: f64| {
        let study = found(direct);
        let audit = study.audits.iter().find(|audit| audit.name == "carry-over").expect("the audit");
        assert_eq!(audit.status, Status::Warn, "{audit:?}");
        let of_mode =
            study.findings.iter().find(|it| it.ask.factor == "mode" && it.metric == "commits_per_s");
        of_mode.expect("a finding").answer()
    };
    assert_eq!(answer(1.5), Answer::Different);
    assert_ne!(answer(1.015), Answer::Different);
}

#[test]
fn an_effect_that_hardly_shifts_a_comparison_is_reported_and_passes() {
    let study = in_turns();
    let slices = Slices::of(&study.plan()).scatter(0.01).after(|arm| if is_second(arm) { 0.97 } else { 1.0 });
    let audit = audited(&study, &slices);
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
    assert!(!audit.evidence.is_empty(), "{audit:?}");
}

#[test]
fn what_the_records_lack_is_not_assessable() {
    let (study, few) = (in_turns(), in_turns().rounds(5));
    let slices = Slices::of(&study.plan());
    assert_eq!(audited(&few, &slices).status, Status::NotAssessable);
    let verdict = analyse(&study.run(), &|_| None);
    let audit = verdict.studies[0].audits.iter().find(|audit| audit.name == "carry-over").expect("the audit");
    assert_eq!(audit.status, Status::NotAssessable);
    // Slices that scatter by a factor show nothing.
    assert_eq!(audited(&in_turns().rounds(6), &slices.scatter(2.0)).status, Status::NotAssessable);
}

/// Whether a study with planted carry-over, or without, takes turns in a round after `done` rounds in turns.
fn goes_on(study: &Synthetic, round: u32, factor: f64) -> bool {
    let run = study.run();
    let slices = Slices::of(&study.plan()).after(move |arm| if is_second(arm) { factor } else { 1.0 });
    takes_turns(&run, &run.plan.studies[0], round, &|key| slices.sidecar(key))
}

#[test]
fn a_study_takes_turns_until_the_audit_fails_at_a_look() {
    let looks = || Synthetic::commit().rounds(18).looks(&[6, 9, 12, 18]).in_turns(ALL);
    let with_carry_over: Vec<u32> = (0..18).filter(|round| !goes_on(&looks(), *round, 0.8)).collect();
    // Rounds between looks follow the one before them: here all of them took turns.
    assert_eq!(with_carry_over, [6, 9, 12]);
    assert!((0..18).all(|round| goes_on(&looks(), round, 1.0)));
}

#[test]
fn a_study_that_left_turns_does_not_go_back() {
    let left = Synthetic::commit().rounds(18).looks(&[6, 9, 12, 18]).in_turns(0..6);
    assert!((7..18).all(|round| !goes_on(&left, round, 1.0)));
    // The round under way is not looked at: it may be incomplete.
    assert!(goes_on(&left, 6, 1.0));
}

#[test]
fn a_study_without_looks_is_asked_once_and_only_if_enough_rounds_are_left() {
    let rounds = |rounds: u32| {
        let study = Synthetic::commit().rounds(rounds).in_turns(ALL);
        (0..rounds).filter(|round| !goes_on(&study, *round, 0.8)).collect::<Vec<u32>>()
    };
    assert_eq!((rounds(12), rounds(11)), (vec![6], vec![]));
    assert!(!goes_on(&Synthetic::commit(), 3, 1.0), "its plan has no turns");
}

/// Rounds of both kinds are never mixed.
#[test]
fn the_figures_are_of_one_kind_of_round() {
    let used = |in_turns: u32| {
        let run = Synthetic::commit().rounds(12).in_turns(0..in_turns).run();
        let verdict = analyse(&run, &|_| None);
        let study = &verdict.studies[0];
        let way = study.interleaving.as_ref().map(|interleaving| interleaving.used);
        (way, study.cells[1].n, study.trials.set_aside)
    };
    assert_eq!(used(12), (Some(Way::InTurns), 12, 0));
    assert_eq!(used(6), (Some(Way::OneAfterAnother), 6, 30));
    assert_eq!(used(7), (Some(Way::InTurns), 7, 25));
    assert_eq!(used(0), (None, 12, 0));
}

#[test]
fn after_the_fallback_nothing_is_carried_over() {
    let study = Synthetic::commit().rounds(12).in_turns(0..6);
    let slices = Slices::of(&study.plan()).after(|arm| if is_second(arm) { 0.8 } else { 1.0 });
    let audit = audited(&study, &slices);
    assert_eq!(audit.status, Status::Pass, "{audit:?}");
    // The looks before it proved nothing, so the first look is the first of the rounds that are used.
    let confidence = |study: &Synthetic| analyse(&study.run(), &|_| None).studies[0].confidence;
    let looks = |rounds: u32| Synthetic::commit().rounds(rounds).looks(&[6, 9, 12, 18]);
    let (fallen, alone) = (confidence(&looks(12).in_turns(0..6)), confidence(&looks(6)));
    assert!((fallen - alone).abs() < 1e-12, "{fallen} {alone}");
}
