//! Several pins, several sessions, several threads.

use crate::support;

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{FlushOrder, Policy, PoolError};
use std::sync::atomic::Ordering;
use support::{Stage, first_word, pool};

/// A session keeps its first pins to itself and counts the others in the frames: both keep the page.
#[test]
fn a_session_can_pin_more_pages_than_it_has_slots() {
    fn check<P: Policy>() {
        const PAGES: u32 = 40;
        let stage = Stage::new(PAGES + 2);
        let pool = pool::<P>(&stage, PAGES);
        let session = pool.session();
        let mut pinned: Vec<_> = (0..PAGES).map(|page| session.pin(page).unwrap()).collect();
        // Once more each, so that all those are counted.
        pinned.extend((0..PAGES).map(|page| session.pin(page).unwrap()));
        assert!(matches!(session.pin(PAGES), Err(PoolError::AllPinned { .. })));
        for (pin, page) in pinned.iter().zip((0..PAGES).chain(0..PAGES)) {
            assert_eq!(pin.words()[0].load(Ordering::Relaxed), u64::from(page));
        }
        // Slots that become free are used again, and a page leaves only with its last pin.
        drop(pinned.drain(..PAGES as usize));
        assert!(matches!(session.pin(PAGES), Err(PoolError::AllPinned { .. })));
        drop(pinned.swap_remove(7));
        assert_eq!(first_word(&session, PAGES), u64::from(PAGES));
        assert_eq!((pool.resident(7..8), pool.resident(0..PAGES)), (0, PAGES as usize - 1));
        drop(pinned);
        assert_eq!(first_word(&session, PAGES + 1), u64::from(PAGES + 1));
    }
    check::<ClockSweep>();
    check::<Lru>();
    check::<Sieve>();
}

/// What one session has pinned no other one's read displaces.
#[test]
fn sessions_see_each_others_pins() {
    let stage = Stage::new(8);
    let pool = pool::<Lru>(&stage, 2);
    let (one, other) = (pool.session(), pool.session());
    let kept = (one.pin(0).unwrap(), one.pin(1).unwrap());
    assert!(matches!(other.pin(2), Err(PoolError::AllPinned { .. })));
    drop(kept.1);
    assert_eq!((first_word(&other, 2), pool.resident(0..1)), (2, 1));
    drop(kept.0);
    let pinned = (other.pin(3).unwrap(), other.pin(4).unwrap());
    assert_eq!((pinned.1.words()[0].load(Ordering::Relaxed), pool.resident(0..3)), (4, 0));
}

/// Least recently used by whichever session.
#[test]
fn sessions_tell_lru_their_hits() {
    let stage = Stage::new(8);
    let pool = pool::<Lru>(&stage, 3);
    let (one, other) = (pool.session(), pool.session());
    (0..3).for_each(|page| drop(one.pin(page).unwrap()));
    // Many hits of one session do not make its clock run ahead of what the other brings.
    (0..100).for_each(|_| drop(one.pin(0).unwrap()));
    drop(other.pin(3).unwrap());
    assert_eq!((pool.resident(1..2), pool.resident(0..4)), (0, 3));
    drop(one.pin(2).unwrap());
    drop(other.pin(4).unwrap());
    assert_eq!((pool.resident(0..1), pool.resident(2..5)), (0, 3));
    // A session's hits count after it has ended.
    drop(one.pin(3).unwrap());
    drop(one);
    drop(other.pin(5).unwrap());
    assert_eq!((pool.resident(2..3), pool.resident(3..6)), (0, 3));
}

#[test]
fn a_scan_in_a_ring_leaves_the_pool_to_others() {
    fn check<P: Policy>() {
        // An eighth of 64 frames.
        const RING: u32 = 8;
        let stage = Stage::new(200);
        let pool = pool::<P>(&stage, 64);
        let (session, scan) = (pool.session(), pool.session().in_ring());
        (0..64).for_each(|page| drop(session.pin(page).unwrap()));
        for page in 64..200 {
            scan.read_ahead(199.min(page + 1));
            assert_eq!(first_word(&scan, page), u64::from(page));
        }
        assert_eq!(pool.resident(0..64), 64 - RING as usize);
        assert_eq!(pool.resident(200 - RING..200), RING as usize);
        // What somebody else wants stays, and so does what has been changed, after it was written.
        drop(session.pin(199).unwrap());
        scan.pin(198).unwrap().set_dirty();
        (100..164).for_each(|page| drop(scan.pin(page).unwrap()));
        assert_eq!(pool.resident(199..200), 1);
        let counters = pool.counters();
        assert_eq!(counters.read - counters.evicted, 64);
    }
    check::<ClockSweep>();
    check::<Lru>();
    check::<Sieve>();
}

/// Readers on several threads see every page's own bytes, whatever the others evict, and their counts add up.
#[test]
fn readers_share_a_pool() {
    const PINS: u64 = 20_000;
    fn check<P: Policy>() {
        let stage = Stage::new(64);
        let pool = pool::<P>(&stage, 16);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let pool = &pool;
                scope.spawn(move || {
                    let session = pool.session();
                    let mut random = thread + 1;
                    for _ in 0..PINS {
                        random = random
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        // Half of the pins in an eighth of the pages.
                        let page = (random >> 40) as u32 % if random >> 63 == 0 { 8 } else { 64 };
                        let pinned = session.pin(page).unwrap();
                        let words = pinned.words();
                        assert_eq!(words[0].load(Ordering::Relaxed), u64::from(page));
                        assert_eq!(words[words.len() - 1].load(Ordering::Relaxed), u64::from(page));
                    }
                });
            }
        });
        let counters = pool.counters();
        assert_eq!(counters.hit + counters.read, 4 * PINS);
        assert_eq!(counters.read - counters.evicted, pool.resident(0..64) as u64);
        assert!(counters.written == 0 && counters.evicted > 0 && counters.hit > 0);
    }
    check::<ClockSweep>();
    check::<Lru>();
    check::<Sieve>();
}

/// Changes of several threads, each followed by an unpin, are in the file at the end, whatever was evicted meanwhile.
#[test]
fn no_change_is_lost_to_an_eviction() {
    const CHANGES: u64 = 10_000;
    fn check<P: Policy>() {
        let stage = Stage::new(32);
        let pool = pool::<P>(&stage, 8);
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let pool = &pool;
                scope.spawn(move || {
                    let session = pool.session();
                    let mut random = thread + 1;
                    for _ in 0..CHANGES {
                        random = random
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        let page = (random >> 40) as u32 % if random >> 63 == 0 { 4 } else { 32 };
                        let pinned = session.pin(page).unwrap();
                        pinned.words()[0].fetch_add(1, Ordering::Relaxed);
                        pinned.set_dirty();
                    }
                });
            }
        });
        pool.session().flush(FlushOrder::File).unwrap();
        let sum: u64 = (0..32).map(|page| stage.word(page) - u64::from(page)).sum();
        assert_eq!(sum, 3 * CHANGES);
        assert!(pool.counters().evicted > 0);
    }
    check::<ClockSweep>();
    check::<Lru>();
    check::<Sieve>();
}
