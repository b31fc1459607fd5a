//! An audit that fails in one configuration invalidates what rests on it, and nothing else.

use super::{direct_times, study};
use crate::basis::Scope;
use crate::finding::{Finding, Remark};
use crate::verdict::{Answer, Status, StudyVerdict};
use model::Value;
use model::mechanism::Measured;
use model::study::AskKind;
use model::trial::{TrialOutcome, TrialRecord};
use synthetic::{Synthetic, ask, name};

/// Three modes; `direct` and `dontcache` are faster by half.
fn modes() -> Synthetic {
    let levels = vec![name("buffered"), name("direct"), name("dontcache")];
    Synthetic::commit()
        .vary("mode", levels)
        .vary("group_size", vec![Value::Count(1)])
        .rate(|values, _| if values.is("mode", "buffered") { 1000.0 } else { 1500.0 })
}

/// Loses operations in the trials of one mode, so that Little's law fails there.
fn losing_in(mode: &'static str) -> impl Fn(&mut TrialRecord) {
    move |record| {
        if record.values.is("mode", mode) {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
        }
    }
}

/// Whether a finding is of this level, or along this factor.
fn is_about(finding: &Finding, subject: &str) -> bool {
    let level = finding.subject.levels().map(|levels| levels.level.to_string());
    level.as_deref().unwrap_or(&finding.ask.factor) == subject
}

fn of<'a>(study: &'a StudyVerdict, subject: &str) -> &'a Finding {
    study.findings.iter().find(|finding| is_about(finding, subject)).unwrap()
}

#[track_caller]
fn assert_doubted(study: &StudyVerdict, subject: &str, audit: Option<&str>) {
    let finding = of(study, subject);
    let names: Vec<&str> = study.failed_for(finding).map(|audit| audit.name.as_str()).collect();
    assert_eq!(names, audit.into_iter().collect::<Vec<_>>(), "{finding:?}");
    let remark = finding.remarks.iter().any(|remark| matches!(remark, Remark::AuditFailed { .. }));
    assert_eq!(remark, audit.is_some(), "{finding:?}");
}

#[test]
fn an_arm_that_cannot_be_believed_takes_its_own_comparison_away() {
    let study = study(&modes().edit(losing_in("dontcache")));
    let audit = study.audits.iter().find(|audit| audit.name == "littles-law").unwrap();
    assert_eq!((audit.status, &audit.about[..]), (Status::Fail, &[Scope::Configurations(vec![2])][..]));
    let names =
        "It concerns 1 of 3 configurations (mode=dontcache group_size=1); answers without them remain valid.";
    assert!(audit.summary.ends_with(names), "{}", audit.summary);
    assert_doubted(&study, "direct", None);
    assert_doubted(&study, "dontcache", Some("littles-law"));
    assert_eq!(of(&study, "direct").rests_on.configurations, [0, 1]);
    let answer: Vec<&Finding> = study.answer.iter().map(|place| &study.findings[*place]).collect();
    assert!(answer.len() == 1 && is_about(answer[0], "direct"), "{answer:?}");
}

#[test]
fn a_baseline_that_cannot_be_believed_takes_everything_away() {
    let study = study(&modes().edit(losing_in("buffered")));
    assert_doubted(&study, "direct", Some("littles-law"));
    assert_doubted(&study, "dontcache", Some("littles-law"));
    assert_eq!(study.answer.len(), 2, "nothing is left that could be relied on");
}

#[test]
fn an_answer_begins_with_the_first_ask_doubtful_or_not() {
    let asks = vec![
        ask(AskKind::Rank, "mode", &["commits_per_s"]),
        ask(AskKind::Compare, "mode", &["transactions_per_s"]),
    ];
    let study = study(&modes().asks(asks).edit(losing_in("dontcache")));
    let answer: Vec<&Finding> = study.answer.iter().map(|place| &study.findings[*place]).collect();
    assert_eq!(answer[0].ask.kind, AskKind::Rank);
    assert_eq!(study.failed_for(answer[0]).count(), 1);
    assert!(is_about(answer[1], "direct") && study.failed_for(answer[1]).next().is_none());
}

#[test]
fn trials_that_fail_in_one_arm_are_that_arms() {
    let failing = |record: &mut TrialRecord| {
        if record.values.is("mode", "dontcache") && record.key.round < 4 {
            record.outcome = TrialOutcome::Failed("input/output error".to_owned());
        }
    };
    let study = study(&modes().edit(failing));
    assert_doubted(&study, "direct", None);
    assert_doubted(&study, "dontcache", Some("failed-trials"));
}

/// Page 000: the effect of reads per commit was never tested, but the effect of the mode was.
#[test]
fn levels_that_were_not_realised_take_their_effect_away_and_not_the_figures() {
    let asks = vec![
        ask(AskKind::Trend, "reads_per_commit", &["commits_per_s"]),
        ask(AskKind::Compare, "mode", &["commits_per_s"]),
    ];
    let levels = vec![Value::Count(1), Value::Count(8)];
    let unbound = |record: &mut TrialRecord| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("realised_reads_per_commit".to_owned(), Measured::Value(612.0));
    };
    let study =
        Synthetic::commit().vary("reads_per_commit", levels).fix("pacing", name("trigger")).asks(asks);
    let study = super::study(&study.rate(direct_times(1.5)).edit(unbound));
    assert_doubted(&study, "reads_per_commit", Some("factor-took-effect"));
    assert_doubted(&study, "direct", None);
    assert_eq!(of(&study, "direct").answer(), Answer::Different);
}

#[test]
fn named_arms_stand_for_every_parameter_that_they_differ_in() {
    let found = study(&Synthetic::append().vary("arm", vec![name("pwrite"), name("o_sync")]));
    for finding in &found.findings {
        assert!(finding.rests_on.parameters.contains(&"arm".to_owned()), "{finding:?}");
    }
}
