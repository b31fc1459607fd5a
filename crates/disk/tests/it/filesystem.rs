//! Fresh loop file systems: they mount, count for themselves, and vanish with the process that mounted them.

use crate::support;

use disk::counters::{Collected, Snapshot};
use disk::files::{FileError, Layout, create, direct_support, extent_facts, recreate};
use disk::filesystem::{FileSystemKind, FilesystemError, FreshFileSystem, LoopMount, find, mount, unmount};
use disk::kernel::block_device::BlockDevice;
use disk::kernel::mounts::mounts;
use disk::placement::placement;
use disk::work_directory::WorkDirectory;
use model::FileSystem;
use model::mechanism::{Measured, PageCache};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
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

fn fresh(level: &str) -> FreshFileSystem {
    match FileSystem::parse(level) {
        Ok(FileSystem::Fresh(fresh)) => fresh,
        other => panic!("{level}: {other:?}"),
    }
}

/// Mounts file systems one after another, and runs a check on each.
fn on_each(levels: &[&str], program: &str, test: &str, check: impl Fn(&str, &LoopMount)) {
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", program]) {
        skip::because(reason);
        return;
    }
    alone(test, |parent| {
        let work = WorkDirectory::create(parent).expect("made");
        for level in levels {
            let wanted = fresh(level);
            let mounted = mount(work.path(), wanted, wanted.minimum_bytes());
            check(level, &mounted.unwrap_or_else(|error| panic!("{level}: {error}")));
        }
    });
}

/// The options of a mount, as the kernel lists them.
fn mount_options(mounted: &LoopMount) -> Vec<String> {
    placement(&mounted.point).mount_options.split(',').map(str::to_owned).collect()
}

fn block_bytes(mounted: &LoopMount) -> u64 {
    rustix::fs::statvfs(&mounted.point).expect("mounted").f_frsize
}

#[track_caller]
fn check_options(levels: &[(&str, &[&str], u64)], program: &str, test: &str) {
    let names: Vec<&str> = levels.iter().map(|(level, _, _)| *level).collect();
    on_each(&names, program, test, |level, mounted| {
        let (_, expected, block) = levels.iter().find(|(name, _, _)| *name == level).expect("listed");
        let found = mount_options(mounted);
        for option in *expected {
            assert!(found.iter().any(|other| other == option), "{level}: {option} is not among {found:?}");
        }
        assert_eq!(block_bytes(mounted), *block, "{level}");
        check_image(mounted);
    });
}

/// Options that the kernel ignored would make two arms of one file system.
#[test]
fn options_of_ext4_take_effect() {
    let levels: &[(&str, &[&str], u64)] =
        &[("ext4", &["relatime"], 4096), ("ext4+noatime+bs=1k", &["noatime"], 1024)];
    check_options(levels, "mkfs.ext4", "filesystem::options_of_ext4_take_effect");
}

#[test]
fn options_of_xfs_take_effect() {
    let levels: &[(&str, &[&str], u64)] = &[
        ("xfs+noatime+logbsize=256k+logbufs=2", &["noatime", "logbsize=256k", "logbufs=2"], 4096),
        ("xfs+bs=1k", &["relatime"], 1024),
    ];
    check_options(levels, "mkfs.xfs", "filesystem::options_of_xfs_take_effect");
}

#[test]
fn options_of_btrfs_take_effect() {
    let levels: &[(&str, &[&str], u64)] =
        &[("btrfs", &["relatime"], 4096), ("btrfs+noatime+nodatacow", &["noatime", "nodatacow"], 4096)];
    check_options(levels, "mkfs.btrfs", "filesystem::options_of_btrfs_take_effect");
}

/// XFS has blocks larger than a page since Linux 6.12, if the page cache has large folios.
#[test]
fn an_xfs_has_blocks_larger_than_a_page_or_says_what_it_needs() {
    const NAME: &str = "filesystem::an_xfs_has_blocks_larger_than_a_page_or_says_what_it_needs";
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.xfs"]) {
        skip::because(reason);
        return;
    }
    if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
        skip::because("needs a kernel with large folios");
        return;
    }
    alone(NAME, |parent| {
        let work = WorkDirectory::create(parent).expect("made");
        let wanted = fresh("xfs+bs=16k");
        match mount(work.path(), wanted, wanted.minimum_bytes()) {
            Ok(mounted) => {
                assert_eq!(block_bytes(&mounted), 16 << 10);
                check_layouts(&mounted, FileSystemKind::Xfs);
            }
            Err(FilesystemError::OldKernel { needs, .. }) => assert_eq!(needs, "Linux 6.12"),
            Err(error) => panic!("{error}"),
        }
    });
}

#[test]
fn the_log_of_an_xfs_has_the_size_that_is_asked_for() {
    const NAME: &str = "filesystem::the_log_of_an_xfs_has_the_size_that_is_asked_for";
    on_each(&["xfs+logsize=128m"], "mkfs.xfs", NAME, |level, mounted| {
        // `struct xfs_dsb`: sb_blocksize at 4, sb_logblocks at 96, big-endian.
        let mut block = [0; 100];
        File::open(&mounted.image).and_then(|image| image.read_exact_at(&mut block, 0)).expect("readable");
        let number = |at: usize| {
            u64::from(u32::from_be_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]))
        };
        assert_eq!(number(4) * number(96), fresh(level).log_bytes().expect("set"));
    });
}

/// Copy on write puts an overwritten block elsewhere.
#[test]
fn btrfs_overwrites_in_place_with_nodatacow_only() {
    const NAME: &str = "filesystem::btrfs_overwrites_in_place_with_nodatacow_only";
    on_each(&["btrfs", "btrfs+nodatacow"], "mkfs.btrfs", NAME, |level, mounted| {
        let path = mounted.point.join("data");
        create(&path, Layout::Prefilled, 4 << 20, 1).expect("made");
        let extents = || match extent_facts(&path).expect("btrfs has FIEMAP") {
            Measured::Value(facts) => facts.count,
            Measured::Unsupported { unsupported } => panic!("{unsupported}"),
        };
        let before = extents();
        let file = File::options().write(true).open(&path).expect("there");
        file.write_all_at(&[7; 4096], 2 << 20).and_then(|()| file.sync_all()).expect("overwritten");
        let moved = extents() > before;
        assert_eq!(moved, level == "btrfs", "{level}: {before} extents before");
    });
}

/// The image was written whole so that the host allocates nothing. With `discard` a deleted file leaves holes in it,
/// and the next write there pays for the allocation on the host: the option does that on a loop device.
#[test]
fn only_discard_punches_holes_into_the_image() {
    const NAME: &str = "filesystem::only_discard_punches_holes_into_the_image";
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.xfs", "mkfs.ext4", "mkfs.btrfs"])
    {
        skip::because(reason);
        return;
    }
    alone(NAME, |parent| {
        let work = WorkDirectory::create(parent).expect("made");
        let holes = |mounted: &LoopMount| match extent_facts(&mounted.image).expect("readable") {
            Measured::Value(facts) => Some(facts.hole_bytes),
            Measured::Unsupported { .. } => None,
        };
        for level in ["ext4", "xfs", "btrfs", "ext4+discard", "xfs+discard", "btrfs+discard"] {
            let wanted = fresh(level);
            let mounted = match mount(work.path(), wanted, wanted.minimum_bytes()) {
                Err(FilesystemError::NoDiscard { .. }) => {
                    skip::because("the file system of the images punches no holes");
                    return;
                }
                mounted => mounted.unwrap_or_else(|error| panic!("{level}: {error}")),
            };
            if holes(&mounted).is_none() {
                skip::because("the file system of the images has no FIEMAP");
                return;
            }
            let path = mounted.point.join("deleted");
            create(&path, Layout::Prefilled, 16 << 20, 1).expect("made");
            let directory = File::open(&mounted.point).expect("there");
            std::fs::remove_file(&path).expect("removed");
            rustix::fs::syncfs(&directory).expect("synced");
            let discards = level.ends_with("+discard");
            // XFS and btrfs discard in the background.
            let has_holes = || holes(&mounted).is_some_and(|bytes| bytes > 0);
            assert_eq!(if discards { until(has_holes) } else { has_holes() }, discards, "{level}");
        }
    });
}

#[test]
fn file_systems_that_differ_by_an_option_are_mounted_beside_each_other() {
    const NAME: &str = "filesystem::file_systems_that_differ_by_an_option_are_mounted_beside_each_other";
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.ext4"]) {
        skip::because(reason);
        return;
    }
    alone(NAME, |parent| {
        let work = WorkDirectory::create(parent).expect("made");
        let [plain, other] = ["ext4", "ext4+noatime"].map(fresh);
        let first = mount(work.path(), plain, plain.minimum_bytes()).expect("mounted");
        assert_eq!(find(work.path(), other).expect("listed"), None);
        let second = mount(work.path(), other, other.minimum_bytes()).expect("mounted");
        assert!(first.device != second.device && first.image != second.image);
        assert_eq!(find(work.path(), plain).expect("listed"), Some(first.clone()));
        assert_eq!(find(work.path(), other).expect("listed"), Some(second.clone()));
        work.remove().expect("removed");
        assert_detached(&first.image);
        assert_detached(&second.image);
    });
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
