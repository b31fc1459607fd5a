//! The pool workload: its orders, its machine's counts, and the parameters that it refuses.

use super::order;
use super::*;
use driver::{Next, Recorder, Workload};
use model::mechanism::{Continuity, CpuContention, Measured, Mechanism, ProcessCounters};
use model::page::{HIT, TRANSFERRED};
use model::{Completion, Configuration, Nanos, PageOp, Stamps};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn configuration(changes: &[(&str, &str)]) -> Configuration {
    let mut values = SCHEMA.defaults();
    for (name, text) in changes {
        let value = SCHEMA.parameter(name).and_then(|parameter| parameter.parse(text)).unwrap();
        values.0.insert((*name).to_owned(), value);
    }
    values
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    Parameters::read(&configuration(changes)).unwrap()
}

#[test]
fn a_pool_has_frames_for_the_table_and_the_headroom() {
    let p = parameters(&[("blocks", "128"), ("headroom", "1.02")]);
    assert_eq!((p.frames(), p.map_pages(), p.file_pages()), (131, 4, 132));
    assert_eq!(p.files()[0].size_bytes, 132 * 8192);
    assert_eq!(parameters(&[("maps", "none")]).map_pages(), 0);
    let server = configuration(&[("subject", "postgres")]);
    let described = (SCHEMA.describe)(&server).unwrap();
    assert!(described.room.files.is_empty() && described.room.store_bytes > 4096 * 8192);
}

#[test]
fn combinations_without_sense_say_what_to_do() {
    for (changes, way_out) in [
        (
            &[("page_size", "12KiB")][..],
            "page_size = 12KiB is not a power of two: set 4KiB, 8KiB, 16KiB, 32KiB or 64KiB",
        ),
        (
            &[("blocks", "1000000"), ("page_size", "64KiB")],
            "blocks × headroom × page_size needs 68750MiB of frames, at most 4GiB: lower blocks",
        ),
        (
            &[("blocks", "128"), ("read_ahead", "64")],
            "read_ahead = 64 needs a pool of more than four times as many frames, and blocks × headroom gives 141: lower read_ahead or take more blocks",
        ),
        (
            &[("table", "permanent")],
            "Syncline's pool has no write-ahead log: set table = temporary, or subject = postgres",
        ),
        (
            &[("subject", "postgres"), ("policy", "lru")],
            "PostgreSQL has no policy = lru: set policy = clock_sweep",
        ),
        (
            &[("subject", "postgres"), ("page_size", "16KiB")],
            "PostgreSQL's pages have 8KiB: set page_size = 8KiB",
        ),
        (
            &[("subject", "postgres"), ("mode", "dontcache")],
            "PostgreSQL has no mode = dontcache: set mode = buffered or direct",
        ),
        (
            &[("subject", "postgres"), ("read_ahead", "4")],
            "PostgreSQL decides itself how far it reads ahead and that it keeps maps: leave read_ahead and maps at their defaults",
        ),
        (
            &[("subject", "postgres"), ("blocks", "90")],
            "PostgreSQL has temp_buffers of at least 100 pages, and blocks × headroom gives 99: take more blocks or headroom",
        ),
        (
            &[("subject", "postgres"), ("blocks", "16"), ("headroom", "0.9"), ("table", "unlogged")],
            "PostgreSQL has shared_buffers of at least 16 pages, and blocks × headroom gives 14: take more blocks or headroom",
        ),
    ] {
        let refused = (SCHEMA.check)(&configuration(changes)).unwrap_err();
        assert_eq!(refused, way_out);
    }
    assert_eq!((SCHEMA.check)(&configuration(&[])), Ok(()));
    let least = [("subject", "postgres"), ("blocks", "100"), ("headroom", "1")];
    assert_eq!((SCHEMA.check)(&configuration(&least)), Ok(()));
    assert_eq!((SCHEMA.check)(&configuration(&[("subject", "postgres"), ("table", "permanent")])), Ok(()));
}

proptest! {
    /// Every page of the table and its maps comes once in every phase, in any order.
    #[test]
    fn a_pass_touches_every_page_once(blocks in 16_u64..9000, random: bool, seed: u64) {
        let access = if random { "random" } else { "sequential" };
        let p = parameters(&[("blocks", &blocks.to_string()), ("access", access)]);
        for phase in [Phase::Fill, Phase::WriteBack, Phase::FirstRead, Phase::SecondRead] {
            let pages = order::pages(&p, phase, seed);
            let distinct: BTreeSet<u32> = pages.iter().copied().collect();
            prop_assert_eq!(distinct, (0..p.file_pages() as u32).collect::<BTreeSet<_>>());
            prop_assert_eq!(pages.len() as u64, p.file_pages());
            let table: Vec<u32> = pages.into_iter().filter(|page| u64::from(*page) < blocks).collect();
            prop_assert_eq!(table.is_sorted(), !random || phase == Phase::Fill);
        }
        prop_assert_ne!(order::pages(&p, Phase::FirstRead, seed) == order::pages(&p, Phase::SecondRead, seed), random);
    }

    #[test]
    fn displacers_are_pages_of_their_own(blocks in 16_u64..9000, round in 0_u32..20) {
        let p = parameters(&[("blocks", &blocks.to_string())]);
        let pages = order::displacer(&p, round);
        prop_assert_eq!(pages.len() as u64, p.frames());
        prop_assert!(pages.iter().all(|page| (p.file_pages()..p.pages()).contains(&u64::from(*page))));
        let next = order::displacer(&p, round + 1);
        let next: BTreeSet<u32> = next.into_iter().collect();
        prop_assert!(pages.iter().all(|page| !next.contains(page)));
    }
}

/// Drives a phase by hand: an operation takes `nanos`, and `result` computes the result from its page.
fn drive(mut phase: PoolPhase, nanos: u64, result: impl Fn(&PageOp) -> i32) -> (PoolPhase, Recorder) {
    let mut recorder = Recorder::new(phase.families());
    let mut queue: Vec<PageOp> = Vec::new();
    let mut now = Nanos::ZERO;
    while phase.poll(now, &mut queue) == Next::Wait {
        assert!(queue.len() <= phase.in_flight_max());
        let op = queue.remove(0);
        let began = now;
        now = now + Nanos(nanos);
        let completion =
            Completion { id: op.id, result: result(&op), stamps: Some(Stamps { began, ended: now }) };
        phase.complete(&completion, &mut recorder);
    }
    (phase, recorder)
}

#[test]
fn only_the_tables_pages_are_counted() {
    let p = parameters(&[("blocks", "64")]);
    let half = |op: &PageOp| if op.page.is_multiple_of(2) { TRANSFERRED } else { HIT };
    let (read, recorder) = drive(PoolPhase::new(&p, Phase::FirstRead, 1), 1000, half);
    assert_eq!((read.operations(), read.hits(), read.transfers()), (68, 32, 32));
    assert!((read.transfer_s() - 32e-6).abs() < 1e-12);
    assert_eq!(recorder.histogram("page_read_latency").unwrap().len(), 32);
    let (again, recorder) = drive(PoolPhase::new(&p, Phase::SecondRead, 1), 1000, half);
    assert_eq!((again.hits(), recorder.histogram("page_hit_latency").unwrap().len()), (32, 32));
}

/// The time of a workload goes on from the end of its last turn, and not from the end of what completed after it.
#[test]
fn a_page_after_a_turn_costs_what_the_session_waited_for_it() {
    let mut phase = PoolPhase::new(&parameters(&[("blocks", "64")]), Phase::FirstRead, 1);
    let mut recorder = Recorder::new(phase.families());
    let mut pages = Vec::new();
    for (polled, ended) in [(0, 5000), (1000, 3000)] {
        phase.poll(Nanos(polled), &mut pages);
        let op = pages.pop().unwrap();
        let stamps = Stamps { began: Nanos(polled), ended: Nanos(ended) };
        phase.complete(&Completion { id: op.id, result: TRANSFERRED, stamps: Some(stamps) }, &mut recorder);
    }
    // The first page is a map, which counts no time.
    assert!((phase.transfer_s() - 2e-6).abs() < 1e-12, "{}", phase.transfer_s());
}

fn mechanism() -> Mechanism {
    let none = "the test counts nothing";
    Mechanism {
        device: Measured::unsupported(none),
        process: ProcessCounters::default(),
        process_io: Measured::unsupported(none),
        run_queue_delay_s: Measured::unsupported(none),
        pressure: Measured::unsupported(none),
        steal_s: Measured::unsupported(none),
        page_cache: Measured::unsupported(none),
        cpu_frequency_mhz: Measured::unsupported(none),
        device_temperature_celsius: Measured::unsupported(none),
        continuity: Continuity::default(),
        cpu_contention: CpuContention::default(),
        server: None,
    }
}

#[test]
fn figures_follow_from_what_phases_came_to() {
    let p = parameters(&[("blocks", "64")]);
    let runs: Vec<Run> = [
        (Phase::WriteBack, 2000, TRANSFERRED),
        (Phase::FirstRead, 1000, TRANSFERRED),
        (Phase::SecondRead, 100, HIT),
    ]
    .into_iter()
    .map(|(phase, nanos, result)| {
        let (driven, recorder) = drive(PoolPhase::new(&p, phase, 1), nanos, |_| result);
        let seconds = Measured::Value(driven.transfer_s());
        Run {
            phase,
            duration_s: 68.0 * nanos as f64 / 1e9,
            operations: driven.operations(),
            turns: None,
            counts: Counts {
                hit: Measured::Value(driven.hits()),
                read: Measured::Value(driven.transfers()),
                written: Measured::Value(driven.transfers()),
                evicted: Measured::Value(7),
            },
            read_s: seconds.clone(),
            write_s: seconds,
            recorder: Some(recorder),
            mechanism: mechanism(),
        }
    })
    .collect();
    let none = || Measured::unsupported("none");
    let outcome = PoolMeasurement {
        runs: &runs,
        change_s: Measured::Value(64.0 * 5e-6),
        wal_bytes: none(),
        full_page_images: none(),
        cached_share: Measured::Value(0.0),
        map_pages: Measured::Value(4.0),
        instrument_overhead_ns: none(),
    };
    let figures = metrics(&p, &outcome);
    let figure = |name: &str| *figures[name].value().unwrap_or_else(|| panic!("{name}: {:?}", figures[name]));
    assert!((figure("page_write_us") - 2.0).abs() < 1e-9 && (figure("page_read_us") - 1.0).abs() < 1e-9);
    assert!((figure("page_write_read_ratio") - 2.0).abs() < 1e-9);
    assert!(
        (figure("page_change_us") - 5.0).abs() < 1e-9 && (figure("page_change_write_us") - 7.0).abs() < 1e-9
    );
    assert!((figure("page_write_read_ratio_p50") - 2.0).abs() < 0.01);
    assert!((figure("second_read_us") - 6.8 / 64.0).abs() < 1e-9);
    assert_eq!((figure("second_read_hit_share"), figure("second_read_evictions")), (1.0, 7.0));
    assert_eq!(figures["fill_us"].reason(), Some("this phase was not run"));
    for name in SCHEMA.metrics {
        let found = figures.keys().any(|figure| figure.starts_with(name));
        assert!(found, "{name} is not reported");
    }
    let unknown: Vec<&String> = figures.keys().filter(|name| model::metric::find(name).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
