//! What a process costs is counted in its group from its first instruction on, and the group goes with it.

use disk::cgroup::AccountingGroup;
use disk::kernel::child::{DeathSignal, spawn};
use std::process::Command;

#[test]
fn a_process_is_counted_and_its_group_goes() {
    let group = AccountingGroup::create(&format!("accounting-{}", std::process::id()));
    let before = group.counters();
    let mut command = Command::new("sh");
    command.args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"]);
    let entrances = group.entrances().expect("groups that were made can be entered");
    let mut child = spawn(command, None, DeathSignal::Kill, entrances).expect("starts");
    assert!(child.wait().expect("ends").success());
    let cost = AccountingGroup::delta(&before, &group.counters());
    println!("{cost:?}");
    match cost.user_s.reason() {
        Some(why) => skip::because(why),
        None => assert!(cost.user_s.value().is_some_and(|&user| user > 0.0), "{cost:?}"),
    }
    if let Some(&memory) = cost.memory_bytes_max.value() {
        assert!(memory > 0 && memory < 1 << 30, "{cost:?}");
    }
    drop(group);
    let mounts = std::fs::read_to_string("/proc/self/mounts").expect("readable");
    for point in
        mounts.lines().filter(|line| line.contains(" cgroup")).filter_map(|line| line.split(' ').nth(1))
    {
        let left = std::path::Path::new(point).join(format!("syncline-accounting-{}", std::process::id()));
        assert!(!left.exists(), "{}", left.display());
    }
}
