//! Comparisons: the three answers, interactions, durability, and what cannot be compared.

use super::{direct_times, first, study};
use crate::finding::{Counter, Figures, Finding, Opposing, Outcome, Outlook, Reason, Remark, Side, Subject};
use crate::verdict::Answer;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::study::AskKind;
use model::{Configuration, Value};
use stats::NoInterval;
use synthetic::{Synthetic, ask, name};

fn opposing(finding: &Finding) -> &Opposing {
    match &finding.outcome {
        Outcome::DependsOnCell(opposing) => opposing,
        _ => panic!("{finding:?}"),
    }
}

#[test]
fn a_true_effect_is_found_with_its_size() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)));
    assert_eq!(finding.answer(), Answer::Different, "{finding:?}");
    let ratio = finding.ratio.clone().unwrap();
    let ((low, high), point) = (ratio.interval.unwrap(), ratio.point.unwrap());
    assert!(low < 1.5 && 1.5 < high && high / low < 1.1, "{low} {high}");
    assert!(finding.proof.p_adjusted.unwrap() < 0.001);
    assert_eq!(finding.proof.trials, 40);
    assert_eq!(finding.by_cell.len(), 2);
    assert_eq!(finding.outcome, Outcome::Different { is_small: false, is_steady: true });
    let Subject::Levels(levels) = &finding.subject else { panic!("{finding:?}") };
    assert_eq!((&levels.level, &levels.baseline), (&name("direct"), &name("buffered")));
    assert_eq!((finding.proof.rounds, finding.proof.cells, finding.proof.asks), (10, 2, 1));
    let Figures { level, baseline } = finding.figures.unwrap();
    assert!((level / baseline / point - 1.0).abs() < 1e-9, "the figures are those of the ratio: {finding:?}");
    let Counter::Compared { metric, is_same, .. } = &finding.mechanism[0] else { panic!("{finding:?}") };
    assert!(metric == "device_flushes_per_commit" && *is_same, "{finding:?}");
}

#[test]
fn noise_gives_no_difference() {
    let finding = first(&Synthetic::commit().scatter(0.2));
    assert_ne!(finding.answer(), Answer::Different, "{finding:?}");
}

#[test]
fn identical_arms_are_equivalent() {
    let finding = first(&Synthetic::commit().scatter(0.005));
    assert_eq!(finding.answer(), Answer::Equivalent, "{finding:?}");
}

#[test]
fn what_lies_between_is_undecided_and_says_how_many_rounds_would_decide() {
    let finding = first(&Synthetic::commit().scatter(0.12));
    assert_eq!(finding.answer(), Answer::Undecided, "{finding:?}");
    let Some(Outlook::Rounds { in_all, more }) = finding.outlook else { panic!("{finding:?}") };
    assert!(in_all == 10 + more && finding.rounds_needed() == Some(more), "{finding:?}");
}

#[test]
fn opposite_effects_are_not_averaged_away() {
    let rate = |configuration: &Configuration, _| match (
        configuration.is("mode", "direct"),
        configuration.count("group_size"),
    ) {
        (true, Ok(1)) => 2000.0,
        (true, _) => 600.0,
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert!(finding.remarks.iter().any(|remark| matches!(remark, Remark::Interaction { .. })), "{finding:?}");
    let opposing = opposing(&finding);
    assert_eq!(opposing.factor.as_deref(), Some("group_size"));
    let sides: Vec<_> = opposing.groups.iter().map(|group| (&group.level, group.proven)).collect();
    assert_eq!(sides, [(&Value::Count(1), Some(Side::Above)), (&Value::Count(4), Some(Side::Below))]);
    assert!((opposing.groups[0].ratios.0 - 2.0).abs() < 0.1, "{opposing:?}");
    // No effect over all cells is claimed.
    assert!(
        finding.answer() == Answer::Different
            && finding.ratio.is_none()
            && finding.proof.p_adjusted.is_none()
    );
}

/// A tail that was 30 times shorter with ample memory and 3 times longer without was called "better".
#[test]
fn one_cell_against_the_others_takes_the_pooled_word_back() {
    let rate = |configuration: &Configuration, round: u32| match (
        configuration.is("mode", "direct"),
        configuration.count("group_size"),
    ) {
        (true, Ok(1)) => 9000.0,
        // Slower on the whole, but not proven.
        (true, _) => 700.0 * if round.is_multiple_of(2) { 0.5 } else { 2.0 },
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert_eq!(finding.answer(), Answer::Different);
    let sides: Vec<_> = opposing(&finding).groups.iter().map(|group| group.proven).collect();
    assert_eq!(sides, [Some(Side::Above), None], "{finding:?}");
}

#[test]
fn cells_that_differ_in_size_alone_keep_their_main_effect() {
    let rate = |configuration: &Configuration, _| match (
        configuration.is("mode", "direct"),
        configuration.count("group_size"),
    ) {
        (true, Ok(1)) => 2000.0,
        (true, _) => 1200.0,
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert!(matches!(finding.outcome, Outcome::Different { .. }), "{finding:?}");
    let range = finding.remarks.iter().find_map(|remark| match remark {
        Remark::Interaction { range, .. } => range.clone(),
        _ => None,
    });
    let range = range.unwrap_or_else(|| panic!("{finding:?}"));
    assert_eq!((&*range.least.cell, &*range.most.cell), ("group_size=4", "group_size=1"));
    assert!((range.least.ratio - 1.2).abs() < 0.1 && (range.most.ratio - 2.0).abs() < 0.1, "{range:?}");
}

#[test]
fn three_rounds_give_no_interval_and_say_why() {
    let verdict = study(&Synthetic::commit().rounds(3).rate(direct_times(1.5)));
    let finding = &verdict.findings[0];
    assert_eq!(finding.answer(), Answer::NotAssessable);
    let few = NoInterval::TooFew { n: 3, needed: 6 };
    assert_eq!(finding.outcome, Outcome::NotAssessable(Reason::NoInterval(few)));
    let ratio = finding.ratio.clone().unwrap();
    assert!(ratio.interval.is_none() && ratio.point.is_some());
    let figure = &verdict.cells[0].figures["commits_per_s"];
    assert_eq!(figure.mean.reason.as_deref(), Some("3 trials, an interval needs 6"));
    assert!(verdict.noise["commits_per_s"].floor().is_none());
}

#[test]
fn simultaneous_intervals_widen_with_the_number_of_asks() {
    let on = ["commits_per_s", "commit_latency_p50_us"];
    let asks = vec![ask(AskKind::Compare, "mode", &on), ask(AskKind::Compare, "group_size", &on)];
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).asks(asks));
    assert!((finding.ratio.unwrap().level.unwrap() - 0.9875).abs() < 1e-12);
    assert_eq!((finding.proof.asks, finding.proof.confidence), (4, 0.9875));
}

/// An arm that is a row of its own was "not assessable" in each answer, before every other arm.
#[test]
fn a_level_that_the_plan_has_nowhere_beside_the_baseline_is_not_asked_about() {
    let three = |excludes: fn(&str, u64) -> bool| {
        let levels = vec![name("buffered"), name("alone"), name("direct")];
        let excludes = move |configuration: &Configuration| {
            let group_size = configuration.count("group_size").unwrap();
            ["buffered", "alone", "direct"]
                .iter()
                .any(|mode| configuration.is("mode", mode) && excludes(mode, group_size))
        };
        study(&Synthetic::commit().vary("mode", levels).rate(direct_times(1.5)).exclude(excludes)).findings
    };
    let levels = |findings: &[Finding]| -> Vec<Value> {
        findings.iter().filter_map(|finding| Some(finding.subject.levels()?.level.clone())).collect()
    };
    assert_eq!(levels(&three(|_, _| false)), [name("alone"), name("direct")]);
    let two = three(|mode, group_size| matches!((mode, group_size), ("alone", 4) | ("buffered", 1)));
    assert_eq!(levels(&two), [name("direct")]);
    assert_eq!(two[0].proof.asks, 1, "nor has it a share of the error");
    // Without any pair each level has its finding.
    let none = three(|mode, group_size| (mode == "buffered") == (group_size == 4));
    assert_eq!(levels(&none), [name("alone"), name("direct")]);
    assert!(none.iter().all(|finding| finding.outcome == Outcome::NotAssessable(Reason::NoPair)), "{none:?}");
}

#[test]
fn arms_of_different_durability_are_not_compared_silently() {
    let finding = first(&Synthetic::commit().rate(direct_times(3.0)).edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    }));
    assert_eq!(finding.answer(), Answer::Different);
    let price =
        Remark::Durability { level: vec![DurabilityClass::Process], baseline: vec![DurabilityClass::Power] };
    assert!(finding.remarks.contains(&price), "{finding:?}");
}

#[test]
fn an_unsupported_metric_is_no_zero() {
    let asks = vec![ask(AskKind::Compare, "mode", &["commit_latency_p50_us"])];
    let finding = first(&Synthetic::commit().asks(asks).edit(|record| {
        if record.values.is("mode", "direct") {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert(
                "commit_latency_p50_us".to_owned(),
                Measured::unsupported("the sync is part of the write"),
            );
        }
    }));
    assert_eq!(finding.answer(), Answer::NotAssessable);
    let Outcome::NotAssessable(Reason::NoValue { why, .. }) = finding.outcome else { panic!("{finding:?}") };
    assert_eq!(why, "the sync is part of the write");
}

/// Transactions/s at one group size and reads/s at exact pacing repeated the finding about commits/s, and each
/// repetition took a third of the error.
#[test]
fn copies_of_a_metric_are_compared_once() {
    let on = ["commits_per_s", "transactions_per_s", "reads_per_s"];
    let metrics = |study: &Synthetic| -> Vec<String> {
        let run = study.run();
        let verdict = crate::analyse(&run, &|_| None);
        verdict.studies[0].findings.iter().map(|finding| finding.metric.clone()).collect()
    };
    let by_mode = Synthetic::commit().asks(vec![ask(AskKind::Compare, "mode", &on)]);
    assert_eq!(metrics(&by_mode), ["commits_per_s"]);
    // A larger group has more transactions in a commit: that is another question.
    let by_group = Synthetic::commit().asks(vec![ask(AskKind::Compare, "group_size", &on)]);
    assert_eq!(metrics(&by_group), ["commits_per_s", "transactions_per_s"]);
    // Without pacing reads run at their own speed.
    let trigger =
        Synthetic::commit().fix("pacing", name("trigger")).asks(vec![ask(AskKind::Compare, "mode", &on)]);
    assert_eq!(metrics(&trigger), ["commits_per_s", "reads_per_s"]);
}
