//! Data loaders whose readers an accelerator waits for.

use super::{changed, measure, names, no_advice};
use crate::caveat::{LoaderParameter, Matters};
use crate::database::data_loader::NO_ACCELERATOR;
use crate::{Cause, Caveat, Command, Why};
use model::study::AskKind;
use model::{Nanos, Value};
use synthetic::{Synthetic, ask, name};

const LOADER: &str = "data-loader.txt";
pub(super) const FOURFOLD: &str = "block_size, page_cache, concurrency, prefetch";

/// The utilization by workers and prefetch, of whole files every 14 ms.
fn feeding(utilization: impl Fn(u64, u64) -> f64 + 'static) -> Synthetic {
    Synthetic::scan()
        .vary("concurrency", [1, 4, 16].map(Value::Count).to_vec())
        .vary("prefetch", [1, 8].map(Value::Count).to_vec())
        .fix("block_size", name("whole_file"))
        .fix("page_cache", name("normal"))
        .fix("step_time", Value::Duration(Nanos::from_millis(14)))
        .fix("batch_size", Value::Bytes(11_466_000))
        .asks(vec![
            ask(AskKind::Knee, "concurrency", &["accelerator_utilization"]),
            ask(AskKind::Compare, "prefetch", &["accelerator_utilization"]),
        ])
        .edit(move |record| {
            let count = |name| record.values.count(name).unwrap();
            let own = (record.key.round as usize * (record.key.configuration + 3)) % 7;
            let share = utilization(count("concurrency"), count("prefetch")) * (1.0 + 0.002 * own as f64);
            measure(record, "accelerator_utilization", share);
        })
}

fn enough() -> Synthetic {
    feeding(|workers, _| if workers < 4 { 0.4 } else { 0.9 })
}

/// More workers and more batches than gain anything cost memory and threads.
#[test]
fn an_accelerator_gets_the_fewest_workers_that_are_enough() {
    let found = changed(&enough(), LOADER, FOURFOLD, "whole files, normal, 4 readers, prefetch 1");
    assert_eq!(found.grounds.len(), 5);
    let parameters = found.caveats.iter().find_map(|caveat| match caveat {
        Caveat::Parameters(parameters) => Some(parameters),
        _ => None,
    });
    let [workers, prefetch] = &parameters.unwrap()[..] else { panic!("{parameters:?}") };
    assert_eq!((&*workers.name, &*prefetch.name), ("concurrency", "prefetch"));
    assert!(matches!(workers.matters, Matters::Yes(_)), "{workers:?}");
    assert_eq!(prefetch, &LoaderParameter { name: "prefetch".to_owned(), matters: Matters::No });
    let ahead = feeding(|_, prefetch| if prefetch < 8 { 0.6 } else { 0.9 });
    changed(&ahead, LOADER, FOURFOLD, "whole files, normal, 1 reader, prefetch 8");
}

#[test]
fn trials_that_differ_as_much_as_arms_decide_nothing() {
    let noisy = enough().edit(|record| {
        let factor = 1.0 + 0.2 * f64::from((record.key.round + record.key.configuration as u32) % 2);
        measure(record, "accelerator_utilization", 0.7 * factor);
    });
    no_advice(&noisy, LOADER, FOURFOLD, Why::Undecided, |cause| matches!(cause, Cause::MayBeSlower(_)));
}

/// A run of readers that are as fast as they can be says nothing about an accelerator, and what would is named.
#[test]
fn without_an_accelerator_nothing_is_decided() {
    let fast = Synthetic::scan()
        .vary("block_size", vec![Value::Bytes(4096), Value::Bytes(1 << 20)])
        .vary("page_cache", names(&["normal"]))
        .fix("step_time", Value::Duration(Nanos::ZERO))
        .edit(|record| measure(record, "bandwidth_bytes_per_s", 1e9));
    let none = no_advice(&fast, LOADER, FOURFOLD, Why::NotMeasured, |cause| *cause == NO_ACCELERATOR);
    assert_eq!(none.needs.unwrap().command, Command::Run { study: "loader-files".to_owned() });
}

pub(super) fn speaking() -> Vec<(&'static str, &'static str, Synthetic)> {
    vec![(FOURFOLD, LOADER, enough())]
}
