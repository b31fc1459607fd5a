//! Fresh loop file systems: they mount, count for themselves, and vanish with the process that mounted them.

use crate::support;

use disk::counters::{Collected, Snapshot};
use disk::files::{FileError, Layout, create, direct_support, extent_facts, recreate};
use disk::filesystem::{FileSystemKind, FilesystemError, LoopMount, find, mount, unmount};
use disk::kernel::block_device::BlockDevice;
use disk::kernel::mounts::mounts;
use disk::placement::placement;
use disk::work_directory::WorkDirectory;
use model::mechanism::{Measured, PageCache};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{UNTIL_KILLED, alone, until};

const SYNCS: u64 = 20;

/// Images that loop devices are attached to, on the whole machine.
fn attached() -> Vec<PathBuf> {
    let devices = std::fs::read_dir("/sys/block").expect("readable").filter_map(Result::ok);
    let read = |path: PathBuf| std::fs::read_to_string(path.join("loop/backing_file")).ok();
    devices.filter_map(|device| read(device.path())).map(|image| PathBuf::from(image.trim())).collect()
}

/// `autoclear` works in the background.
#[track_caller]
fn assert_detached(image: &Path) {
    let is_detached = || !attached().iter().any(|backing| backing.starts_with(image));
    assert!(until(is_detached), "{} is still attached", image.display());
}

fn check(kind: FileSystemKind, program: &str, test: &str) {
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", program]) {
        skip::because(reason);
        return;
    }
    alone(test, |parent| {
        let work = WorkDirectory::create(parent).expect("made");
        let mounted = mount(work.path(), kind, kind.minimum_bytes()).expect("mounted");
        assert_eq!(mount(work.path(), kind, kind.minimum_bytes()).expect("there"), mounted, "mounted once");
        assert!(attached().contains(&mounted.image));
        let direct_io = format!("/sys/block/{}/loop/dio", mounted.device);
        assert_eq!(std::fs::read_to_string(direct_io).expect("readable").trim(), "1");
        check_image(&mounted);

        let place = placement(&mounted.point);
        assert_eq!(place.filesystem, kind.name());
        assert_eq!(place.device, Measured::Value(mounted.device.clone()));
        assert!(place.model.value().is_some_and(|model| model.contains(".image")), "{:?}", place.model);
        let block = rustix::fs::statvfs(&mounted.point).expect("mounted").f_frsize;
        assert_eq!(block, 4096, "{kind} has the blocks that it has on a large disk");
        let alignment = direct_support(&mounted.point).expect("all three take O_DIRECT");
        println!("{kind}: {alignment:?} {}", place.mount_options);
        assert!(kind == FileSystemKind::Btrfs || !alignment.writes_buffered, "{alignment:?}");
        check_counters(&mounted);
        check_layouts(&mounted, kind);

        unmount(&mounted).expect("unmounted");
        assert_eq!(find(work.path(), kind).expect("listed"), None);
        assert_detached(&mounted.image);
        // Removal unmounts what is still mounted.
        let mounted = mount(work.path(), kind, kind.minimum_bytes()).expect("mounted again");
        work.remove().expect("removed");
        assert_detached(&mounted.image);
    });
}

/// The host must not allocate while we measure: neither mkfs nor mount may have punched holes.
fn check_image(mounted: &LoopMount) {
    let extents = extent_facts(&mounted.image).expect("readable");
    if let Measured::Value(facts) = &extents {
        assert_eq!((facts.unwritten_bytes, facts.hole_bytes), (0, 0));
    }
}

fn check_counters(mounted: &LoopMount) {
    let device = BlockDevice::below(&mounted.point);
    let before = Snapshot::take(&device);
    let mut file = File::create(mounted.point.join("wal")).expect("made");
    for _ in 0..SYNCS {
        file.write_all(&[1; 4096]).expect("written");
        file.sync_data().expect("synced");
    }
    let page_cache = Measured::Value(PageCache::default());
    let longest_gap_s = Measured::unsupported("nothing is driven");
    let collected = Collected { run_queue_delay_s: Measured::Value(0.0), page_cache, longest_gap_s };
    let mechanism = before.delta(&Snapshot::take(&device), collected, &device);
    let counters = mechanism.device.value().expect("a loop device");
    println!("{SYNCS} appends: {counters:?}");
    assert!(counters.flushes.value().is_some_and(|&flushes| flushes >= SYNCS), "{counters:?}");
    assert!(counters.written_bytes >= SYNCS * 4096, "{counters:?}");
}

fn check_layouts(mounted: &LoopMount, kind: FileSystemKind) {
    for layout in [Layout::Append, Layout::Fallocated, Layout::Prefilled] {
        create(&mounted.point.join("data"), layout, 5 << 20, 1)
            .unwrap_or_else(|error| panic!("{kind}, {layout}: {error}"));
    }
    create(&mounted.point.join("data"), Layout::Fallocated, 5 << 20, 1).expect("made");
    let error = recreate(&mounted.point.join("data"), Layout::Fallocated, 1 << 30).expect_err("ENOSPC");
    assert!(matches!(error, FileError::NoSpace { available_bytes: 1.., .. }), "{error}");
    let error = create(&mounted.point.join("data"), Layout::Prefilled, 1 << 30, 1).expect_err("too large");
    assert!(matches!(error, FileError::NoSpace { .. }), "{error}");
}

#[test]
fn xfs_mounts_and_counts_for_itself() {
    check(FileSystemKind::Xfs, "mkfs.xfs", "filesystem::xfs_mounts_and_counts_for_itself");
}

#[test]
fn ext4_mounts_and_counts_for_itself() {
    check(FileSystemKind::Ext4, "mkfs.ext4", "filesystem::ext4_mounts_and_counts_for_itself");
}

#[test]
fn btrfs_mounts_and_counts_for_itself() {
    check(FileSystemKind::Btrfs, "mkfs.btrfs", "filesystem::btrfs_mounts_and_counts_for_itself");
}

#[test]
fn an_image_below_the_minimum_is_refused() {
    let parent = support::scratch();
    let work = WorkDirectory::create(parent.path()).expect("made");
    match mount(work.path(), FileSystemKind::Xfs, 1 << 20) {
        Err(FilesystemError::TooSmall { minimum_bytes, .. }) => assert_eq!(minimum_bytes, 300 << 20),
        Err(FilesystemError::NotRoot { .. }) => skip::because("needs root"),
        other => panic!("{other:?}"),
    }
}

/// kill -9 gives no chance to unmount. A private mount namespace goes with its last process, the mounts go with
/// it, and the loop device with its last mount.
#[test]
fn nothing_stays_mounted_when_the_process_is_killed() {
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.ext4"]) {
        skip::because(reason);
        return;
    }
    let parent = support::scratch();
    let helper = support::helper("filesystem::helper_mounts_and_waits", parent.path());
    let mut child = support::private(helper).spawn().expect("starts");
    let image = PathBuf::from(support::answer(&mut child, "image "));
    assert!(attached().contains(&image));
    let below = |path: &Path| mounts().expect("readable").iter().any(|mount| mount.point.starts_with(path));
    assert!(!below(parent.path()), "the mount is the child's alone");

    child.kill().expect("killed");
    child.wait().expect("reaped");
    assert_detached(&image);
    assert!(!below(parent.path()));
    let work = image.parent().expect("inside the work directory").to_owned();
    assert_eq!(WorkDirectory::clean_abandoned(parent.path()).expect("cleaned").removed, [work.as_path()]);
    assert!(!work.exists());
}

#[test]
#[ignore = "run by the tests that kill it"]
fn helper_mounts_and_waits() {
    let work = WorkDirectory::create(&support::path_of_parent()).expect("made");
    let mounted =
        mount(work.path(), FileSystemKind::Ext4, FileSystemKind::Ext4.minimum_bytes()).expect("mounted");
    println!("image {}", mounted.image.display());
    std::thread::sleep(UNTIL_KILLED);
}

/// Without a private namespace the mount outlives a killed process: cleaning unmounts it. Both happen inside a
/// private namespace here, so that a failing test leaves nothing behind on the machine.
#[test]
fn a_mount_that_was_left_behind_is_unmounted_by_cleaning() {
    const NAME: &str = "filesystem::a_mount_that_was_left_behind_is_unmounted_by_cleaning";
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.ext4"]) {
        skip::because(reason);
        return;
    }
    alone(NAME, |parent| {
        let mut child =
            support::helper("filesystem::helper_mounts_and_waits", parent).spawn().expect("starts");
        let image = PathBuf::from(support::answer(&mut child, "image "));
        child.kill().expect("killed");
        child.wait().expect("reaped");
        let work = image.parent().expect("inside the work directory").to_owned();
        assert!(find(&work, FileSystemKind::Ext4).expect("listed").is_some(), "still mounted");
        assert_eq!(WorkDirectory::clean_abandoned(parent).expect("cleaned").removed, [work.as_path()]);
        assert!(!work.exists());
        assert_detached(&image);
    });
}
