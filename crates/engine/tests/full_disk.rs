//! A full disk, during load and during drain: the engine's own message comes back, the failure is recognised, and
//! afterwards the engine closes and its store frees its space.
//!
//! Without the test harness: a mount namespace belongs to a process that has no other thread yet.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use disk::filesystem::{FileSystemKind, mount};
use disk::kernel::scheduling::private_mounts;
use disk::work_directory::WorkDirectory;
use engine::{AnyEngine, Engine, EngineError, EngineKind, Options, store};
use model::mechanism::Measured;
use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

const DISK_BYTES: u64 = 64 << 20;
const VALUE_BYTES: usize = 32 << 10;
/// Longer than thousands of commits take on a slow disk, each with several syncs; only an engine that hangs needs more.
const PATIENCE: Duration = Duration::from_mins(15);

fn main() {
    private_mounts().unwrap_or_else(|error| {
        skip::because(error);
        std::process::exit(0);
    });
    let work = WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let mounted = match mount(work.path(), FileSystemKind::Ext4, DISK_BYTES) {
        Ok(mounted) => mounted,
        Err(error) => {
            skip::because(error);
            return;
        }
    };
    for kind in EngineKind::BUILT_IN.iter().copied().filter(|kind| kind.is_persistent().unwrap()) {
        for level in kind.levels().unwrap() {
            load(kind, level.name, &mounted.point);
        }
        drain(kind, &mounted.point);
    }
    work.remove().unwrap();
}

fn free_bytes(point: &Path) -> u64 {
    let facts = rustix::fs::statvfs(point).unwrap();
    facts.f_bavail * facts.f_frsize
}

/// Values that neither a file system nor an engine makes smaller.
fn value(index: u32) -> Vec<u8> {
    let mut state = u64::from(index) | 1 << 40;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..VALUE_BYTES / 8).flat_map(|_| next().to_le_bytes()).collect()
}

/// Runs `call` elsewhere, because an engine that hangs must be named.
fn within_patience<T: Send + 'static>(what: &str, call: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(call()));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{what} hangs"))
}

/// Puts twice as much as the disk holds, until the engine refuses; one that keeps it in memory has to say so when it
/// is to make it durable.
fn fill(engine: &AnyEngine) -> Option<EngineError> {
    let entries = (2 * DISK_BYTES / VALUE_BYTES as u64) as u32;
    let refused = (0..entries).find_map(|index| engine.put(&index.to_be_bytes(), &value(index)).err());
    refused.or_else(|| engine.sync().err())
}

#[track_caller]
fn assert_full(context: &str, error: &EngineError) {
    println!("{context}: {error}");
    assert!(error.is_storage_full(), "{context}: {error:?}");
    let said = error.to_string().to_lowercase();
    assert!(["no space left", "is full"].iter().any(|words| said.contains(words)), "{context}: {said}");
}

/// Closes the engine, whatever it says to that, and removes its store.
fn end(context: &str, engine: Arc<AnyEngine>, directory: &Path, free_before: u64) {
    let closing = Arc::into_inner(engine).unwrap();
    let closed = within_patience(&format!("{context}: close"), move || closing.close());
    if let Err(error) = closed {
        println!("{context}: close: {error}");
    }
    store::remove(directory).unwrap();
    let lost_bytes = free_before.saturating_sub(free_bytes(directory.parent().unwrap()));
    assert!(lost_bytes < 1 << 20, "{context}: {lost_bytes} bytes are not freed");
}

fn load(kind: EngineKind, level: &str, point: &Path) {
    let context = format!("{} at {level}, load", kind.name());
    let free_before = free_bytes(point);
    let mut options = Options::new(point.join("store")).durability(level);
    // If it can be set, so small that flushes and compactions meet the end of the disk too.
    options.write_buffer_bytes = Some(4 << 20);
    let opened = kind.open(&options).or_else(|error| match error.unsupported() {
        Some(_) => kind.open(&Options { write_buffer_bytes: None, ..options.clone() }),
        None => Err(error),
    });
    let engine = Arc::new(opened.unwrap());
    let filling = Arc::clone(&engine);
    let error = within_patience(&context, move || fill(&filling));
    assert_full(&context, &error.unwrap_or_else(|| panic!("{context}: nothing was refused")));
    end(&context, engine, &options.directory, free_before);
}

fn drain(kind: EngineKind, point: &Path) {
    let context = format!("{}, drain", kind.name());
    let free_before = free_bytes(point);
    let mut options = Options::new(point.join("store"));
    // Holds all entries, and its log beside it leaves room for the filler.
    options.write_buffer_bytes = Some(24 << 20);
    let Ok(engine) = kind.open(&options).map(Arc::new) else { return };
    for index in 0..400 {
        engine.put(&u32::to_be_bytes(index), &value(index)).unwrap();
    }
    engine.sync().unwrap();
    let filler = point.join("filler");
    fs::write(&filler, vec![1; free_bytes(point).saturating_sub(4 << 20) as usize]).unwrap();
    let draining = Arc::clone(&engine);
    let drained = within_patience(&context, move || draining.drain());
    match drained {
        Err(error) => assert_full(&context, &error),
        Ok(Measured::Value(seconds)) => panic!("{context}: drained in {seconds} s onto a full disk"),
        Ok(Measured::Unsupported { .. }) => println!("{context}: nothing to drain"),
    }
    fs::remove_file(&filler).unwrap();
    end(&context, engine, &options.directory, free_before);
}
