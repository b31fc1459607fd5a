//! Ratings of runs whose figures are known.

use super::*;
use model::Value;
use synthetic::{Synthetic, name};

/// A log that is written by plain calls with nothing beside it.
fn commits(per_s: f64, scatter: f64) -> Synthetic {
    Synthetic::commit()
        .vary("mode", vec![name("buffered")])
        .vary("group_size", vec![Value::Count(1)])
        .fix("ioengine", name("psync"))
        .fix("read_depth", Value::Count(0))
        .rate(move |_, _| per_s)
        .scatter(scatter)
}

fn rated(study: &Synthetic) -> Vec<Rating> {
    let run = study.run();
    ratings(&run, &verdict::analyse(&run, &|_| None))
}

#[track_caller]
fn of(study: &Synthetic, question: Question) -> Rating {
    rated(study).into_iter().find(|rating| rating.question == question).unwrap()
}

fn graded(best: Grade, worst: Grade) -> Outcome {
    Outcome::Graded { best, worst }
}

#[test]
fn a_grade_follows_the_published_limits() {
    for (per_s, grade) in
        [(2000.0, Grade::Good), (600.0, Grade::Good), (200.0, Grade::Fair), (20.0, Grade::Poor)]
    {
        let found = of(&commits(per_s, 0.02), Question::DurableCommits);
        assert_eq!(found.outcome, graded(grade, grade), "{per_s}");
    }
    for (iops, grade) in [(100_000.0, Grade::Good), (20_000.0, Grade::Fair), (800.0, Grade::Poor)] {
        let reads = Synthetic::device().rate(move |_, _| iops);
        assert_eq!(of(&reads, Question::RandomReads).outcome, graded(grade, grade), "{iops}");
    }
}

#[test]
fn an_interval_that_reaches_two_grades_has_both() {
    let found = of(&commits(500.0, 0.1), Question::DurableCommits);
    assert_eq!(found.outcome, graded(Grade::Good, Grade::Fair), "{:?}", found.estimate);
}

#[test]
fn without_an_interval_there_is_no_grade() {
    let found = of(&commits(2000.0, 0.02).rounds(3), Question::DurableCommits);
    assert!(matches!(found.outcome, Outcome::NotAssessable(_)), "{found:?}");
    // No p99 was recorded at all.
    let found = of(&commits(2000.0, 0.02), Question::CommitP99);
    assert!(matches!(found.outcome, Outcome::NotAssessable(_)), "{found:?}");
}

#[test]
fn memory_is_never_rated() {
    let in_memory = commits(2000.0, 0.02).edit(|record| {
        record.measurement.as_mut().unwrap().placement.in_memory = Some("tmpfs".to_owned());
    });
    let found = rated(&in_memory);
    assert!(!found.is_empty() && found.iter().all(|rating| rating.outcome == Outcome::InMemory), "{found:?}");
}

#[test]
fn flushes_are_good_or_poor_and_a_failed_audit_stands_beside_the_figures() {
    assert_eq!(of(&commits(2000.0, 0.02), Question::Flushes).outcome, graded(Grade::Good, Grade::Good));
    let lost = commits(2000.0, 0.02).edit(|record| {
        let phase = &mut record.measurement.as_mut().unwrap().phases[0];
        let none = model::mechanism::Measured::Value(0.0);
        phase.metrics.insert("device_flushes_per_commit".to_owned(), none);
    });
    assert_eq!(of(&lost, Question::Flushes).outcome, graded(Grade::Poor, Grade::Poor));
    assert!(of(&lost, Question::DurableCommits).failed.contains(&"volatile-cache".to_owned()));
}

#[test]
fn what_no_configuration_asks_has_no_rating() {
    // Reads run beside these commits, and these commits are not measured alone.
    assert_eq!(rated(&Synthetic::commit()).len(), 0);
    let buffered = Synthetic::device().vary("mode", vec![name("buffered")]);
    assert_eq!(rated(&buffered).len(), 0);
}

#[test]
fn limits_are_in_order() {
    for question in Question::ALL {
        if let Reference::Limits(limits) = question.reference() {
            assert_eq!(limits.grade(limits.good), Grade::Good);
            assert_eq!(limits.grade(limits.fair), Grade::Fair, "{question:?}: {limits:?}");
        }
    }
}
