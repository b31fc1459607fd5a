//! Audits of append trials: the errors of page 003, and the durability of an arm.

use super::device::canary;
use super::{audit, check};
use crate::verdict::Status;
use model::Value;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::medium::{Below, Medium, WriteCache};
use model::trial::TrialRecord;
use synthetic::{Synthetic, name};

/// Changes the records of one arm, and its description in the plan.
fn edit(arm: &'static str, edit: impl Fn(&mut TrialRecord) + 'static) -> Synthetic {
    Synthetic::append().edit(move |record| {
        if record.values.is("arm", arm) {
            edit(record);
        }
    })
}

fn figure(arm: &'static str, metric: &'static str, value: f64) -> Synthetic {
    edit(arm, move |record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert(metric.to_owned(), Measured::Value(value));
    })
}

/// Page 003 wrote every entry of its raw arm with two calls and compared that with a single put.
#[test]
fn an_entry_of_two_calls_is_another_knob() {
    check(&Synthetic::append(), "same-knobs", Status::Pass, "Compared arms differ in the factor only.");
    let mut run = Synthetic::append().run();
    let plan = &mut run.plan.studies[0];
    let all = plan.configurations.iter_mut().chain(run.records.iter_mut().map(|record| &mut record.values));
    for values in all.filter(|values| values.is("arm", "pwrite")) {
        values.0.insert("writes_per_entry".to_owned(), Value::Count(2));
    }
    let audits = crate::analyse(&run, &|_| None).studies.remove(0).audits;
    let knobs = audits.iter().find(|audit| audit.name == "same-knobs").unwrap();
    assert_eq!(knobs.status, Status::Warn);
    let words = "arm pwrite against sqlite_normal also changes writes_per_entry 2 against 1.";
    assert!(knobs.evidence.iter().any(|it| it == words), "{knobs:?}");
}

/// An arm may differ from another in file or engine, but not in the size of a value.
#[test]
fn arms_differ_in_what_they_are_and_in_nothing_else() {
    let arms = |parameter: &'static str, value: Value| {
        let mut run = Synthetic::append().run();
        let plan = &mut run.plan.studies[0];
        let all =
            plan.configurations.iter_mut().chain(run.records.iter_mut().map(|record| &mut record.values));
        for values in all.filter(|values| values.is("arm", "lmdb_sync")) {
            values.0.insert("engine".to_owned(), name("lmdb"));
            values.0.insert("durability".to_owned(), name("sync"));
            values.0.insert(parameter.to_owned(), value.clone());
        }
        let audits = crate::analyse(&run, &|_| None).studies.remove(0).audits;
        audits.into_iter().find(|audit| audit.name == "same-knobs").unwrap().status
    };
    assert_eq!(arms("value_size", Value::Bytes(100)), Status::Pass);
    assert_eq!(arms("value_size", Value::Bytes(1000)), Status::Warn);
}

/// Page 003's values repeated one byte, which RocksDB's tables compress to almost nothing.
#[test]
fn constant_values_are_flagged() {
    let constant = || Synthetic::append().fix("values", name("constant"));
    check(
        &constant(),
        "compressible-data",
        Status::Warn,
        "6 configurations wrote zeros or compressible data, and no canary measured whether the device takes \
         advantage of that.",
    );
    check(
        &canary(constant(), 0.25, 8),
        "compressible-data",
        Status::Fail,
        "arm=user_buffer: compressible data written.",
    );
    // A device may not take advantage of zeros while an engine still does.
    check(
        &canary(constant(), 1.0, 8),
        "compressible-data",
        Status::Pass,
        "The device does not handle zeros more than 10 % faster than random data.",
    );
    let engines = constant().fix("engine", name("rocksdb"));
    check(
        &canary(engines, 1.0, 8),
        "compressible-data",
        Status::Warn,
        "6 configurations put compressible data into an engine, which may compress it whether or not the \
         device does.",
    );
    check(
        &canary(Synthetic::append(), 0.25, 8),
        "compressible-data",
        Status::Pass,
        "The written data was random; zeros would have been 3.97× faster here.",
    );
}

#[test]
fn an_acknowledged_entry_that_a_kill_lost_refutes_the_class() {
    check(
        &Synthetic::append(),
        "durability-class",
        Status::Pass,
        "Arms that are compared share a durability class (none and process and power).",
    );
    // An engine of class none may lose entries with its process, because it declares that.
    check(
        &figure("fjall_manual", "lost_after_kill", 5000.0),
        "durability-class",
        Status::Pass,
        "Arms that are compared share a durability class (none and process and power).",
    );
    for arm in ["sqlite_normal", "lmdb_sync"] {
        let broken = audit(&figure(arm, "lost_after_kill", 3.0), "durability-class");
        assert_eq!(broken.status, Status::Fail, "{broken:?}");
        let summary = format!(
            "Acknowledged entries were missing after a kill that their durability class should survive. It concerns 1 of \
             6 configurations (arm={arm}); answers without them remain valid."
        );
        assert_eq!(broken.summary, summary);
        assert_eq!(broken.evidence, [format!("arm={arm}: up to 3 entries in one kill.")]);
    }
}

#[test]
fn power_is_refuted_where_no_flush_precedes_the_acknowledgement() {
    check(
        &Synthetic::append(),
        "volatile-cache",
        Status::Pass,
        "The device saw as many flushes (or forced writes) as acknowledged syncs need: one each for a \
         single writer, fewer if threads share them.",
    );
    let unflushed = figure("lmdb_sync", "device_flushes_per_entry", 0.0);
    check(
        &unflushed,
        "volatile-cache",
        Status::Fail,
        "arm=lmdb_sync: 10 of 10 trials; furthest off: write back cache, 0 flushes per entry.",
    );
    let less = edit("lmdb_sync", |record| {
        let measurement = record.measurement.as_mut().unwrap();
        measurement.durability = DurabilityClass::Process;
        let metrics = &mut measurement.phases[0].metrics;
        metrics.insert("device_flushes_per_entry".to_owned(), Measured::Value(0.0));
    });
    check(
        &less,
        "volatile-cache",
        Status::Pass,
        "The device saw as many flushes (or forced writes) as acknowledged syncs need: one each for a \
         single writer, fewer if threads share them.",
    );
    let no_cache = unflushed.edit(|record| {
        let placement = &mut record.measurement.as_mut().unwrap().placement;
        let write_cache = WriteCache::Absent("made up".to_owned());
        placement.below = Some(Below { medium: Medium::Device, write_cache });
    });
    check(&no_cache, "volatile-cache", Status::Pass, "Closest to the limit, arm=lmdb_sync: made up.");
}
