//! What is left undecided says what would decide it, whatever was asked; and at which level it was asked.

use super::along::{reads, sweep};
use super::{direct_times, first, study};
use crate::synthetic::{Synthetic, ask, name};
use crate::verdict::{Answer, Finding};
use model::Value;
use model::mechanism::Measured;
use model::study::{Ask, AskKind};

/// Checks that an answer is open, and that statement and field agree on what would close it.
#[track_caller]
fn assert_open(finding: &Finding, words: &str) {
    assert_eq!(finding.answer, Answer::Undecided, "{}", finding.statement);
    let way_out = finding.way_out.as_deref().unwrap_or_else(|| panic!("{}", finding.statement));
    assert!(way_out.contains(words), "{way_out}");
    assert_eq!(finding.rounds_needed.is_some(), way_out.starts_with("about "), "{way_out}");
    let told = way_out.split(" would").next().unwrap_or_default();
    assert!(finding.statement.contains(told), "{way_out}: {}", finding.statement);
    if let Some(more) = finding.rounds_needed {
        assert!(way_out.starts_with(&format!("about {} rounds", more + 10)), "{way_out}");
    }
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
    assert_open(&first(&rank(1.05)), "so how many rounds would decide it cannot be told");
}

#[test]
fn a_crossover() {
    let between = Some("mode".to_owned());
    let asks = vec![Ask { between, ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"]) }];
    let study = sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(direct_times(1.05)).scatter(0.1);
    assert_open(&first(&study), " would decide it");
}

#[test]
fn a_change_there_and_back_is_an_answer() {
    let between = Some("mode".to_owned());
    let asks = vec![Ask { between, ..ask(AskKind::Crossover, "reads_per_commit", &["commits_per_s"]) }];
    let back = |c: &model::Configuration, round| {
        direct_times([0.5, 2.0, 0.5, 2.0, 2.0][reads(c).log2() as usize])(c, round)
    };
    let finding = first(&sweep(AskKind::Crossover, "commits_per_s").asks(asks).rate(back));
    assert_eq!(finding.answer, Answer::Different, "{}", finding.statement);
    assert!(finding.statement.contains("3 times"), "{}", finding.statement);
}

#[test]
fn a_threshold() {
    let on = Ask { limit: Some(1000.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let near = sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(|_, _| 1010.0);
    assert_open(&first(&near.scatter(0.03)), " rounds in all would decide it");
}

/// Levels that keep a limit on average, while one of the modes breaks it.
#[test]
fn a_threshold_is_kept_in_every_cell() {
    let on = Ask { limit: Some(1000.0), ..ask(AskKind::Threshold, "reads_per_commit", &["commits_per_s"]) };
    let rate = |c: &model::Configuration, _| reads(c) * if c.is("mode", "direct") { 1000.0 } else { 150.0 };
    let finding = first(&sweep(AskKind::Threshold, "commits_per_s").asks(vec![on]).rate(rate));
    // The geometric mean of 4 reads is 1 550; its buffered half, 600.
    assert!(finding.statement.starts_with("reads_per_commit = 8 is the smallest"), "{}", finding.statement);
    assert!(finding.statement.contains("in every cell"), "{}", finding.statement);
}

#[test]
fn a_knee_that_holds_on_average_names_the_cells_where_it_does_not() {
    let rate = |c: &model::Configuration, _| {
        let falls_short = c.is("mode", "direct") && c.count("group_size") == Ok(4) && reads(c) < 16.0;
        1000.0 * reads(c).min(8.0) * if falls_short { 0.9 } else { 1.0 }
    };
    let finding = first(&sweep(AskKind::Knee, "commits_per_s").rate(rate).scatter(0.005));
    assert!(finding.statement.starts_with("reads_per_commit = 8 is enough"), "{}", finding.statement);
    let named = finding.caveats.iter().find(|caveat| caveat.contains("on average over the cells"));
    let named = named.unwrap_or_else(|| panic!("{:?}", finding.caveats));
    assert!(named.contains("in mode=direct group_size=4.") && !named.contains("buffered"), "{named}");
}

#[test]
fn a_comparison_whose_cells_point_different_ways() {
    let sign = |plus: bool| if plus { 0.33_f64 } else { -0.33 };
    // 1.28 times and 0.78 times, each with a scatter that leaves neither proven, and together different.
    let rate = move |c: &model::Configuration, round: u32| match (
        c.is("mode", "direct"),
        c.count("group_size") == Ok(1),
    ) {
        (true, true) => 1000.0 * (0.25 + sign(round.is_multiple_of(2))).exp(),
        (true, false) => 1000.0 * (-0.25 - 0.066 + sign(round % 4 < 2)).exp(),
        (false, _) => 1000.0,
    };
    let finding = first(&Synthetic::commit().rate(rate));
    assert!(finding.statement.contains("depends on group_size"), "{}", finding.statement);
    assert_open(&finding, " rounds in all would decide it");
}

/// Looked at four times, a study has less than 5 % to err with at each; the interval says so, and p is told so that 0.05
/// stays its limit.
#[test]
fn a_look_is_told_at_the_level_that_it_has() {
    let looks = [6, 9, 12, 18];
    let at = |scatter, looks: &[u32]| {
        let study = Synthetic::commit().rounds(6).looks(looks).rate(direct_times(1.05)).scatter(scatter);
        study.asks(vec![ask(AskKind::Compare, "mode", &["commits_per_s", "transactions_per_s"])])
    };
    let (looked, once) = (first(&at(0.03, &looks)), first(&at(0.03, &[])));
    let level = |finding: &Finding| finding.ratio.as_ref().and_then(|ratio| ratio.level).unwrap();
    let spent = 1.0 - crate::looks::confidence(&at(0.03, &looks).plan(), 6);
    assert!((level(&looked) - (1.0 - spent / 2.0)).abs() < 1e-12, "{}", level(&looked));
    assert!((level(&once) - 0.975).abs() < 1e-12, "{}", level(&once));
    let told = format!("{} simultaneous interval", crate::phrase::level(level(&looked)));
    assert!(looked.statement.contains(&told), "{}", looked.statement);
    let (p, p_once) = (looked.p_adjusted.unwrap(), once.p_adjusted.unwrap());
    assert!(p < 1.0 && (p / p_once - 0.05 / spent).abs() < 1e-9, "{p} {p_once}");
    for scatter in [0.005, 0.01, 0.02, 0.03, 0.05] {
        for finding in study(&at(scatter, &looks)).findings {
            let rejects = finding.answer == Answer::Different;
            // Holm's p is at most Bonferroni's, which the interval goes by.
            assert!(!rejects || finding.p_adjusted.unwrap() <= 0.05, "{}", finding.statement);
        }
    }
}

#[test]
fn a_noise_floor_that_cannot_be_is_told_in_words_of_the_study() {
    let zero = Synthetic::commit().edit(|record| {
        if record.key.configuration == 0 && record.key.round == 3 {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("commits_per_s".to_owned(), Measured::Value(0.0));
        }
    });
    let on = Ask { limit: Some(500.0), ..ask(AskKind::Threshold, "group_size", &["commits_per_s"]) };
    let verdict = study(&zero.asks(vec![on]));
    let why = verdict.noise["commits_per_s"].reason().unwrap();
    assert!(why.contains("the baseline came to zero in some trial"), "{why}");
    let caveats = &verdict.findings[0].caveats;
    let words = "How far commits/s differs between two identical arms is unknown";
    assert!(caveats.iter().any(|caveat| caveat.starts_with(words)), "{caveats:?}");
}
