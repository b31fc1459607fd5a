//! Each policy's victims on traces worked out by hand, and on a million requests against simulations that share nothing
//! with the policies but the papers.

use crate::support;

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{Policy, Pool, Session};
use rand_distr::{Distribution, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::{HashSet, VecDeque};
use support::{Faulty, Stage, pool};

const PAGES: u32 = 12;

/// The pages that leave for each request, in a pool of three frames: `-` if none does.
fn victims<P: Policy>(trace: &str) -> String {
    let stage = Stage::new(PAGES);
    let pool = pool::<P>(&stage, 3);
    let session = pool.session();
    let resident =
        |pool: &Pool<P, Faulty>| (0..PAGES).filter(|page| pool.resident(*page..page + 1) == 1).collect();
    let mut before: HashSet<u32> = HashSet::new();
    let mut left = Vec::new();
    for page in trace.split(' ') {
        drop(session.pin(page.parse().unwrap()).unwrap());
        let after: HashSet<u32> = resident(&pool);
        let gone: Vec<String> = before.difference(&after).map(ToString::to_string).collect();
        left.push(if gone.is_empty() { "-".to_owned() } else { gone.join("+") });
        before = after;
    }
    left.join(" ")
}

/// Frames A, B, C; usage counts in brackets; the hand before A.
/// `0 1 2`: A0(1) B1(1) C2(1). `0`: A0(2). `3`: the hand lowers A(1) B(0) C(0), A(0), finds B: 1 leaves, B3(1), hand C.
/// `4`: C(0): 2 leaves, C4(1), hand A. `0`: A(1). `5`: A(0) B(0) C(0), A: 0 leaves, A5(1), hand B. `3`: B3(1).
/// `6`: B(0) C: 4 leaves.
#[test]
fn clock_sweep_by_hand() {
    assert_eq!(victims::<ClockSweep>("0 1 2 0 3 4 0 5 3 6"), "- - - - 1 2 - 0 - 4");
}

/// Page 002's collapse: three frames and four pages. Every page leaves just before it is wanted.
#[test]
fn clock_sweep_keeps_nothing_of_a_scan_that_is_one_page_too_long() {
    assert_eq!(victims::<ClockSweep>("0 1 2 3 0 1 2 3 0 1 2 3"), "- - - 0 1 2 3 0 1 2 3 0");
    assert_eq!(victims::<ClockSweep>("0 1 2 0 1 2 0 1 2"), "- - - - - - - - -");
}

/// A count ends at five: after ten hits, the page goes at the sixth time that the hand lowers it.
#[test]
fn a_usage_count_ends_at_five() {
    let trace = "0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 9 10 11";
    // A0(5). `3`: A(4) B(0) C(0) A(3) B: 1. `4`: C: 2. `5`: A(2) B(0) C(0) A(1) B: 3. `6`: C: 4.
    // `7`: A(0) B(0) C(0) A: 0. `8`: B: 5. `9`: C: 6. Three new ones: A7(1) B8(1) C9(1), and so on in turn.
    assert_eq!(victims::<ClockSweep>(trace), "- - - - - - - - - - - - - 1 2 3 4 0 5 6 7 8");
}

/// Oldest pin first. `0 1 2 0`: 1 2 0. `3`: 1 leaves: 2 0 3. `2`: 0 3 2. `4`: 0 leaves. `3`: 2 4 3. `5`: 2 leaves.
#[test]
fn lru_by_hand() {
    assert_eq!(victims::<Lru>("0 1 2 0 3 2 4 3 5"), "- - - - 1 - 0 - 2");
    assert_eq!(victims::<Lru>("0 1 2 3 0 1 2 3"), "- - - 0 1 2 3 0");
}

/// Oldest first, visited with an asterisk, the hand in brackets before what it looks at next. `0 1 2 0 2`: [] 0* 1 2*.
/// `3`: 0 loses its mark, 1 leaves: 0 [] 2* 3. `4`: 2 loses its mark, 3 leaves, the newest, so the hand begins again:
/// [] 0 2 4. `2`: 0 2* 4. `5`: 0 leaves: [] 2* 4 5. `6`: 2 loses its mark, 4 leaves: 2 [] 5 6. `7`: 5 leaves. `8`: 6
/// leaves.
#[test]
fn sieve_by_hand() {
    assert_eq!(victims::<Sieve>("0 1 2 0 2 3 4 2 5 6 7 8"), "- - - - - 1 3 - 0 4 5 6");
}

/// A scan that is longer than the pool marks nothing, and then SIEVE is a queue; nor do marks that are older than the
/// scan help, for the hand takes all of them before the first page leaves.
#[test]
fn sieve_keeps_nothing_of_a_scan_that_is_one_page_too_long() {
    assert_eq!(victims::<Sieve>("0 1 2 3 0 1 2 3"), "- - - 0 1 2 3 0");
    assert_eq!(victims::<Sieve>("0 1 2 0 1 2 3 0 1 2 3"), "- - - - - - 0 1 2 3 0");
}

/// `0 0 1 2`: [] 0* 1 2. `3`: 0 loses its mark, 1 leaves: 0 [] 2 3, and the hand goes on among the newcomers.
#[test]
fn sieve_keeps_a_page_through_a_scan_that_lru_loses() {
    assert_eq!(victims::<Sieve>("0 0 1 2 3 4 5 6 0"), "- - - - 1 2 3 4 -");
    assert_eq!(victims::<Lru>("0 0 1 2 3 4 5 6 0"), "- - - - 0 1 2 3 4");
}

const REQUESTS: usize = 1_000_000;
const HELD_PAGES: u32 = 2000;
const HELD_FRAMES: u32 = 500;

/// The held trace: pages of a Zipf distribution, with a scan of a fifth of the file after every twenty thousand
/// requests.
fn held_trace() -> Vec<u32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let zipf = Zipf::new(f64::from(HELD_PAGES), 0.9).unwrap();
    let mut trace = Vec::with_capacity(REQUESTS + HELD_PAGES as usize);
    while trace.len() < REQUESTS {
        if trace.len() % 20_000 < 100 {
            let first = random.next_u64() as u32 % HELD_PAGES;
            trace.extend((0..HELD_PAGES / 5).map(|page| (first + page) % HELD_PAGES));
        }
        // Hot pages are spread over the file.
        trace.extend((0..100).map(|_| (zipf.sample(&mut random) as u32 * 7919) % HELD_PAGES));
    }
    trace.truncate(REQUESTS);
    trace
}

/// Hits of the pool on the held trace.
fn hits<P: Policy>(trace: &[u32]) -> u64 {
    let stage = Stage::new(HELD_PAGES);
    let pool = pool::<P>(&stage, HELD_FRAMES);
    let session: Session<'_, P, Faulty> = pool.session();
    for page in trace {
        drop(session.pin(*page).unwrap());
    }
    let counters = pool.counters();
    assert_eq!(counters.hit + counters.read, trace.len() as u64);
    counters.hit
}

/// Slots with a page and a usage count, and a hand.
fn simulate_clock_sweep(trace: &[u32]) -> u64 {
    let mut slots: Vec<(u32, u32)> = Vec::new();
    let (mut hand, mut hits) = (0, 0);
    for page in trace {
        if let Some((_, usage)) = slots.iter_mut().find(|(held, _)| held == page) {
            *usage = (*usage + 1).min(5);
            hits += 1;
        } else if slots.len() < HELD_FRAMES as usize {
            slots.push((*page, 1));
        } else {
            while slots[hand].1 > 0 {
                slots[hand].1 -= 1;
                hand = (hand + 1) % slots.len();
            }
            slots[hand] = (*page, 1);
            hand = (hand + 1) % slots.len();
        }
    }
    hits
}

/// Pages, the most recent at the back.
fn simulate_lru(trace: &[u32]) -> u64 {
    let mut recency: VecDeque<u32> = VecDeque::new();
    let mut hits = 0;
    for page in trace {
        if let Some(place) = recency.iter().rposition(|held| held == page) {
            recency.remove(place);
            hits += 1;
        } else if recency.len() == HELD_FRAMES as usize {
            recency.pop_front();
        }
        recency.push_back(*page);
    }
    hits
}

/// Algorithm 1 of the paper, on an array: head at the back, tail at the front.
fn simulate_sieve(trace: &[u32]) -> u64 {
    let mut queue: Vec<(u32, bool)> = Vec::new();
    let mut hand: Option<usize> = None;
    let mut hits = 0;
    for page in trace {
        if let Some((_, visited)) = queue.iter_mut().find(|(held, _)| held == page) {
            *visited = true;
            hits += 1;
            continue;
        }
        if queue.len() == HELD_FRAMES as usize {
            let mut object = hand.unwrap_or(0);
            while queue[object].1 {
                queue[object].1 = false;
                object = if object + 1 < queue.len() { object + 1 } else { 0 };
            }
            queue.remove(object);
            // What was next after it is now in its place; after the head there is nothing.
            hand = (object < queue.len()).then_some(object);
        }
        queue.push((*page, false));
    }
    hits
}

#[test]
fn a_million_requests_hit_as_often_as_in_independent_simulations() {
    let trace = held_trace();
    let (clock_sweep, lru, sieve) = std::thread::scope(|scope| {
        let clock_sweep = scope.spawn(|| (hits::<ClockSweep>(&trace), simulate_clock_sweep(&trace)));
        let lru = scope.spawn(|| (hits::<Lru>(&trace), simulate_lru(&trace)));
        let sieve = scope.spawn(|| (hits::<Sieve>(&trace), simulate_sieve(&trace)));
        (clock_sweep.join().unwrap(), lru.join().unwrap(), sieve.join().unwrap())
    });
    for (name, (pool, simulation)) in [("clock_sweep", clock_sweep), ("lru", lru), ("sieve", sieve)] {
        assert_eq!(pool, simulation, "{name}");
        assert!(
            pool > REQUESTS as u64 / 4 && pool < REQUESTS as u64 * 9 / 10,
            "{name}: {pool} hits tell little"
        );
    }
    assert!(clock_sweep.0 != lru.0 && lru.0 != sieve.0, "the trace tells the policies apart");
}
