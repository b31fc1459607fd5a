//! Ratings of runs whose figures are known.

use super::*;
use model::Value;
use model::mechanism::Measured;
use model::medium::{Below, Veil, WriteCache};
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

fn graded(best: Grade, worst: Grade) -> RatingOutcome {
    RatingOutcome::Graded { best, worst }
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
    assert!(matches!(found.outcome, RatingOutcome::NotAssessable(_)), "{found:?}");
    // No p99 was recorded at all.
    let found = of(&commits(2000.0, 0.02), Question::CommitP99);
    assert!(matches!(found.outcome, RatingOutcome::NotAssessable(_)), "{found:?}");
}

#[test]
fn memory_is_never_rated() {
    let in_memory = commits(2000.0, 0.02).edit(|record| {
        record.measurement.as_mut().unwrap().placement.in_memory = Some("tmpfs".to_owned());
    });
    let found = rated(&in_memory);
    assert!(
        !found.is_empty() && found.iter().all(|rating| rating.outcome == RatingOutcome::InMemory),
        "{found:?}"
    );
}

#[test]
fn flushes_are_good_or_poor_and_a_failed_audit_withholds_the_figures() {
    assert_eq!(of(&commits(2000.0, 0.02), Question::Flushes).outcome, graded(Grade::Good, Grade::Good));
    let lost = commits(2000.0, 0.02).edit(|record| {
        let phase = &mut record.measurement.as_mut().unwrap().phases[0];
        let none = Measured::Value(0.0);
        phase.metrics.insert("device_flushes_per_commit".to_owned(), none);
    });
    assert_eq!(of(&lost, Question::Flushes).outcome, graded(Grade::Poor, Grade::Poor));
    let commits_of_lost = of(&lost, Question::DurableCommits);
    assert!(commits_of_lost.failed.contains(&"volatile-cache".to_owned()), "{commits_of_lost:?}");
    assert_eq!(commits_of_lost.outcome, RatingOutcome::Withheld);
}

fn with_placement(edit: impl Fn(&mut model::host::Placement) + 'static) -> Synthetic {
    commits(2000.0, 0.02).edit(move |record| edit(&mut record.measurement.as_mut().unwrap().placement))
}

/// "good flushes 1.35" was printed while foreign-io had failed: the device's count had other programs' flushes.
#[test]
fn a_rating_requires_the_audits_of_its_counters() {
    let beside_others = commits(2000.0, 0.02).edit(|record| {
        let mechanism = &mut record.measurement.as_mut().unwrap().phases[0].mechanism;
        if let Measured::Value(device) = &mut mechanism.device {
            device.written_bytes = 4 << 30;
        }
    });
    let found = of(&beside_others, Question::Flushes);
    assert_eq!((found.outcome, found.failed), (RatingOutcome::Withheld, vec!["foreign-io".to_owned()]));
}

/// `write through`, written into the flag of a loop device, gave 22,000 commits/s with 0 flushes: "good flushes 0".
#[test]
fn no_flush_is_not_good_because_a_flag_says_so() {
    let through = |below: Option<WriteCache>| {
        commits(2000.0, 0.02).edit(move |record| {
            let measurement = record.measurement.as_mut().unwrap();
            measurement.placement.write_cache = Measured::Value("write through".to_owned());
            measurement.placement.below =
                below.clone().map(|write_cache| Below { medium: Medium::Device, write_cache });
            let none = Measured::Value(0.0);
            measurement.phases[0].metrics.insert("device_flushes_per_commit".to_owned(), none);
        })
    };
    let good = graded(Grade::Good, Grade::Good);
    let absent = through(Some(WriteCache::Absent("its cache_type".to_owned())));
    assert_eq!(of(&absent, Question::Flushes).outcome, good);
    let hidden = through(Some(WriteCache::Hidden("a loop device".to_owned())));
    assert_eq!(of(&hidden, Question::Flushes).outcome, graded(Grade::Poor, Grade::Poor));
    for nothing_but_the_flag in [through(None), through(Some(WriteCache::Unproven("a flag".to_owned())))] {
        assert!(matches!(
            of(&nothing_but_the_flag, Question::Flushes).outcome,
            RatingOutcome::NotAssessable(_)
        ));
        assert_eq!(of(&nothing_but_the_flag, Question::DurableCommits).outcome, RatingOutcome::Withheld);
    }
    // Its commits take 50 µs; 3 µs are too short for any device, whatever its cache.
    let short = absent.edit(|record| {
        let phase = &mut record.measurement.as_mut().unwrap().phases[0];
        phase.metrics.insert("commit_latency_p50_us".to_owned(), Measured::Value(3.0));
    });
    assert_eq!(of(&short, Question::Flushes).outcome, graded(Grade::Poor, Grade::Poor));
}

/// ext4 on a loop device whose file is served by a program: "good durable commits", "fit for etcd".
#[test]
fn what_hides_its_device_is_never_rated() {
    let unseen = with_placement(|placement| {
        placement.below = Some(Below::unseen(Veil::Program, "loop0 is on FUSE".to_owned()));
    });
    let found = rated(&unseen);
    let unseen = RatingOutcome::Unseen("loop0 is on FUSE".to_owned());
    assert!(!found.is_empty() && found.iter().all(|rating| rating.outcome == unseen), "{found:?}");
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
