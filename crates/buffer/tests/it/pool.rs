//! The pool on a real file: what it holds, what it counts, and what it does when the disk fails.

use crate::support;

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{Counters, FlushOrder, Geometry, Policy, Pool, PoolError};
use disk::arena::Arena;
use model::BlockKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use support::{PAGE_SIZE, Stage, faulty_pool, first_word, pool};

#[test]
fn a_page_is_read_once_and_found_afterwards() {
    let stage = Stage::new(8);
    let pool = pool::<ClockSweep>(&stage, 4);
    let session = pool.session();
    for page in [3, 0, 3, 0, 7] {
        assert_eq!(first_word(&session, page), u64::from(page));
    }
    assert_eq!(pool.counters(), Counters { hit: 2, read: 3, ..Counters::default() });
    assert_eq!((pool.resident(0..8), pool.resident(1..3)), (3, 0));
}

#[test]
fn a_changed_page_is_written_before_its_frame_is_another_pages() {
    let stage = Stage::new(8);
    let pool = pool::<ClockSweep>(&stage, 1);
    let session = pool.session();
    {
        let pinned = session.pin(2).unwrap();
        pinned.words()[0].store(99, Ordering::Relaxed);
        pinned.set_dirty();
    }
    assert_eq!((stage.word(2), pool.dirty()), (2, 1));
    assert_eq!(first_word(&session, 5), 5);
    assert_eq!((stage.word(2), pool.dirty()), (99, 0));
    assert_eq!(first_word(&session, 2), 99);
    assert_eq!(pool.counters(), Counters { read: 3, written: 1, evicted: 2, ..Counters::default() });
}

#[test]
fn pinned_pages_stay_and_when_all_are_the_pool_says_so() {
    fn check<P: Policy>() {
        let stage = Stage::new(8);
        let pool = pool::<P>(&stage, 2);
        let session = pool.session();
        let kept = session.pin(0).unwrap();
        for page in [1, 2, 3, 4] {
            first_word(&session, page);
            assert_eq!(pool.resident(0..1), 1);
        }
        let other = session.pin(5).unwrap();
        let refused = session.pin(6).unwrap_err();
        assert_eq!(refused.to_string(), "page 6: all 2 frames are pinned: use more frames or unpin");
        assert_eq!(kept.words()[0].load(Ordering::Relaxed), 0);
        drop((kept, other));
        assert_eq!(first_word(&session, 6), 6);
    }
    check::<ClockSweep>();
    check::<Lru>();
    check::<Sieve>();
}

#[test]
fn dirty_pages_are_written_in_the_order_of_the_file_or_of_the_pool() {
    let written = |order: FlushOrder| {
        let stage = Stage::new(8);
        let (pool, faults) = faulty_pool::<ClockSweep>(&stage, 6);
        let session = pool.session();
        for page in [5, 1, 7, 0, 3] {
            let pinned = session.pin(page).unwrap();
            if page != 0 {
                pinned.set_dirty();
            }
        }
        assert_eq!((session.flush(order).unwrap(), session.flush(order).unwrap()), (4, 0));
        let faults = faults.lock().unwrap();
        let writes = faults.trace.iter().filter(|(kind, _)| *kind == BlockKind::Write);
        writes.map(|(_, page)| *page).collect::<Vec<_>>()
    };
    assert_eq!(written(FlushOrder::File), [1, 3, 5, 7]);
    assert_eq!(written(FlushOrder::Pool), [5, 1, 7, 3]);
}

#[test]
fn a_page_that_is_created_costs_no_read() {
    let stage = Stage::new(8);
    let (pool, faults) = faulty_pool::<Lru>(&stage, 2);
    let session = pool.session();
    // Behind the end of the file: it may not be written, and is not.
    drop(session.create(12).unwrap());
    let pinned = session.create(3).unwrap();
    pinned.words().iter().for_each(|word| word.store(42, Ordering::Relaxed));
    pinned.set_dirty();
    drop(pinned);
    assert!(faults.lock().unwrap().trace.is_empty());
    assert!(
        session.write_back(3).unwrap() && !session.write_back(3).unwrap() && !session.write_back(5).unwrap()
    );
    assert_eq!(stage.word(3), 42);
    assert_eq!(pool.counters(), Counters { created: 2, written: 1, ..Counters::default() });
}

#[test]
fn what_is_read_ahead_is_read_once() {
    let stage = Stage::new(8);
    let (pool, faults) = faulty_pool::<Sieve>(&stage, 6);
    let session = pool.session();
    // More than fit into the backend at once: those are read when they are requested.
    let begun = (0..6).filter(|page| session.read_ahead(*page)).count();
    assert_eq!(begun, support::IN_FLIGHT_MAX);
    for page in 0..6 {
        let pinned = session.pin(page).unwrap();
        assert!(pinned.is_transferred() && pinned.words()[0].load(Ordering::Relaxed) == u64::from(page));
    }
    assert!(!session.pin(0).unwrap().is_transferred());
    assert_eq!(pool.counters(), Counters { hit: 1, read: 6, ..Counters::default() });
    assert_eq!(faults.lock().unwrap().trace.len(), 6);
}

#[test]
fn a_page_that_cannot_be_read_is_in_no_frame() {
    let stage = Stage::new(8);
    let (pool, faults) = faulty_pool::<Lru>(&stage, 2);
    faults.lock().unwrap().reads = vec![4];
    let session = pool.session();
    assert!(session.read_ahead(4));
    let error = session.pin(4).unwrap_err().to_string();
    assert_eq!(error, "read of page 4: Input/output error (os error 5)");
    assert_eq!(pool.resident(0..8), 0);
    for page in [0, 1, 2] {
        assert_eq!(first_word(&session, page), u64::from(page));
    }
    faults.lock().unwrap().reads.clear();
    assert_eq!(first_word(&session, 4), 4);
    let beyond = session.pin(16).unwrap_err();
    assert!(matches!(beyond, PoolError::NoSuchPage { page: 16, pages: 16 }), "{beyond}");
    // The file ends before: a short read is not a page.
    assert!(session.pin(15).unwrap_err().to_string().contains("moved 0 of 4096 bytes"));
}

#[test]
fn a_page_that_cannot_be_written_stays_and_stays_dirty() {
    let stage = Stage::new(8);
    let (pool, faults) = faulty_pool::<ClockSweep>(&stage, 1);
    faults.lock().unwrap().writes = vec![0];
    let session = pool.session();
    {
        let pinned = session.pin(0).unwrap();
        pinned.words()[0].store(77, Ordering::Relaxed);
        pinned.set_dirty();
    }
    for error in [
        session.pin(1).map(drop).unwrap_err(),
        session.write_back(0).map(drop).unwrap_err(),
        session.flush(FlushOrder::File).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "write of page 0: Input/output error (os error 5)");
        assert_eq!((pool.dirty(), first_word(&session, 0)), (1, 77));
    }
    assert_eq!(pool.counters().written, 0);
    faults.lock().unwrap().writes.clear();
    assert_eq!(first_word(&session, 1), 1);
    assert_eq!(stage.word(0), 77);
}

#[test]
fn an_impossible_shape_is_refused() {
    let stage = Stage::new(1);
    for (frames, page_size) in [(0, 4096), (4, 2048), (4, 12_288), (4, 131_072), (1 << 20, 8192)] {
        let geometry = Geometry { frames, page_size, pages: 1, file: 0 };
        let arena = Arc::new(Arena::new(4096).unwrap());
        let backend = support::backend(&stage, &arena);
        assert!(Pool::<Lru, _>::new(geometry, arena, backend, 1).is_err(), "{frames} × {page_size}");
    }
    let geometry = Geometry { frames: 2, page_size: PAGE_SIZE, pages: 1, file: 0 };
    let arena = Arc::new(Arena::new(4096).unwrap());
    let backend = support::backend(&stage, &arena);
    let error = Pool::<Lru, _>::new(geometry, arena, backend, 1).map(drop).unwrap_err();
    assert!(error.to_string().contains("the arena is smaller"), "{error}");
}
