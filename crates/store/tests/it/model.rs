//! Against a BTreeMap.

use crate::support::{Model, Step, content, history, key, leveled, open, separated, small, tiered, value};
use model::DurabilityClass;
use proptest::prelude::*;
use std::ops::{Bound, ControlFlow};
use store::storage::simulated::{Disk, Survival};
use store::{FilterKind, Keys, Options, ValueOptions, verify_on};

fn step() -> impl Strategy<Value = Step> {
    let write = (0_u8..40, prop::option::weighted(0.8, any::<u16>()));
    prop_oneof![
        1 => Just(Step::Sync),
        1 => Just(Step::Drain),
        20 => prop::collection::vec(write, 1..4).prop_map(Step::Write),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let filters = vec![FilterKind::None, FilterKind::Fuse8, FilterKind::Fuse16];
    let classes = vec![DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    (
        prop::sample::select(vec![tiered(), leveled()]),
        1_usize..4,
        prop::sample::select(filters),
        prop::sample::select(classes),
        any::<[bool; 4]>(),
    )
        .prop_map(
            |(compaction, partitions, filter, durability, [prefix, checksums, cache, separates])| {
                let mut options = small(durability);
                options.compaction = compaction;
                options.partitions = partitions;
                options.data.filter = filter;
                options.data.prefix_compression = prefix;
                options.data.checksums = checksums;
                options.values = if separates { separated() } else { ValueOptions::default() };
                options.cache_bytes = if cache { 64 << 10 } else { 0 };
                options
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_a_map_also_after_it_was_opened_again(
        options in options(),
        steps in prop::collection::vec(step(), 1..120),
        closes: bool,
    ) {
        let (disk, mut map) = (Disk::new(), Model::new());
        let store = open(&disk, &options).unwrap();
        for step in &steps {
            step.perform(&store).unwrap();
            step.apply(&mut map);
        }
        prop_assert_eq!(content(&store).unwrap(), map.clone());
        if closes || options.durability == DurabilityClass::None {
            store.close().unwrap();
        } else {
            drop(store);
            disk.restart(Survival::Everything);
        }
        let verification = verify_on(std::sync::Arc::new(disk.clone())).unwrap();
        prop_assert!(verification.problems.is_empty(), "{:?}", verification.problems);
        let store = open(&disk, &options).unwrap();
        prop_assert_eq!(content(&store).unwrap(), map);
    }

    #[test]
    fn bounds_prefixes_and_limits_are_those_of_the_map(
        options in options(),
        steps in prop::collection::vec(step(), 1..60),
        one in 0_u8..45, other in 0_u8..45, limit in 1_usize..20,
    ) {
        let (disk, mut map) = (Disk::new(), Model::new());
        let store = open(&disk, &options).unwrap();
        for step in &steps {
            step.perform(&store).unwrap();
            step.apply(&mut map);
        }
        let (low, high) = (key(one.min(other)), key(one.max(other)));
        let bounds = [
            (Bound::Included(low.clone()), Bound::Excluded(high.clone())),
            (Bound::Excluded(low.clone()), Bound::Unbounded),
            (Bound::Unbounded, Bound::Included(high)),
        ];
        for bounds in bounds {
            if bounds.0 == Bound::Excluded(low.clone()) && bounds.1 == Bound::Excluded(low.clone()) {
                continue;
            }
            let mut found = Vec::new();
            store.scan(&Keys::range(bounds.clone()), |key, value| {
                found.push((key.to_vec(), value.to_vec()));
                if found.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }).unwrap();
            let expected: Vec<_> = map.range(bounds).take(limit).map(|(key, value)| (key.clone(), value.clone())).collect();
            prop_assert_eq!(found, expected);
        }
        let prefix = b"key/01";
        let expected = map.keys().filter(|key| key.starts_with(prefix)).count() as u64;
        prop_assert_eq!(store.scan(&Keys::prefix(prefix), |_, _| ControlFlow::Continue(())).unwrap(), expected);
    }
}

#[test]
fn a_snapshot_stays_as_it_was() {
    for (compaction, values) in [
        (tiered(), ValueOptions::default()),
        (leveled(), ValueOptions::default()),
        (tiered(), separated()),
        (leveled(), separated()),
    ] {
        let options = Options { compaction, values, ..small(DurabilityClass::Power) };
        let (disk, mut map) = (Disk::new(), Model::new());
        let store = open(&disk, &options).unwrap();
        let steps = history(3, 200, 40);
        for step in &steps[..100] {
            step.perform(&store).unwrap();
            step.apply(&mut map);
        }
        let snapshot = store.snapshot();
        for step in &steps[100..] {
            step.perform(&store).unwrap();
        }
        store.drain().unwrap();
        let mut found = Model::new();
        snapshot
            .scan(&Keys::all(), |key, value| {
                found.insert(key.to_vec(), value.to_vec());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(found, map);
        let keys: Vec<_> = map.keys().cloned().collect();
        for (key, value) in keys.iter().zip(snapshot.multi_get(&keys).unwrap()) {
            assert_eq!(value.as_ref(), map.get(key));
            assert_eq!(snapshot.get(key).unwrap(), value);
        }
    }
}

#[test]
fn deletes_disappear_once_nothing_is_below_them() {
    for compaction in [tiered(), leveled()] {
        let options = Options { compaction, partitions: 1, ..small(DurabilityClass::Power) };
        let store = open(&Disk::new(), &options).unwrap();
        for number in 0..40 {
            store.put(&key(number), &value(5)).unwrap();
        }
        store.drain().unwrap();
        for number in 0..40 {
            store.delete(&key(number)).unwrap();
        }
        store.drain().unwrap();
        // Enough further data that everything is merged at least once.
        for round in 0..40 {
            for number in 100..140 {
                store.put(&key(number), &value(5 + 16 * round)).unwrap();
            }
        }
        store.drain().unwrap();
        let statistics = store.statistics();
        assert!(statistics.entries < 40 + 4 * 40, "{} entries for 40 keys", statistics.entries);
        assert_eq!(content(&store).unwrap().len(), 40);
    }
}
