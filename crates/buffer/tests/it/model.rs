//! Random traces against a naive model: contents, dirty pages, counters, and pinned pages that stay.

use crate::support;

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{FlushOrder, Pinned, Policy, PoolError};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use support::{Faulty, Stage, pool};

const PAGES: u32 = 10;
const FRAMES: u32 = 4;

#[derive(Clone, Copy, Debug)]
enum Step {
    Read(u32),
    Write(u32, u64),
    Create(u32, u64),
    Pin(u32),
    UnpinOldest,
    ReadAhead(u32),
    WriteBack(u32),
    Flush(FlushOrder),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let page = 0..PAGES;
    let step = prop_oneof![
        4 => page.clone().prop_map(Step::Read),
        3 => (page.clone(), 1000_u64..2000).prop_map(|(page, value)| Step::Write(page, value)),
        1 => (page.clone(), 2000_u64..3000).prop_map(|(page, value)| Step::Create(page, value)),
        2 => page.clone().prop_map(Step::Pin),
        2 => Just(Step::UnpinOldest),
        1 => page.clone().prop_map(Step::ReadAhead),
        1 => page.prop_map(Step::WriteBack),
        1 => prop_oneof![Just(FlushOrder::File), Just(FlushOrder::Pool)].prop_map(Step::Flush),
    ];
    proptest::collection::vec(step, 1..60)
}

/// What should be so, whichever page the policy chooses.
#[derive(Default)]
struct Model {
    /// By page: what was written to it last.
    values: BTreeMap<u32, u64>,
    /// Pages with a value that the file may not have.
    changed: BTreeSet<u32>,
    pins: Vec<u32>,
    requests: u64,
}

impl Model {
    fn value(&self, page: u32) -> u64 {
        self.values.get(&page).copied().unwrap_or(u64::from(page))
    }

    /// Whether a page can be refused: it is not pinned, and as many pages as there are frames are.
    fn is_full(&self, page: u32) -> bool {
        let pinned: BTreeSet<u32> = self.pins.iter().copied().collect();
        pinned.len() == FRAMES as usize && !pinned.contains(&page)
    }
}

fn run<P: Policy>(steps: &[Step]) {
    let stage = Stage::new(PAGES);
    let pool = pool::<P>(&stage, FRAMES);
    let session = pool.session();
    let mut model = Model::default();
    let mut pinned: Vec<Pinned<'_, P, Faulty>> = Vec::new();
    for step in steps {
        let (page, pin) = match *step {
            Step::Read(page) | Step::Pin(page) | Step::Write(page, _) => (page, session.pin(page)),
            Step::Create(page, _) => (page, session.create(page)),
            Step::UnpinOldest => {
                if !pinned.is_empty() {
                    drop(pinned.remove(0));
                    model.pins.remove(0);
                }
                continue;
            }
            Step::ReadAhead(page) => {
                session.read_ahead(page);
                continue;
            }
            Step::WriteBack(page) => {
                let wrote = session.write_back(page).unwrap();
                assert!(!wrote || model.changed.contains(&page), "a clean page was written");
                if wrote || pool.resident(page..page + 1) == 1 {
                    assert_eq!(stage.word(page), model.value(page));
                }
                continue;
            }
            Step::Flush(order) => {
                session.flush(order).unwrap();
                assert_eq!(pool.dirty(), 0);
                (0..PAGES).for_each(|page| assert_eq!(stage.word(page), model.value(page)));
                model.changed.clear();
                continue;
            }
        };
        let pin = match pin {
            Ok(pin) => pin,
            Err(PoolError::AllPinned { .. }) => {
                assert!(model.is_full(page), "page {page} was refused with a frame to spare");
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        model.requests += 1;
        assert!(!model.is_full(page), "a pinned page left for page {page}");
        match *step {
            Step::Write(_, value) | Step::Create(_, value) => {
                pin.words().iter().for_each(|word| word.store(value, Ordering::Relaxed));
                pin.set_dirty();
                model.values.insert(page, value);
                model.changed.insert(page);
            }
            Step::Pin(_) => {
                assert_eq!(pin.words()[0].load(Ordering::Relaxed), model.value(page));
                pinned.push(pin);
                model.pins.push(page);
            }
            _ => assert_eq!(pin.words()[511].load(Ordering::Relaxed), model.value(page)),
        }
        for (pin, page) in pinned.iter().zip(&model.pins) {
            assert_eq!(pin.words()[0].load(Ordering::Relaxed), model.value(*page), "pinned page {page}");
        }
        assert!(pool.dirty() <= model.changed.len());
    }
    drop(pinned);
    session.flush(FlushOrder::File).unwrap();
    (0..PAGES).for_each(|page| assert_eq!(stage.word(page), model.value(page)));
    let counters = pool.counters();
    let admitted = counters.read + counters.created;
    // Each request was a hit or brought its page; pages read ahead may have been wanted never or once.
    assert!(counters.hit <= model.requests && counters.hit + admitted >= model.requests);
    assert_eq!(admitted - counters.evicted, pool.resident(0..PAGES) as u64);
    assert!(counters.written <= counters.evicted + model.requests);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn clock_sweep_is_a_pool(steps in steps()) {
        run::<ClockSweep>(&steps);
    }

    #[test]
    fn lru_is_a_pool(steps in steps()) {
        run::<Lru>(&steps);
    }

    #[test]
    fn sieve_is_a_pool(steps in steps()) {
        run::<Sieve>(&steps);
    }
}
