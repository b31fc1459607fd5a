//! Limits for scripts.

use super::{compared, later, of_one_run_each, scattered, times};
use crate::compare::{Gate, LimitOutcome, RowReason};
use crate::verdict::Answer;
use proptest::prelude::*;
use stats::NoInterval;
use synthetic::Synthetic;

fn measured() -> Vec<String> {
    [
        "commits_per_s",
        "commit_latency_p50_us",
        "commit_latency_p99_us",
        "commit_latency_p99_9_us",
        "efficiency_share",
    ]
    .map(str::to_owned)
    .into()
}

fn gate(text: &str) -> Result<Gate, String> {
    Gate::parse(text, &measured(), "both runs")
}

#[test]
fn metrics_go_by_full_name_without_unit_or_by_their_beginning() {
    for (text, metric) in [
        ("commit_latency_p99>+10%", "commit_latency_p99_us"),
        ("commit_latency_p99_us > 10 %", "commit_latency_p99_us"),
        ("commit_latency_p99_9>0%", "commit_latency_p99_9_us"),
        ("commits_per<-5%", "commits_per_s"),
        ("eff<-2.5%", "efficiency_share"),
    ] {
        assert_eq!(gate(text).unwrap().metric, metric, "{text}");
    }
}

#[test]
fn a_bad_limit_is_one_clear_line() {
    let refused = [
        "commits_per_s",
        "commits_per_s>10",
        "commits_per_s>NaN%",
        "commits_per_s>inf%",
        "commits_per_s>1e3%",
        "commits_per_s>>3%",
        "commits_per_s>-3%",
        "commits_per_s<+3%",
        "commits_per_s<-100%",
        "comits_per_s<-5%",
        "commit_latncy_p99>+10%",
        "commit_latency>+10%",
        "read_latency_p50>+10%",
        "zzz>+10%",
        ">+10%",
        "",
    ]
    .map(|text| gate(text).unwrap_err());
    insta::assert_snapshot!(refused.join("\n"), @r#"
    "commits_per_s" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>10" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>NaN%" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>inf%" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>1e3%" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>>3%" is not a limit: write METRIC>+10% or METRIC<-5%
    "commits_per_s>-3%": > takes a rise such as +10%, < a fall such as -5%, above -100%
    "commits_per_s<+3%": > takes a rise such as +10%, < a fall such as -5%, above -100%
    "commits_per_s<-100%": > takes a rise such as +10%, < a fall such as -5%, above -100%
    unknown metric "comits_per_s"; did you mean "commits_per_s"?
    unknown metric "commit_latncy_p99"; did you mean "commit_latency_p99_us"?
    metric "commit_latency" is ambiguous: commit_latency_p50_us, commit_latency_p99_us, commit_latency_p99_9_us
    read_latency_p50_us is not a metric of both runs
    unknown metric "zzz"; the metrics of both runs are commits_per_s, commit_latency_p50_us, commit_latency_p99_us, commit_latency_p99_9_us, efficiency_share
    unknown metric ""; the metrics of both runs are commits_per_s, commit_latency_p50_us, commit_latency_p99_us, commit_latency_p99_9_us, efficiency_share
    "" is not a limit: write METRIC>+10% or METRIC<-5%
    "#);
}

#[test]
fn the_bound_nearest_to_no_change_breaks_and_the_other_keeps() {
    let slower = compared(&scattered(1), &times(0.88, 2));
    for (text, outcome, rows) in [
        ("commits_per_s<-10%", LimitOutcome::Broken, (5, 0, 0)),
        ("commits_per_s<-0%", LimitOutcome::Broken, (5, 0, 0)),
        // The estimates are near -12 %, and the intervals reach to both sides of it.
        ("commits_per_s<-12%", LimitOutcome::Undecided, (0, 5, 0)),
        ("commits_per_s<-15%", LimitOutcome::Kept, (0, 0, 5)),
        ("commits_per_s>+0%", LimitOutcome::Kept, (0, 0, 5)),
    ] {
        let ruling = gate(text).unwrap().judge(&slower);
        let counted = (ruling.broken.len(), ruling.undecided.len(), ruling.kept.len());
        assert_eq!((ruling.outcome, counted), (outcome, rows), "{text}: {ruling:?}");
        assert!(ruling.unjudged.is_empty());
    }
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&slower);
    assert_eq!(ruling.broken[0].row, "commit mode=buffered group_size=1");
    assert!((ruling.broken[0].ratio.point.unwrap() - 0.88).abs() < 0.01, "{ruling:?}");
    let slower = compared(&times(0.88, 2), &scattered(1));
    assert_eq!(gate("commits_per_s>+10%").unwrap().judge(&slower).outcome, LimitOutcome::Broken);
}

/// `--fail-if 'commit_latency_p99>+10%'` printed "kept" and exited with 0, although 25 of 25 comparisons were undecided
/// and one interval reached +103 %.
#[test]
fn an_interval_that_reaches_beyond_the_limit_does_not_keep_it() {
    let noisy = |seed: u32| {
        Synthetic::commit()
            .scatter(0.0)
            .rate(move |_, round| 1000.0 * (1.0 + 0.25 * f64::from((round * 7 + seed * 5) % 11) / 11.0))
    };
    let comparison = compared(&noisy(1), &noisy(2));
    let rows = &comparison.studies[0].rows;
    assert!(rows.iter().all(|row| row.answer == Answer::Undecided), "{rows:?}");
    let ruling = gate("commits_per_s<-5%").unwrap().judge(&comparison);
    assert_eq!(ruling.outcome, LimitOutcome::Undecided);
    assert_eq!((ruling.broken.len(), ruling.undecided.len()), (0, rows.len()), "{ruling:?}");
    // The deciding interval is the simultaneous one of the table.
    for (held, row) in ruling.undecided.iter().zip(rows) {
        assert_eq!(held.ratio.interval, row.ratio.as_ref().unwrap().interval);
        assert!(held.ratio.level.unwrap() > 0.989, "5 comparisons share 5 % of error");
    }
}

/// A change that its interval proves but that lies inside the noise floor is claimed nowhere, and not here either.
#[test]
fn a_change_inside_the_noise_floor_neither_breaks_nor_keeps_a_limit() {
    let mut comparison = compared(&scattered(1), &times(0.88, 2));
    for row in &mut comparison.studies[0].rows {
        row.answer = Answer::Undecided;
        row.noise_floor = Some(1.3);
    }
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&comparison);
    assert_eq!((ruling.outcome, ruling.undecided.len()), (LimitOutcome::Undecided, 5));
}

/// `--allow-undecided` let a limit pass of which some rows were unjudged, because the others made it undecided.
#[test]
fn a_row_that_cannot_be_judged_keeps_the_limit_from_being_kept() {
    let mut comparison = compared(&scattered(1), &times(1.0, 2));
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&comparison);
    assert_eq!(ruling.outcome, LimitOutcome::Kept);
    comparison.studies[0].rows[0].answer = Answer::NotAssessable;
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&comparison);
    assert_eq!((ruling.outcome, ruling.kept.len()), (LimitOutcome::NotJudged, 4));
    assert_eq!((ruling.rows_judged(), ruling.rows_unjudged()), (4, 1));
}

#[test]
fn a_broken_row_breaks_the_limit_whatever_another_one_lacks() {
    let mut comparison = compared(&scattered(1), &times(0.5, 2));
    comparison.studies[0].rows[0].answer = Answer::NotAssessable;
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&comparison);
    assert_eq!((ruling.outcome, ruling.rows_unjudged()), (LimitOutcome::Broken, 1));
}

#[test]
fn what_cannot_be_judged_is_not_kept() {
    let few = of_one_run_each(&scattered(1).rounds(3).run(), &later(Synthetic::commit().rounds(3).run()));
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&few);
    assert_eq!(ruling.outcome, LimitOutcome::NotJudged);
    assert_eq!(ruling.unjudged.len(), 1);
    assert_eq!(ruling.unjudged[0].why, Some(RowReason::NoInterval(NoInterval::TooFew { n: 3, needed: 6 })));
    assert_eq!(ruling.unjudged[0].rows[0], "commit mode=buffered group_size=1");
    // Measured, but not among the compared metrics.
    assert_eq!(gate("eff<-2.5%").unwrap().judge(&few).outcome, LimitOutcome::NotJudged);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = gate(&text);
    }

    #[test]
    fn any_limit_is_read_or_refused(name in "[a-z_0-9]{0,12}", sign in "[<>]", number in "[-+0-9.eE%]{0,8}") {
        let _ = gate(&format!("{name}{sign}{number}%"));
    }
}
