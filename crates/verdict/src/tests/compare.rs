//! Comparisons: the three answers, interactions, durability, and what cannot be compared.

use super::{direct_times, first, study};
use crate::synthetic::{Synthetic, ask};
use crate::verdict::Answer;
use model::Configuration;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::study::AskKind;

#[test]
fn a_true_effect_is_found_with_its_size() {
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)));
    assert_eq!(finding.answer, Answer::Different, "{}", finding.statement);
    let (low, high) = finding.ratio.unwrap().interval.unwrap();
    assert!(low < 1.5 && 1.5 < high && high / low < 1.1, "{low} {high}");
    assert!(finding.p_adjusted.unwrap() < 0.001);
    assert_eq!(finding.trials, 40);
    assert_eq!(finding.by_cell.len(), 2);
    assert!(finding.statement.starts_with("direct: commits/s is 1."), "{}", finding.statement);
    assert!(
        finding.statement.contains("that of buffered, better (95 % interval 1."),
        "{}",
        finding.statement
    );
    assert!(finding.statement.ends_with("10 rounds, 2 cells)."), "{}", finding.statement);
    assert!(
        finding.mechanism[0].starts_with("Device flushes per commit the same: 1.00"),
        "{:?}",
        finding.mechanism
    );
}

#[test]
fn less_latency_is_better() {
    let asks = vec![ask(AskKind::Compare, "mode", &["commit_latency_p50_us"])];
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).asks(asks));
    assert!(finding.statement.contains("that of buffered, better"), "{}", finding.statement);
}

#[test]
fn noise_gives_no_difference() {
    let finding = first(&Synthetic::commit().scatter(0.2));
    assert_ne!(finding.answer, Answer::Different, "{}", finding.statement);
}

#[test]
fn identical_arms_are_equivalent() {
    let finding = first(&Synthetic::commit().scatter(0.005));
    assert_eq!(finding.answer, Answer::Equivalent, "{}", finding.statement);
    assert!(finding.statement.contains("equals that of buffered within 5 %"), "{}", finding.statement);
}

#[test]
fn what_lies_between_is_undecided_and_says_how_many_rounds_would_decide() {
    let finding = first(&Synthetic::commit().scatter(0.12));
    assert_eq!(finding.answer, Answer::Undecided, "{}", finding.statement);
    let total = 10 + finding.rounds_needed.unwrap_or_else(|| panic!("{}", finding.statement));
    assert!(
        finding.statement.contains(&format!("about {total} rounds in all would")),
        "{}",
        finding.statement
    );
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
    assert!(
        finding.caveats.iter().any(|caveat| caveat.contains("not the same in every cell")),
        "{:?}",
        finding.caveats
    );
    let words = "direct: commits/s against buffered depends on group_size: better for group_size = 1 (2.";
    assert!(finding.statement.starts_with(words), "{}", finding.statement);
    assert!(finding.statement.contains("worse for group_size = 4 (0."), "{}", finding.statement);
    // No effect of all cells together is claimed.
    assert!(finding.answer == Answer::Different && finding.ratio.is_none() && finding.p_adjusted.is_none());
}

/// A tail that was 30 times shorter where memory was ample and 3 times longer where it was not was "better".
#[test]
fn one_cell_against_the_others_takes_the_pooled_word_back() {
    let rate = |configuration: &Configuration, round: u32| match (
        configuration.is("mode", "direct"),
        configuration.count("group_size"),
    ) {
        (true, Ok(1)) => 9000.0,
        // Slower on the whole, and not proven so.
        (true, _) => 700.0 * if round.is_multiple_of(2) { 0.5 } else { 2.0 },
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert_eq!(finding.answer, Answer::Different);
    assert!(finding.statement.contains("better for group_size = 1 (9."), "{}", finding.statement);
    assert!(
        finding.statement.contains("no proven difference for group_size = 4 (0."),
        "{}",
        finding.statement
    );
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
    assert!(finding.statement.contains(", better ("), "{}", finding.statement);
    assert!(finding.statement.contains("it depends on the cell: 1."), "{}", finding.statement);
}

#[test]
fn three_rounds_give_no_interval_and_say_why() {
    let verdict = study(&Synthetic::commit().rounds(3).rate(direct_times(1.5)));
    let finding = &verdict.findings[0];
    assert_eq!(finding.answer, Answer::NotAssessable);
    assert!(finding.statement.contains("3 trials, an interval needs 6"), "{}", finding.statement);
    let ratio = finding.ratio.clone().unwrap();
    assert!(ratio.interval.is_none() && ratio.point.is_some());
    let figure = &verdict.cells[0].figures["commits_per_s"];
    assert_eq!(figure.mean.reason.as_deref(), Some("3 trials, an interval needs 6"));
    assert!(verdict.noise["commits_per_s"].value().is_none());
}

#[test]
fn simultaneous_intervals_widen_with_the_number_of_asks() {
    let on = ["commits_per_s", "commit_latency_p50_us"];
    let asks = vec![ask(AskKind::Compare, "mode", &on), ask(AskKind::Compare, "group_size", &on)];
    let finding = first(&Synthetic::commit().rate(direct_times(1.5)).asks(asks));
    assert!((finding.ratio.unwrap().level.unwrap() - 0.9875).abs() < 1e-12);
    assert!(finding.statement.contains("98.75 % simultaneous interval"), "{}", finding.statement);
}

#[test]
fn arms_of_different_durability_are_not_compared_silently() {
    let finding = first(&Synthetic::commit().rate(direct_times(3.0)).edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    }));
    assert_eq!(finding.answer, Answer::Different);
    assert!(finding.statement.starts_with("Durability classes differ (buffered: power, direct: process)"));
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
    assert_eq!(finding.answer, Answer::NotAssessable);
    assert!(finding.statement.contains("the sync is part of the write"), "{}", finding.statement);
}
