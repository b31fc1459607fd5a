//! What runs of one thing differ by: where it is taken from, and that several runs are joined to one.

use super::{begun, later, of, of_one_run_each, rows, scattered, times};
use crate::analyse;
use crate::compare::{BetweenRuns, ComparisonRemark, Joined, Refusal, Row};
use crate::verdict::Answer;
use model::run::Run;

/// This many runs, an hour after each other from this hour on.
fn several(count: u32, hour: u32, run: impl Fn(u32) -> Run) -> Vec<Run> {
    let at = |place: u32| {
        let mut run = run(place);
        run.plan.created_at = format!("2026-11-21T{:02}:00:00Z", hour + place);
        run.plan.seed += u64::from(place);
        run
    };
    (0..count).map(at).collect()
}

/// Two checks back to back, 8 % apart with trials that hardly scatter, said "2 worse".
#[test]
fn one_run_of_each_side_proves_no_small_difference() {
    let comparison = of_one_run_each(&scattered(1).run(), &later(times(0.92, 2).run()));
    assert_eq!(comparison.between_runs, BetweenRuns::Assumed);
    assert!(comparison.remarks.contains(&ComparisonRemark::BetweenRuns(BetweenRuns::Assumed)));
    for row in rows(&comparison) {
        assert!(row.assumed_log_sd.is_some_and(|sd| sd > 0.0), "{row:?}");
        assert_eq!(row.answer, Answer::Undecided, "{row:?}");
    }
    let halved = of_one_run_each(&scattered(1).run(), &later(times(0.5, 2).run()));
    assert!(rows(&halved).iter().all(|row| (row.answer, row.better) == (Answer::Different, Some(false))));
}

#[test]
fn runs_in_turns_are_pairs() {
    let comparison = of(&scattered(1).run(), &later(times(0.92, 2).run()), &[]).unwrap();
    assert_eq!(comparison.between_runs, BetweenRuns::Pairs { pairs: 10 });
    let row = &rows(&comparison)[0];
    assert_eq!((row.answer, row.assumed_log_sd), (Answer::Different, None));
}

#[test]
fn runs_are_pairs_only_if_they_took_turns() {
    let (a, b) = (scattered(1).run(), later(scattered(2).run()));
    let verdicts = [&a, &b].map(|run| analyse(run, &|_| None));
    let times = |hours: &[u32]| -> Vec<String> {
        hours.iter().map(|hour| format!("2026-11-21T{hour:02}:00:00Z")).collect()
    };
    let pairs = BetweenRuns::Pairs { pairs: 6 };
    for (ours, theirs, expected) in [
        (&[0, 3, 4, 7, 8, 11][..], &[1, 2, 5, 6, 9, 10][..], pairs),
        // Two that were created in the same second may be a pair.
        (&[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3, 4, 5], pairs),
        (&[0, 1, 2, 3, 4, 5], &[6, 7, 8, 9, 10, 11], BetweenRuns::Runs { a: 6, b: 6 }),
        (&[0, 2, 4, 6, 8, 10], &[1, 3, 5, 7, 9], BetweenRuns::Runs { a: 6, b: 5 }),
        (&[0, 2, 4], &[1, 3, 5], BetweenRuns::Runs { a: 3, b: 3 }),
        (&[0, 2, 4, 6, 8, 10], &[1, 3], BetweenRuns::Assumed),
    ] {
        let found = begun([&a, &b], &verdicts, &[times(ours), times(theirs)], &[]).unwrap();
        assert_eq!(found.between_runs, expected, "{ours:?} {theirs:?}");
    }
}

/// Each side's runs lie around a level of their own, which their trials do not show.
#[test]
fn several_runs_show_what_they_differ_by() {
    let level = [1.0, 0.9, 1.1];
    let side = |hour, seed| {
        let runs = several(3, hour, |place| times(level[place as usize], seed + place).run());
        Joined::new(runs).unwrap()
    };
    let (a, b) = (side(1, 1), side(8, 5));
    let verdicts = [&a.run, &b.run].map(|run| analyse(run, &|_| None));
    let comparison = begun([&a.run, &b.run], &verdicts, &[a.begun.clone(), b.begun.clone()], &[]).unwrap();
    assert_eq!(comparison.between_runs, BetweenRuns::Runs { a: 3, b: 3 });
    for row in rows(&comparison) {
        let Row { ratio, n_a, n_b, .. } = row;
        let (low, high) = ratio.as_ref().unwrap().interval.unwrap();
        assert_eq!((*n_a, *n_b), (3, 3), "a run is one value");
        assert!(low < 0.85 && high > 1.15, "{row:?}");
    }
}

#[test]
fn joined_runs_are_rounds_after_each_other() {
    let runs = several(3, 1, |place| scattered(place).rounds(4).run());
    let joined = Joined::new(runs.iter().rev().cloned().collect()).unwrap();
    let plan = &joined.run.plan.studies[0];
    let warmup = runs[0].plan.studies[0].warmup_rounds;
    assert_eq!((plan.rounds, plan.warmup_rounds), (12, 0));
    assert!(joined.begun.is_sorted() && joined.begun.len() == 3);
    let analysed = |run: &Run| run.records.iter().filter(|record| record.key.round >= warmup).count();
    assert_eq!(joined.run.records.len(), runs.iter().map(analysed).sum::<usize>());
    for record in &joined.run.records {
        let (place, key) = joined.of_run(&record.key).unwrap();
        let own = runs[place].records.iter().find(|own| own.key == key).unwrap();
        assert_eq!(own.measurement, record.measurement);
    }
    assert_eq!(
        joined.of_run(&model::trial::TrialKey { round: 12, ..joined.run.records[0].key.clone() }),
        None
    );
}

#[test]
fn a_single_run_is_joined_to_itself() {
    let run = scattered(1).run();
    let joined = Joined::new(vec![run.clone()]).unwrap();
    let key = run.records[5].key.clone();
    assert_eq!((joined.run.clone(), joined.of_run(&key)), (run, Some((0, key))));
}

#[test]
fn runs_that_measured_something_else_are_no_repetitions() {
    let runs = |other: Run| vec![scattered(1).run(), later(other)];
    let mut fixed = scattered(2).run();
    for values in &mut fixed.plan.studies[0].configurations {
        values.0.insert("record_size".to_owned(), model::Value::Bytes(8192));
    }
    assert!(matches!(Joined::new(runs(fixed)), Err(Refusal::UnlikeRuns(_))));
    let mut renamed = scattered(2).run();
    "other".clone_into(&mut renamed.plan.studies[0].name);
    assert!(matches!(Joined::new(runs(renamed)), Err(Refusal::NothingInCommon(_))));
    assert!(matches!(Joined::new(Vec::new()), Err(Refusal::NothingInCommon(_))));
}
