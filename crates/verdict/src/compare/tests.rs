//! Two runs whose truth is known.

mod between_runs;
mod family;
mod gates;
mod knobs;

use super::{Comparison, Doubts, Machines, Refusal, Row, RowReason, Side, comparable, compare};
use crate::analyse;
use crate::durability::Declared;
use crate::verdict::{Answer, Verdict};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::run::Run;
use model::study::AskKind;
use stats::NoInterval;
use synthetic::{Synthetic, ask};

/// The same study on another day: other trials, other noise.
fn later(mut run: Run) -> Run {
    run.plan.created_at = "2026-11-28T10:00:00Z".to_owned();
    run.plan.seed += 1;
    run
}

/// Times at which runs of a round each began, in turns: those of A, or of B half a minute later.
fn in_turns(run: &Run, second: u32) -> Vec<String> {
    (0..run.plan.studies[0].rounds_total())
        .map(|run| format!("2026-11-21T10:{run:02}:{second:02}Z"))
        .collect()
}

/// Both sides, of runs that were created at these times.
fn begun(
    [a, b]: [&Run; 2],
    verdicts: &[Verdict; 2],
    begun: &[Vec<String>; 2],
    allowed: &[&str],
) -> Result<Comparison, Refusal> {
    let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
    let side = |name, run, at: usize| Side { name, run, verdict: &verdicts[at], begun: &begun[at] };
    Ok(compare(side("before", a, 0), side("after", b, 1), comparable(a, b, &allowed)?, &[]))
}

/// Each round is a run, so that no assumed spread hides what is tested.
fn of(a: &Run, b: &Run, allowed: &[&str]) -> Result<Comparison, Refusal> {
    let verdicts = [a, b].map(|run| analyse(run, &|_| None));
    begun([a, b], &verdicts, &[in_turns(a, 0), in_turns(b, 30)], allowed)
}

/// One run of each side.
fn of_one_run_each(a: &Run, b: &Run) -> Comparison {
    let verdicts = [a, b].map(|run| analyse(run, &|_| None));
    begun([a, b], &verdicts, &[a, b].map(|run| vec![run.plan.created_at.clone()]), &[]).unwrap()
}

fn compared(a: &Synthetic, b: &Synthetic) -> Comparison {
    of(&a.run(), &later(b.run()), &[]).unwrap()
}

/// 1000 commits/s, with one percent of scatter that differs between runs.
fn scattered(seed: u32) -> Synthetic {
    times(1.0, seed)
}

/// `scattered`, multiplied by this factor.
fn times(factor: f64, seed: u32) -> Synthetic {
    Synthetic::commit().scatter(0.0).rate(move |configuration, round| {
        let place = configuration.to_string().len() as u32;
        factor * 1000.0 * (1.0 + 0.01 * f64::from((round * 7 + place * 3 + seed * 5) % 11) / 11.0)
    })
}

fn rows(comparison: &Comparison) -> &[Row] {
    &comparison.studies[0].rows
}

#[test]
fn a_slower_run_is_found_with_its_size() {
    let comparison = compared(&scattered(1), &times(0.8, 2));
    let rows = rows(&comparison);
    assert_eq!(rows.len(), 5, "four configurations and all of them");
    assert_eq!(comparison.studies[0].family, 5);
    for row in rows {
        let (low, high) = row.ratio.as_ref().unwrap().interval.unwrap();
        assert!(low < 0.8 && 0.8 < high && high / low < 1.05, "{row:?}");
        assert_eq!((row.answer, row.better), (Answer::Different, Some(false)), "{row:?}");
        assert!(row.p_adjusted.unwrap() < 1e-6 && (row.n_a, row.n_b) == (10, 10));
    }
    assert_eq!(rows[0].configuration.as_deref(), Some("mode=buffered group_size=1"));
    assert_eq!(rows[4].configuration, None);
    assert!((rows[4].ratio.as_ref().unwrap().point.unwrap() - 0.8).abs() < 0.01);
}

#[test]
fn two_runs_of_one_truth_are_equivalent_or_undecided_but_not_different() {
    let comparison = compared(&scattered(1), &scattered(2));
    assert!(rows(&comparison).iter().all(|row| row.answer == Answer::Equivalent), "{:?}", rows(&comparison));
    let wide = |seed: u32| {
        Synthetic::commit()
            .scatter(0.0)
            .rate(move |_, round| 1000.0 + f64::from((round * 7 + seed * 5) % 11) * 20.0)
    };
    let comparison = compared(&wide(1), &wide(2));
    let undecided = rows(&comparison).iter().find(|row| row.answer == Answer::Undecided);
    assert!(undecided.is_some_and(|row| row.rounds_needed.is_some_and(|rounds| rounds > 0)));
    assert!(rows(&comparison).iter().all(|row| row.answer != Answer::Different));
}

#[test]
fn what_the_baseline_differs_from_itself_by_is_no_difference() {
    // The A/A arm of B scatters by a fifth; the configurations differ by 8 %.
    let noisy = times(1.08, 2).edit(|record| {
        if record.key.duplicate {
            let factor = if record.key.round % 2 == 0 { 1.3 } else { 1.1 };
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            let rate = metrics["commits_per_s"].value().copied().unwrap();
            metrics.insert("commits_per_s".to_owned(), Measured::Value(rate * factor));
            // Latencies do not follow; the verdict of Little's law does not matter here.
            metrics.insert("in_flight_mean".to_owned(), Measured::unsupported("not counted"));
        }
    });
    let comparison = compared(&scattered(1), &noisy);
    let row = &rows(&comparison)[0];
    assert!(row.noise_floor.unwrap() > 1.1 && row.answer == Answer::Undecided, "{row:?}");
    assert_eq!(row.why, Some(RowReason::InsideNoise));
}

#[test]
fn configurations_that_do_not_agree_are_said_to() {
    let (one, other) = (
        scattered(1),
        times(1.0, 2).edit(|record| {
            let factor = if record.values.is("mode", "direct") { 0.7 } else { 1.0 };
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            let rate = metrics["commits_per_s"].value().copied().unwrap();
            metrics.insert("commits_per_s".to_owned(), Measured::Value(rate * factor));
        }),
    );
    // Latencies do not follow these rates; the audits do not matter here.
    let (a, b) = (one.run(), later(other.run()));
    let mut verdicts = [&a, &b].map(|run| analyse(run, &|_| None));
    for verdict in &mut verdicts {
        verdict.studies[0].audits.clear();
    }
    let comparison = begun([&a, &b], &verdicts, &[in_turns(&a, 0), in_turns(&b, 30)], &[]).unwrap();
    let answers: Vec<Answer> = rows(&comparison).iter().map(|row| row.answer).collect();
    assert_eq!(answers[..4], [Answer::Equivalent, Answer::Equivalent, Answer::Different, Answer::Different]);
    let all = &rows(&comparison)[4];
    assert_eq!(all.why, Some(RowReason::Disagree));
}

#[test]
fn classes_of_durability_are_not_compared() {
    let weaker = scattered(2).edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    let comparison = compared(&scattered(1), &weaker);
    let withheld: Vec<&Row> =
        rows(&comparison).iter().filter(|row| row.answer == Answer::NotAssessable).collect();
    assert_eq!(withheld.len(), 2, "{:?}", rows(&comparison));
    assert!(withheld.iter().all(|row| row.ratio.is_none()));
    let [a, b] = [DurabilityClass::Power, DurabilityClass::Process].map(|class| Declared::new(&[class]));
    assert_eq!(withheld[0].why, Some(RowReason::UnlikeDurability { a, b }));
}

#[test]
fn a_failed_audit_withholds_the_answer_and_shows_the_figures() {
    let broken = times(0.8, 2).edit(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
    });
    let comparison = compared(&scattered(1), &broken);
    let row = &rows(&comparison)[0];
    assert_eq!(row.answer, Answer::NotAssessable);
    assert!(row.ratio.as_ref().unwrap().interval.is_some());
    let failed = vec!["littles-law".to_owned()];
    assert_eq!(row.why, Some(RowReason::Withheld(vec![Doubts { side: 'B', failed, open: Vec::new() }])));
    assert!(
        comparison.studies[0].audits.iter().any(|audit| audit.side == 'B' && audit.name == "littles-law")
    );
}

#[test]
fn a_failed_audit_of_one_configuration_withholds_its_row_and_the_one_over_all() {
    let broken = times(0.8, 2).edit(|record| {
        if record.values.is("mode", "direct") {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
        }
    });
    let comparison = compared(&scattered(1), &broken);
    let is_withheld = |row: &&Row| matches!(row.why, Some(RowReason::Withheld(_)));
    let is_of = |row: &Row, mode: &str| row.configuration.as_ref().is_some_and(|label| label.contains(mode));
    let rows: Vec<&Row> = rows(&comparison).iter().collect();
    assert!(rows.iter().any(|row| is_of(row, "buffered")) && rows.iter().any(|row| is_of(row, "direct")));
    for row in rows {
        assert_eq!(is_withheld(&row), !is_of(row, "buffered"), "{row:?}");
        assert!(is_withheld(&row) || row.answer == Answer::Different, "{row:?}");
    }
}

#[test]
fn few_trials_give_a_ratio_without_an_interval_and_missing_ones_a_reason() {
    let few = scattered(2).rounds(4).edit(|record| {
        if record.values.is("mode", "direct") {
            record.measurement = None;
        }
    });
    let comparison = of_one_run_each(&scattered(1).run(), &later(few.run()));
    let [first, .., last] = rows(&comparison) else { panic!("{comparison:?}") };
    assert_eq!(first.why, Some(RowReason::NoInterval(NoInterval::TooFew { n: 4, needed: 6 })));
    let ratio = first.ratio.as_ref().unwrap();
    assert!(ratio.point.is_some() && ratio.interval.is_none());
    assert!(matches!(last.why, Some(RowReason::NoValue { side: 'B', .. })), "{last:?}");
    assert_eq!(comparison.studies[0].family, 0);
}

#[test]
fn what_differs_around_the_runs_comes_first() {
    let (a, mut b) = (scattered(1).run(), later(scattered(2).run()));
    b.host.kernel = "6.1.0".to_owned();
    for record in &mut b.records {
        record.measurement.as_mut().unwrap().placement.mount_options = "rw,noatime".to_owned();
    }
    let comparison = of(&a, &b, &[]).unwrap();
    let what: Vec<&str> = comparison.surroundings.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(what, ["kernel", "mount options", "begun at"]);
    let Machines { hosts: (host_a, host_b), disks: (disk_a, disk_b) } = &comparison.machines;
    assert_eq!((host_a, disk_a), (host_b, disk_b));
    assert_eq!(disk_a.as_deref(), Some("vda with ext4"));
    b.host.name = "elsewhere".to_owned();
    let comparison = of(&a, &b, &[]).unwrap();
    assert_ne!(comparison.machines.hosts.0, comparison.machines.hosts.1);
}

#[test]
fn order_of_records_changes_nothing_and_metrics_are_those_asked() {
    let asks = vec![ask(AskKind::Compare, "mode", &["commits_per_s", "commit_latency_p50"])];
    let (a, b) = (scattered(1).asks(asks.clone()).run(), later(times(0.9, 2).asks(asks).run()));
    let straight = of(&a, &b, &[]).unwrap();
    assert_eq!(straight.studies[0].metrics, ["commits_per_s", "commit_latency_p50_us"]);
    let mut turned = b.clone();
    turned.records.reverse();
    let turned = of(&a, &turned, &[]).unwrap();
    let json = |comparison: &Comparison| serde_json::to_string(&comparison.studies).unwrap();
    assert_eq!(json(&straight), json(&turned));
}
