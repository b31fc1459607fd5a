//! Rounds whose trials took turns in blocks that share the baseline: a block may be half as fast as the next, and
//! ratios do not see it.

use super::study;
use crate::finding::{Finding, Outcome, Remark};
use crate::verdict::{Answer, Status, StudyVerdict};
use crate::{analyse, takes_turns};
use model::study::AskKind;
use model::trial::TrialOutcome as Ended;
use model::{Configuration, Value};
use synthetic::{Slices, Synthetic, ask};

const ROUNDS: u32 = 12;
/// Standard deviation of the logarithm of a block's speed; that of a trial is 0.02.
const SPREAD: f64 = 0.3;

/// Direct commits 1.2 times as fast, and each group of 4 twice as fast as one of 1.
fn rate(configuration: &Configuration, _: u32) -> f64 {
    let direct = if configuration.is("mode", "direct") { 1.2 } else { 1.0 };
    let grouped = if configuration.get("group_size") == Some(&Value::Count(4)) { 2.0 } else { 1.0 };
    1000.0 * direct * grouped
}

fn in_blocks(count: u32) -> Synthetic {
    Synthetic::commit().rounds(ROUNDS).in_turns(0..ROUNDS).rate(rate).in_blocks(count, SPREAD)
}

fn ratio(finding: &Finding) -> (f64, f64, f64) {
    let ratio = finding.ratio.as_ref().expect("a ratio");
    let (low, high) = ratio.interval.expect("an interval");
    (ratio.point.expect("an estimate"), low, high)
}

fn commits(study: &StudyVerdict) -> &Finding {
    study.findings.iter().find(|finding| finding.metric == "commits_per_s").expect("asked")
}

#[test]
fn a_ratio_leaves_out_how_fast_each_block_was() {
    for count in [2, 4] {
        let study = study(&in_blocks(count));
        let finding = commits(&study);
        let (point, low, high) = ratio(finding);
        assert!((point - 1.2).abs() < 0.04 && low < 1.2 && high > 1.2, "{count}: {point} ({low}–{high})");
        assert!((high / low).ln() / 2.0 < 0.05, "{count}: {low}–{high}, of blocks that differ by 30 %");
        assert_eq!(finding.proof.rounds, ROUNDS as usize);
        assert_eq!(finding.answer(), Answer::Different, "{:?}", finding.outcome);
        let floor = study.noise["commits_per_s"].floor().expect("an A/A arm");
        assert!(floor < 1.05, "{floor}");
        let cell = &study.cells[0];
        assert_eq!((cell.n, study.cells[1].n), ((ROUNDS * count) as usize, ROUNDS as usize), "trials");
    }
}

/// Levels that are compared all together are never all in one block.
#[test]
fn what_needs_every_level_in_a_round_has_every_round() {
    let counts = [1, 2, 4, 8].map(Value::Count).to_vec();
    let asks = vec![
        ask(AskKind::Trend, "group_size", &["commits_per_s"]),
        ask(AskKind::Rank, "mode", &["commits_per_s"]),
    ];
    let study = study(&in_blocks(3).vary("group_size", counts).asks(asks));
    for finding in &study.findings {
        assert_eq!(finding.proof.rounds, ROUNDS as usize, "{finding:?}");
        assert!(!matches!(finding.outcome, Outcome::NotAssessable(_)), "{finding:?}");
        let left_out =
            |remark: &Remark| matches!(remark, Remark::RoundsLeftOut { .. } | Remark::CellLeftOut { .. });
        assert!(!finding.remarks.iter().any(left_out), "{:?}", finding.remarks);
    }
}

/// Without its baseline, a block's speed is unknown.
#[test]
fn a_block_without_its_baseline_is_in_no_ratio() {
    let fails = |record: &mut model::trial::TrialRecord| {
        let key = &record.key;
        if key.configuration == 0 && !key.duplicate && (key.round, key.block) == (3, 1) {
            record.outcome = Ended::Failed("it died".to_owned());
            record.measurement = None;
        }
    };
    let study = study(&in_blocks(2).edit(fails));
    let finding = commits(&study);
    assert_eq!(finding.proof.rounds, ROUNDS as usize - 1);
    assert_eq!(study.trials.failed, 1);
}

#[test]
fn a_lost_trial_of_a_blocks_baseline_is_missed() {
    let audit = |study: &StudyVerdict| {
        let audit = study.audits.iter().find(|audit| audit.name == "complete-records");
        audit.expect("it applies to every run").clone()
    };
    let mut run = in_blocks(3).run();
    let whole = analyse(&run, &synthetic::sidecar).studies.remove(0);
    assert_eq!(audit(&whole).status, Status::Pass, "{:?}", audit(&whole));
    assert_eq!(whole.trials.missing, 0);
    run.records.retain(|record| {
        let key = &record.key;
        !(key.configuration == 0 && !key.duplicate && (key.round, key.block) == (5, 2))
    });
    let lacking = analyse(&run, &synthetic::sidecar).studies.remove(0);
    let audit = audit(&lacking);
    assert_ne!(audit.status, Status::Pass);
    insta::assert_snapshot!(audit.evidence.join("\n"), @"No record: mode=buffered group_size=1, round 5, block 3");
}

#[test]
fn what_an_arm_leaves_to_the_next_is_found_in_blocks() {
    let study = in_blocks(2);
    let carry_over = |slices: &Slices| {
        let verdict = analyse(&study.run(), &|key| slices.sidecar(key));
        let audits = &verdict.studies[0].audits;
        audits.iter().find(|audit| audit.name == "carry-over").expect("it took turns").clone()
    };
    let found = carry_over(&Slices::of(&study.plan()).scatter(0.03));
    assert_eq!(found.status, Status::Pass, "{found:?}");
    let slows =
        Slices::of(&study.plan()).scatter(0.03).after(|arm| if arm.configuration == 2 { 0.8 } else { 1.0 });
    assert_eq!(carry_over(&slows).status, Status::Fail);
    let run = study.run();
    assert!(takes_turns(&run, &run.plan.studies[0], 3, &|key| slows.sidecar(key)), "it is not asked yet");
}
