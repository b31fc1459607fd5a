//! A memory cap caps the page cache, and groups do not pile up.

use crate::support;

use disk::cgroup::{
    CapError, CapMethod, IoGroup, MemoryGroup, cap_method, check_cap, enter, remove_abandoned,
};
use disk::files::{Layout, create};
use disk::page_cache;
use disk::placement::placement;
use model::IoCap;
use model::host::LimitOf;
use std::path::{Path, PathBuf};
use support::{answer, scratch, work};

const CAP: u64 = 64 << 20;
const FILE: u64 = 192 << 20;

fn group(id: &str) -> Option<MemoryGroup> {
    match MemoryGroup::create(&format!("{id}-{}", std::process::id()), CAP) {
        Ok(group) => Some(group),
        Err(error @ (CapError::OnlySystemdRun { .. } | CapError::Unavailable { .. })) => {
            skip::because(error);
            None
        }
        Err(
            error
            @ (CapError::Kernel(_) | CapError::LargerThanMemory { .. } | CapError::IoUnavailable { .. }),
        ) => panic!("{error}"),
    }
}

#[test]
fn a_capped_process_cannot_cache_more_than_its_cap() {
    let Some(group) = group("caps") else { return };
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, FILE, 0).expect("made");
    page_cache::evict(&path).expect("cold");
    std::os::unix::fs::symlink(group.path(), directory.path().join("group")).expect("linked");
    let mut child =
        support::helper("cgroup::helper_reads_inside_a_group", directory.path()).spawn().expect("starts");
    let share: f64 = answer(&mut child, "share ").parse().expect("a number");
    assert!(child.wait().expect("ended").success());
    println!("{share} of {FILE} bytes cached under a cap of {CAP}");
    assert!(share * FILE as f64 <= CAP as f64, "{share} of the file is cached");
    assert!(share > 0.05, "but some of it is: {share}");
    assert_eq!(group.processes_killed().value(), Some(&0), "reading is reclaimed, not killed");
    let path_of_group = group.path().to_owned();
    group.remove().expect("its process has ended");
    assert!(!path_of_group.exists());

    let uncapped = page_cache::read_through(&path).expect("readable");
    assert!(uncapped.value().is_some_and(|&share| share > 0.9), "without a cap it fits: {uncapped:?}");
}

#[test]
#[ignore = "run by a_capped_process_cannot_cache_more_than_its_cap"]
fn helper_reads_inside_a_group() {
    let directory = support::path_of_parent();
    enter(&std::fs::read_link(directory.join("group")).expect("linked")).expect("entered");
    let path = directory.join("data");
    let share = page_cache::read_through(&path).expect("readable");
    println!("share {}", share.value().expect("cachestat"));
    assert!(page_cache::warm(&path).is_err(), "a file larger than the cap cannot be warm");
}

#[test]
fn a_process_that_needs_more_than_its_cap_is_killed_and_counted() {
    let Some(group) = group("short") else { return };
    let directory = work();
    std::os::unix::fs::symlink(group.path(), directory.path().join("group")).expect("linked");
    let mut child =
        support::helper("cgroup::helper_needs_too_much", directory.path()).spawn().expect("starts");
    assert!(!child.wait().expect("ended").success());
    assert_eq!(group.processes_killed().value(), Some(&1));
}

#[test]
#[ignore = "run by a_process_that_needs_more_than_its_cap_is_killed_and_counted"]
fn helper_needs_too_much() {
    enter(&std::fs::read_link(support::path_of_parent().join("group")).expect("linked")).expect("entered");
    let memory = std::hint::black_box(vec![1_u8; 2 * CAP as usize]);
    panic!("nobody killed a process that uses {} bytes", memory.len());
}

#[test]
fn a_group_that_a_killed_process_left_is_removed_and_one_in_use_is_not() {
    let Some(held) = group("held") else { return };
    let directory = scratch();
    let mut child =
        support::helper("cgroup::helper_holds_a_group", directory.path()).spawn().expect("starts");
    let left = PathBuf::from(answer(&mut child, "group "));
    child.kill().expect("killed");
    child.wait().expect("reaped");
    assert!(left.exists());
    let removed = remove_abandoned().expect("listed");
    assert!(removed.contains(&left), "{removed:?}");
    assert!(!left.exists() && held.path().exists());
}

#[test]
#[ignore = "run by a_group_that_a_killed_process_left_is_removed_and_one_in_use_is_not"]
fn helper_holds_a_group() {
    let group = group("left").expect("the parent made one");
    println!("group {}", group.path().display());
    std::thread::sleep(support::UNTIL_KILLED);
}

#[test]
fn the_way_to_cap_memory_is_named() {
    match cap_method() {
        Ok(method) => {
            println!("{method:?}");
            let unified_memory = std::fs::read_to_string("/sys/fs/cgroup/cgroup.controllers");
            if method == CapMethod::CgroupV2 {
                assert!(unified_memory.is_ok_and(|controllers| controllers.contains("memory")));
            }
        }
        Err(error) => assert!(matches!(error, CapError::Unavailable { .. }), "{error}"),
    }
}

#[test]
fn entering_a_group_that_is_gone_is_an_error_with_its_path() {
    let error = enter(Path::new("/sys/fs/cgroup/none/syncline-x")).expect_err("no such group");
    let CapError::Kernel(failure) = error else { panic!("{error}") };
    assert_eq!(failure.path, Path::new("/sys/fs/cgroup/none/syncline-x/cgroup.procs"));
}

#[test]
fn a_cap_above_the_machines_memory_is_refused() {
    check_cap(CAP).expect("every machine has so much");
    let error = check_cap(1 << 50).expect_err("no machine has so much");
    let CapError::LargerThanMemory { cap_bytes, memory_bytes } = error else { panic!("{error}") };
    assert_eq!(cap_bytes, 1 << 50);
    assert!((CAP..cap_bytes).contains(&memory_bytes), "{memory_bytes}");
}

/// A process in the group reports the limits, and the group is gone when its value is dropped.
#[test]
fn a_group_limits_the_io_of_what_enters_it() {
    let directory = work();
    let cap = IoCap::parse("riops=120 wiops=60 rbps=7MiB wbps=3MiB").expect("valid");
    let id = format!("io-{}", std::process::id());
    let group = match IoGroup::create(&id, directory.path(), &cap) {
        Ok(group) => group,
        Err(error @ CapError::IoUnavailable { .. }) => {
            skip::because(error);
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let path = group.path().to_owned();
    std::os::unix::fs::symlink(&path, directory.path().join("group")).expect("linked");
    let output =
        support::helper("cgroup::helper_reports_its_limits", directory.path()).output().expect("starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    for (of, per_s) in [
        (LimitOf::BytesRead, 7 << 20),
        (LimitOf::BytesWritten, 3 << 20),
        (LimitOf::Reads, 120),
        (LimitOf::Writes, 60),
    ] {
        assert!(said.contains(&format!("{of:?} {per_s}\n")), "{said}");
    }
    drop(group);
    assert!(!path.exists());
}

#[test]
#[ignore = "run by a_group_limits_the_io_of_what_enters_it"]
fn helper_reports_its_limits() {
    let directory = support::path_of_parent();
    enter(&std::fs::read_link(directory.join("group")).expect("linked")).expect("entered");
    let mut limits = placement(&directory).io_limits.expect("readable");
    limits.sort();
    for limit in limits {
        println!("{:?} {}", limit.of, limit.per_s);
    }
}
