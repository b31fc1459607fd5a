//! How many comparisons share the 5 % of error, and that every interval is wider accordingly.

use super::{later, of, scattered, times};
use crate::verdict::Answer;
use model::mechanism::Measured;
use model::study::AskKind;
use synthetic::ask;

const BOTH: &[&str] = &["commits_per_s", "commit_latency_p50"];

#[test]
fn a_family_is_every_comparison_of_a_study_that_can_be_tested() {
    let asks = vec![ask(AskKind::Compare, "mode", BOTH)];
    let (a, mut b) = (scattered(1).asks(asks.clone()).run(), later(times(0.9, 2).asks(asks).run()));
    let whole = of(&a, &b, &[]).unwrap();
    assert_eq!(whole.studies[0].family, 10, "four configurations and all of them, in two metrics");
    // One configuration lacks a figure: its row stays, but does not count as a comparison.
    for record in b.records.iter_mut().filter(|record| record.key.configuration == 0) {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("commits_per_s".to_owned(), Measured::unsupported("the clock stopped"));
    }
    let spoiled = of(&a, &b, &[]).unwrap();
    assert_eq!(spoiled.studies[0].family, 9);
    for comparison in [whole, spoiled] {
        let study = &comparison.studies[0];
        assert_eq!(study.rows.len(), 10);
        let tested: Vec<_> = study.rows.iter().filter(|row| row.p_adjusted.is_some()).collect();
        assert_eq!(tested.len(), study.family, "Holm adjusts for as many as are counted");
        for row in tested {
            let level = row.ratio.as_ref().unwrap().level.unwrap();
            let expected = 1.0 - 0.05 / study.family as f64;
            assert!((level - expected).abs() < 1e-12, "{level}, not {expected}: {row:?}");
        }
        let untested = study.rows.iter().filter(|row| row.p_adjusted.is_none());
        assert!(untested.into_iter().all(|row| row.answer == Answer::NotAssessable));
    }
}

/// Studies are separate questions: a further study does not widen the intervals of another.
#[test]
fn each_study_is_a_family_of_its_own() {
    let two = |seed: u32, factor: f64| {
        let mut run = times(factor, seed).run();
        let mut second = run.plan.studies[0].clone();
        "second".clone_into(&mut second.name);
        let copies = run.records.clone().into_iter().map(|mut record| {
            "second".clone_into(&mut record.key.study);
            record
        });
        run.records.extend(copies);
        run.plan.studies.push(second);
        run
    };
    let (a, b) = (two(1, 1.0), later(two(2, 0.8)));
    let both = of(&a, &b, &[]).unwrap();
    let alone = of(&scattered(1).run(), &later(times(0.8, 2).run()), &[]).unwrap();
    assert_eq!(both.studies.iter().map(|study| study.family).collect::<Vec<_>>(), [5, 5]);
    for study in &both.studies {
        for (row, single) in study.rows.iter().zip(&alone.studies[0].rows) {
            assert_eq!(row.ratio.as_ref().unwrap().interval, single.ratio.as_ref().unwrap().interval);
            assert_eq!(row.p_adjusted, single.p_adjusted);
        }
    }
}
