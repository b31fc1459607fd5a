//! kill -9 gives no chance to unmount, and must not leave a process that waits for its own disk for ever.

use crate::support::{PATIENCE, attached_below, kinds, mounted_below, until};
use disk::filesystem::FileSystemKind;
use disk::work_directory::WorkDirectory;
use forget::{Cut, ForgettingDisk};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::process::{Pid, Signal};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A path handed to the helper.
const PATH: &str = "SYNCLINE_TEST_PATH";
/// What the helper says once its first disk is mounted.
const WORKS: &str = "works";
const KILLS: u64 = 20;
/// Within this time a helper has made its first disk and cut it, if nothing else runs, µs.
const MOMENTS_US: u64 = 400_000;

/// What the helper does after its first disk is mounted.
#[derive(Clone, Copy)]
enum Doing {
    /// Threads wait for the disk: they must not keep its server's connection open.
    Work,
    /// The threads that serve are the last to end: they must not unmount what they serve.
    Nothing,
}

/// The helper test, in a process of its own.
fn helper(folder: &Path, launcher: &[&str], doing: Doing) -> Command {
    let own = std::env::current_exe().expect("linux has /proc/self/exe");
    let mut words = launcher.iter().map(Into::into).chain([own.into_os_string()]);
    let mut command = Command::new(words.next().expect("at least the program"));
    let test = match doing {
        Doing::Work => "killed::helper_works_until_killed",
        Doing::Nothing => "killed::helper_waits_until_killed",
    };
    command.args(words).args([test, "--exact", "--ignored", "--nocapture"]);
    command.env(PATH, folder).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Every other helper is killed while it works, the others at any moment from their start on.
fn kill_at(moment_us: u64, kill_number: u64, mut child: Child) -> bool {
    let works = kill_number.is_multiple_of(2);
    if works {
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let said = lines.map_while(Result::ok).any(|line| line.ends_with(WORKS));
        assert!(said, "the helper ended");
    }
    // The moment is what these tests are about.
    std::thread::sleep(Duration::from_micros(moment_us));
    // An abort would dump core.
    kill(child, if kill_number.is_multiple_of(5) { Signal::ABORT } else { Signal::KILL });
    works
}

/// Kills it and waits for its end, which never comes if it waits for its own disk.
#[track_caller]
fn kill(mut child: Child, signal: Signal) {
    rustix::process::kill_process(Pid::from_child(&child), signal).expect("killed");
    let ended = until(|| child.try_wait().expect("ours").is_some());
    assert!(ended, "process {} does not end {PATIENCE:?} after {signal:?}", child.id());
}

fn scratch() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("killed-").tempdir_in(crate::support::folder()).expect("writable")
}

#[test]
fn a_start_removes_what_a_killed_process_left() {
    if !kinds().contains(&FileSystemKind::Ext4) {
        return;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for number in 0..KILLS {
        let folder = scratch();
        let child = helper(folder.path(), &[], Doing::Work).spawn().expect("starts");
        let works = kill_at(random.next_u64() % MOMENTS_US, number, child);
        assert!(!works || mounted_below(folder.path()).len() >= 2, "nothing was left to remove");
        let cleared = WorkDirectory::clean_abandoned(folder.path()).expect("listed");
        assert!(cleared.left.is_empty(), "{:?}", cleared.left);
        assert_eq!(mounted_below(folder.path()), Vec::<PathBuf>::new());
        assert!(until(|| attached_below(folder.path()).is_empty()));
    }
}

/// In a mount namespace of its own the kernel unmounts what a killed process had mounted, and no start is needed.
#[test]
fn nothing_stays_mounted_in_a_private_namespace() {
    if !kinds().contains(&FileSystemKind::Ext4) {
        return;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for number in 0..KILLS {
        let folder = scratch();
        let unshare = ["/usr/bin/unshare", "--mount", "--propagation", "private"];
        let doing = if number % 4 < 2 { Doing::Work } else { Doing::Nothing };
        let child = helper(folder.path(), &unshare, doing).spawn().expect("starts");
        kill_at(random.next_u64() % MOMENTS_US, number, child);
        assert!(until(|| attached_below(folder.path()).is_empty()));
        let cleared = WorkDirectory::clean_abandoned(folder.path()).expect("listed");
        assert!(cleared.left.is_empty(), "{:?}", cleared.left);
    }
}

fn disk_of_helper() -> ForgettingDisk {
    let folder = PathBuf::from(std::env::var_os(PATH).expect("given"));
    let kind = FileSystemKind::Ext4;
    let disk = ForgettingDisk::new(kind.minimum_bytes(), &folder, kind).expect("made");
    println!("\n{WORKS}");
    disk
}

#[test]
#[ignore = "run by the tests that kill it"]
fn helper_waits_until_killed() {
    let disk = disk_of_helper();
    std::fs::write(disk.path().join("not written back"), vec![1; 1 << 20]).expect("written");
    loop {
        std::thread::park();
    }
}

#[test]
#[ignore = "run by the tests that kill it"]
fn helper_works_until_killed() {
    let disk = disk_of_helper();
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let path = disk.path().join(name);
            scope.spawn(move || {
                let mut file = File::create_new(path).expect("made");
                loop {
                    file.write_all(&[1; 4096]).expect("written");
                    file.sync_data().expect("synced");
                    if file.metadata().expect("there").len() > 4 << 20 {
                        file.set_len(0).expect("cut");
                    }
                }
            });
        }
        for _ in 0.. {
            let again = disk.mount_after(&disk.cut(Cut::FlushedOnly)).expect("mounted");
            std::fs::write(again.path().join("three"), "content").expect("written");
            again.close().expect("closed");
        }
    });
}
