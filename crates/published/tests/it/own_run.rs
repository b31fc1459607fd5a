//! A run of Syncline's own, judged by its own audits.

use crate::clean;

use model::plan::StudyPlan;
use model::run::Run;
use published::{Belief, Report, check_help, own_run};

/// The clean run with a second study of the same configurations, some other parameters and trials of half a second.
fn two_studies() -> Run {
    let mut run = clean::run();
    let first = run.plan.studies[0].clone();
    run.plan.studies.push(StudyPlan { name: "other".to_owned(), ..first });
    let mut records = run.records.clone();
    for record in &mut records {
        "other".clone_into(&mut record.key.study);
        record.measurement.as_mut().unwrap().phases[0].duration_s = 0.5;
    }
    run.records.extend(records);
    run
}

fn judged(run: &Run) -> Report {
    own_run("run", run, &verdict::analyse(run, &|_| None))
}

/// For Syncline's own default run 48 of 48 rows were "too-short", and rows differed from those of other studies.
#[test]
fn a_run_is_judged_by_its_own_audits() {
    let run = two_studies();
    let verdict = verdict::analyse(&run, &|_| None);
    let report = own_run("run", &run, &verdict);
    assert_eq!(report.rows.len(), 8);
    let own: Vec<String> = verdict
        .studies
        .iter()
        .flat_map(|study| study.audits.iter().map(move |audit| format!("{}: {}", study.name, audit.name)))
        .collect();
    assert_eq!(report.audits.len(), own.len());
    assert!(report.audits.iter().all(|audit| own.contains(&audit.name)));
    let of_tables: Vec<&str> = check_help().into_iter().map(|(name, _)| name).collect();
    let only_of_tables = ["too-short", "too-few-repeats", "n-hidden", "duplicated-latency"];
    assert!(only_of_tables.iter().all(|name| of_tables.contains(name)));
    for reason in report.rows.iter().flat_map(|row| &row.reasons) {
        assert!(only_of_tables.iter().all(|name| !reason.contains(name)), "{reason}");
    }
}

/// An audit about one configuration says nothing of the others.
#[test]
fn a_row_is_what_the_audits_about_it_say() {
    let mut run = clean::run();
    for record in run.records.iter_mut().filter(|record| record.key.configuration == 2) {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        for (name, factor) in [("iops", 3.0), ("in_flight_mean", 0.2)] {
            let model::mechanism::Measured::Value(value) = metrics.get_mut(name).unwrap() else {
                panic!("made up")
            };
            *value *= factor;
        }
    }
    let report = judged(&run);
    let beliefs: Vec<Belief> = report.rows.iter().map(|row| row.belief).collect();
    assert_eq!(beliefs[2], Belief::CannotBeBelieved, "{report:#?}");
    assert!(beliefs[..2].iter().all(|belief| *belief != Belief::CannotBeBelieved), "{beliefs:?}");
    assert!(report.rows[2].reasons[0].starts_with("littles-law"), "{:?}", report.rows[2].reasons);
}
