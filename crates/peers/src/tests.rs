//! Meetings of simulated ranks: what a dead rank, a straggler, a wrong clock do.

use crate::simulated::{Network, SimulatedRank, launch};
use crate::{Channel, Lost, Peers, ROOT, Transport, Wait};
use model::Nanos;
use std::time::Duration;

const WAIT: Wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };

fn seconds(seconds: u64) -> Nanos {
    Nanos::from_millis(seconds * 1_000)
}

/// A network whose messages take 20 µs.
fn network() -> Network {
    Network { to_root: Nanos(20_000), from_root: Nanos(20_000), clocks_ahead: Vec::new() }
}

#[test]
fn every_rank_gets_what_rank_0_decides_by_what_all_brought() {
    for size in [1, 2, 7] {
        let decided = launch(size, &network(), |transport| {
            let mut peers = Peers::new(transport);
            let mine = vec![peers.rank() as u8; 2];
            peers.meet(mine, WAIT, |brought| brought.concat()).unwrap()
        });
        let all: Vec<u8> = (0..size as u8).flat_map(|rank| [rank; 2]).collect();
        assert_eq!(decided, vec![all; size as usize]);
    }
}

#[test]
fn bytes_of_rank_0_come_to_all_and_those_of_all_to_rank_0() {
    let ended = launch(3, &network(), |transport| {
        let mut peers = Peers::new(transport);
        let seed = peers.broadcast(vec![9 + peers.rank() as u8], WAIT).unwrap();
        (seed, peers.gather(vec![peers.rank() as u8], WAIT).unwrap())
    });
    let seed = vec![9];
    assert_eq!(ended[0], (seed.clone(), Some(vec![vec![0], vec![1], vec![2]])));
    assert_eq!(ended[1..], [(seed.clone(), None), (seed, None)]);
}

#[test]
fn no_rank_leaves_a_barrier_before_the_last_has_come() {
    let left = launch(4, &network(), |mut transport| {
        transport.work(seconds(u64::from(transport.rank())));
        let mut peers = Peers::new(transport);
        peers.barrier(WAIT).unwrap();
        peers.into_transport().now()
    });
    assert!(left.iter().all(|left| *left >= seconds(3)), "{left:?}");
    assert!(left.iter().all(|one| *one == left[0]), "{left:?}");
}

/// Each rank's error in a barrier before which it did this; `None` of a rank that did not come, or if nobody was
/// missing.
fn lost(size: u32, before: impl Fn(&mut SimulatedRank) -> bool + Sync) -> Vec<Option<Lost>> {
    launch(size, &network(), |transport| {
        let mut peers = Peers::new(transport);
        // All are there at first: ranks are lost in the middle of a launch.
        peers.barrier(WAIT).unwrap();
        if before(peers.transport_mut()) { peers.barrier(WAIT).err() } else { None }
    })
}

/// MPI's own barrier waits for a dead rank for ever.
#[test]
fn a_dead_rank_is_named_to_all_others() {
    let mut lost = lost(5, |transport| transport.rank() != 3);
    assert_eq!(lost.remove(3), None);
    for lost in &lost {
        let Some(Lost::Missing { ranks, waited }) = lost else { panic!("{lost:?}") };
        assert_eq!((&ranks[..], waited.as_secs()), (&[3][..], 60));
    }
}

#[test]
fn a_straggler_hears_that_it_is_one() {
    let lost = lost(4, |transport| {
        let time = if transport.rank() == 2 { seconds(1_000) } else { seconds(10) };
        transport.work(time);
        true
    });
    for lost in &lost {
        let Some(Lost::Missing { ranks, waited }) = lost else { panic!("{lost:?}") };
        // 60 s, and three times the 10 s that the others took.
        assert_eq!((&ranks[..], waited.as_secs()), (&[2][..], 90));
    }
}

#[test]
fn a_rank_that_takes_three_times_as_long_is_waited_for() {
    let lost = lost(4, |transport| {
        let times = if transport.rank() == 2 { 3 } else { 1 };
        transport.work(seconds(100 * times));
        true
    });
    assert_eq!(lost, [None, None, None, None]);
}

#[test]
fn ranks_without_rank_0_end_too() {
    let ended = launch(3, &network(), |transport| {
        if transport.rank() == ROOT {
            return None;
        }
        Peers::new(transport).barrier(WAIT).err()
    });
    let waited = WAIT.most + WAIT.slack;
    assert_eq!(ended, [None, Some(Lost::Root { waited }), Some(Lost::Root { waited })]);
}

#[test]
fn a_rank_that_dies_between_its_arrival_and_the_release_is_named() {
    let ended = launch(3, &network(), |transport| {
        let mut peers = Peers::new(transport);
        peers.meet(Vec::new(), WAIT, |_| Vec::new()).unwrap();
        if peers.rank() == 1 { None } else { peers.release(WAIT).err() }
    });
    let named = |lost: &Option<Lost>| matches!(lost, Some(Lost::Missing { ranks, .. }) if ranks == &[1]);
    assert_eq!(ended.iter().map(named).collect::<Vec<_>>(), [true, false, true], "{ended:?}");
}

/// It was stopped, and continued a long time after the others gave up.
#[test]
fn a_rank_that_stands_still_before_a_release_hangs_nobody() {
    let ended = launch(3, &network(), |transport| {
        let mut peers = Peers::new(transport);
        peers.meet(Vec::new(), WAIT, |_| Vec::new()).unwrap();
        let mut transport = peers.into_transport();
        if transport.rank() == 1 {
            transport.work(seconds(1_000));
            // It is released at once, because the others had come.
            return Some(transport.release(seconds(2_000)));
        }
        let lost = Peers::new(transport).release(WAIT).unwrap_err();
        assert!(matches!(lost, Lost::Missing { .. }), "{lost:?}");
        None
    });
    assert_eq!(ended, [None, Some(true), None]);
}

#[test]
fn clocks_are_compared_to_within_their_uncertainty() {
    let clocks_ahead = vec![seconds(5), seconds(90_000), Nanos::ZERO];
    // As uneven as can be: the estimate is off by half of the round trip, which is its uncertainty.
    let network = Network { clocks_ahead, to_root: Nanos(100_000), from_root: Nanos::ZERO };
    let compared = launch(3, &network, |transport| Peers::new(transport).compare_clocks(WAIT).unwrap());
    assert_eq!(compared[1..], [None, None]);
    let offsets = compared[0].as_ref().unwrap();
    for (offset, (rank, true_s)) in offsets.iter().zip([(1, 89_995.0), (2, -5.0)]) {
        assert_eq!(offset.rank, rank);
        assert!((offset.uncertainty_s - 50e-6).abs() < 1e-9, "{offset:?}");
        assert!((offset.offset_s - true_s).abs() <= offset.uncertainty_s + 1e-9, "{offset:?}");
    }
}

#[test]
fn a_rank_that_dies_while_clocks_are_compared_is_named() {
    let ended = launch(3, &network(), |mut transport| {
        if transport.rank() == 1 {
            let arrival = 1_u64.to_le_bytes();
            transport.send(ROOT, Channel::Arrival, &arrival, seconds(1));
            return None;
        }
        Peers::new(transport).compare_clocks(WAIT).err()
    });
    let missing = Some(Lost::Missing { ranks: vec![1], waited: WAIT.slack });
    assert_eq!(ended, [missing.clone(), None, missing]);
}

#[test]
fn many_lost_ranks_are_named_in_one_line() {
    let line = Lost::Missing { ranks: (10..22).collect(), waited: Duration::from_mins(1) }.to_string();
    assert_eq!(
        line,
        "ranks 10, 11, 12, 13, 14, 15, 16, 17 and 4 more did not come within 60 s: dead, or slower than the others"
    );
}
