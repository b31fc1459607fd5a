//! How often a fleet without a slow disk names one, and how often a slow one is found.

use super::made_up::{MadeUp, slow};

const HOSTS: usize = 200;
const FLEETS: u64 = 100;
/// What is claimed: of fleets without a slow disk, at most this share names one.
const NAMED_MAX: usize = 5;

/// Fleets of equal disks, each measured twice, whose disks differ by this standard deviation in logarithm: how many
/// name a disk.
fn named(spread: f64, scatter: f64) -> (usize, usize) {
    let (mut named, mut suspected) = (0, 0);
    for seed in 0..FLEETS {
        let mut made_up = MadeUp { scatter, ..MadeUp::new(seed) };
        for host in 0..HOSTS {
            let times = (spread * made_up.normal()).exp();
            made_up.measure(host, 1, times);
            made_up.measure_again(host, 2, times);
        }
        let statement = made_up.state();
        named += usize::from(!slow(&statement).is_empty());
        suspected += usize::from(!statement.suspects.is_empty());
    }
    println!(
        "spread {spread}, scatter {scatter}: {named} of {FLEETS} name a disk, {suspected} have suspects"
    );
    (named, suspected)
}

#[test]
fn fleets_of_equal_disks_name_nobody() {
    assert!(named(0.0, 0.05).0 <= NAMED_MAX);
}

/// Disks of one model differ a little: that is not slow either.
#[test]
fn fleets_of_nearly_equal_disks_name_nobody() {
    assert!(named(0.05, 0.02).0 <= NAMED_MAX);
}

/// On the second day every disk is as slow as one of them was on the first, as on a shared fabric.
#[test]
fn a_slow_day_names_nobody() {
    for seed in 0..20 {
        let mut made_up = MadeUp::new(seed);
        for host in 0..50 {
            made_up.measure(host, 1, if host == 7 { 0.5 } else { 1.0 });
            made_up.measure_again(host, 2, 0.5);
        }
        let statement = made_up.state();
        assert!(!statement.suspects.is_empty(), "seed {seed}");
        assert_eq!(slow(&statement), Vec::<&str>::new(), "seed {seed}");
    }
}

/// What only the first day made slow is a suspect, and is not named.
#[test]
fn one_bad_day_is_not_a_slow_disk() {
    for seed in 0..20 {
        let mut made_up = MadeUp::new(seed);
        for host in 0..50 {
            made_up.measure(host, 1, if host == 7 { 0.4 } else { 1.0 });
            made_up.measure_again(host, 2, 1.0);
        }
        let statement = made_up.state();
        assert!(!statement.suspects.is_empty(), "seed {seed}");
        assert_eq!(slow(&statement), Vec::<&str>::new(), "seed {seed}");
    }
}

#[test]
fn a_disk_of_half_the_speed_is_found() {
    let mut found = 0;
    for seed in 0..50 {
        let mut made_up = MadeUp { scatter: 0.05, ..MadeUp::new(seed) };
        for host in 0..HOSTS {
            let times = if host == 42 { 0.5 } else { (0.05 * made_up.normal()).exp() };
            made_up.measure(host, 1, times);
            // The suspect and ten controls.
            if host % 20 == 2 {
                made_up.measure_again(host, 2, times);
            }
        }
        let statement = made_up.state();
        let named = slow(&statement);
        assert!(named.iter().all(|host| *host == "node042"), "seed {seed}: {named:?}");
        found += usize::from(named == ["node042"]);
    }
    assert!(found >= 48, "{found} of 50");
}
