//! The cache states that a trial asks for are there when it starts, and its record has what was found.

use super::{Stage, only_file, run};
use crate::prepare::prepare;
use disk::page_cache;
use model::trial::TrialSpec;

const NOTHING: f64 = 0.0;

/// The share of the file that was cached when the trial began.
fn share_before(spec: &TrialSpec) -> f64 {
    *only_file(&run(spec).unwrap()).cached_share_before.value().expect("every kernel has mincore")
}

fn assert_nothing(share: f64) {
    assert!(share.abs() < f64::EPSILON, "{share}");
}

/// Each state is made from what the trial before left.
#[test]
fn a_cold_file_has_no_page_in_memory_and_a_warm_one_has_all() {
    let stage = Stage::new();
    let trial = |cache| stage.reads(&[("cache", cache)]);
    prepare(&trial("warm")).unwrap();
    assert!(share_before(&trial("warm")) >= page_cache::WARM_SHARE);
    assert_nothing(share_before(&trial("cold")));
    assert!(share_before(&trial("warm")) >= page_cache::WARM_SHARE);
}

#[test]
fn a_partly_warm_file_has_the_same_blocks_every_time() {
    let stage = Stage::new();
    let trial = |percent| stage.reads(&[("cache", "warm"), ("cached_percentage", percent)]);
    prepare(&trial("50")).unwrap();
    let half = share_before(&trial("50"));
    assert!((0.3..0.7).contains(&half), "{half}");
    assert!((share_before(&trial("50")) - half).abs() < f64::EPSILON);
    assert_nothing(share_before(&trial("0")));
    assert!(share_before(&trial("100")) >= page_cache::WARM_SHARE);
}

#[test]
fn a_state_that_is_left_as_it_is_is_recorded() {
    let stage = Stage::new();
    let spec = stage.reads(&[("cache", "as_is")]);
    prepare(&spec).unwrap();
    let file = stage.path().join("files/data-256KiB");
    page_cache::evict(&file).unwrap();
    assert_nothing(share_before(&spec));
    // The trial itself has read every block.
    assert!(share_before(&spec) >= page_cache::WARM_SHARE);
}

/// Direct I/O bypasses the page cache, so nothing is read into it before the trial, and nothing is there after it.
#[test]
fn a_file_that_is_read_directly_is_not_warmed() {
    let stage = Stage::new();
    let spec = stage.reads(&[("mode", "direct"), ("cache", "warm")]);
    prepare(&spec).unwrap();
    let measurement = run(&spec).unwrap();
    let file = only_file(&measurement);
    assert_nothing(*file.cached_share_before.value().unwrap());
    assert_nothing(*file.cached_share_after.value().unwrap());
}

/// What the trial read before it was measured is not what it started from.
#[test]
fn the_share_after_a_ramp_is_recorded_beside_the_one_before() {
    let stage = Stage::new();
    let spec = stage.reads(&[("ramp_time", "1ms")]);
    prepare(&spec).unwrap();
    let measurement = run(&spec).unwrap();
    let file = only_file(&measurement);
    assert_nothing(*file.cached_share_before.value().unwrap());
    assert!(*file.cached_share_after_ramp.as_ref().unwrap().value().unwrap() > NOTHING);
}

#[test]
fn a_trial_without_a_ramp_has_no_share_after_one() {
    let stage = Stage::new();
    let spec = stage.reads(&[]);
    prepare(&spec).unwrap();
    assert_eq!(only_file(&run(&spec).unwrap()).cached_share_after_ramp, None);
}
