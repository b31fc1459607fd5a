//! The realised levels of a key-value trial: its memory cap and its rate.

use super::check;
use crate::verdict::Status;
use model::mechanism::Measured;
use model::units::MIB;
use model::{Configuration, Value};
use synthetic::{Synthetic, name};

/// A store with 100 bytes for each key; 2²⁰ keys take 110 MiB on the disk.
fn store(figures: impl Fn(&Configuration) -> Vec<(&'static str, f64)> + 'static) -> Synthetic {
    let of_keys = |name, count| (name, Value::Count(count));
    let study = Synthetic::kv().fix("value_size", Value::Bytes(84)).fix("io", name("buffered"));
    let study = [of_keys("keys", MIB), of_keys("key_size", 16)]
        .into_iter()
        .fold(study, |study, (name, value)| study.fix(name, value));
    study.edit(move |record| {
        let figures = figures(&record.values);
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        metrics.insert("space_amplification".to_owned(), Measured::Value(1.1));
        for (name, value) in figures {
            metrics.insert(name.to_owned(), Measured::Value(value));
        }
    })
}

fn capped(cached: impl Fn(f64) -> f64 + 'static) -> Synthetic {
    let caps = [64, 32].map(|size| Value::Bytes(size * MIB)).to_vec();
    let cached = move |values: &Configuration| {
        let cap = values.bytes("memory_cap").unwrap() as f64;
        vec![("hit_page_cache_bytes", cached(cap))]
    };
    store(cached).vary("memory_cap", caps)
}

#[test]
fn what_a_store_has_cached_follows_its_memory_cap() {
    let follows = "What was cached of the store's files followed memory_cap.";
    check(&capped(|cap| 0.8 * cap), "factor-took-effect", Status::Pass, follows);
    let unbound = "More of the store's files was cached than memory_cap allows in 1 of 2 configurations: the cap \
                   did not bind. It concerns 1 of 2 configurations (arm=only memory_cap=32MiB); answers \
                   without them remain valid.";
    check(&capped(|_| 50.0 * MIB as f64), "factor-took-effect", Status::Fail, unbound);
    let alike = "Different levels of memory_cap cached the same, so its effects were not tested.";
    check(&capped(|_| 20.0 * MIB as f64), "factor-took-effect", Status::Fail, alike);
    // Direct I/O has no cached bytes to follow the cap.
    let around = capped(|_| MIB as f64).fix("io", name("direct"));
    check(&around, "factor-took-effect", Status::Pass, follows);
}

#[test]
fn what_an_open_loop_completed_follows_its_rate_in_every_phase() {
    let paced = |hits: f64, scans: f64| {
        let rates = move |_: &Configuration| {
            vec![
                ("hit_operations_per_s", hits),
                ("scan_operations_per_s", scans),
                ("load_operations_per_s", 9e5),
            ]
        };
        store(rates).fix("rate_ops", Value::Count(1000))
    };
    // Two threads; a load is not paced.
    let kept = "Completed operations kept up with rate_ops in every open loop.";
    check(&paced(2000.0, 2010.0), "factor-took-effect", Status::Pass, kept);
    let behind = "Completed operations missed rate_ops by more than 5 %, beyond chance, in 1 of 1 \
                  configurations: the device, the engine or the CPU could not keep up, so latency there grows \
                  as long as the trial runs.";
    check(&paced(2000.0, 800.0), "factor-took-effect", Status::Fail, behind);
    let closed = store(|_| vec![("hit_operations_per_s", 2000.0)]);
    check(
        &closed,
        "factor-took-effect",
        Status::NotAssessable,
        "No parameter of this study has a recorded realised value.",
    );
}
