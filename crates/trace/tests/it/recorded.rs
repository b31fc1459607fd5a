//! Operations of traces that were recorded on a real machine: three appends of 4 KiB and their fdatasync on each file
//! system. A line is an event.

use crate::support::{Stamp, Write, awake, commits, is_possible};
use disk::filesystem::{FileSystemKind, mount};
use disk::work_directory::WorkDirectory;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trace::waterfall::{Operation, Waterfall};
use trace::{Action, Blocks, Call, Class, Device, Event, EventKind, Name, Trace};

/// Operations of each file.
const OPERATIONS: usize = 3;

struct Fixture {
    trace: Trace,
    thread: u32,
    stamps: Vec<Stamp>,
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/traces/{name}.txt"))
}

fn blocks_text(letter: char, blocks: Blocks) -> String {
    let Blocks { device, sector, sectors, class } = blocks;
    let action = match class.action {
        Action::Read => 'R',
        Action::Write => 'W',
        Action::Flush => 'F',
        Action::Other => 'D',
    };
    let flushes = if class.flushes_before { "F" } else { "" };
    let durable = if class.durable { "F" } else { "" };
    let metadata = if class.metadata { "M" } else { "" };
    format!(
        "{letter} {} {} {sector} {sectors} {flushes}{action}{durable}{metadata}",
        device.major(),
        device.minor()
    )
}

fn line(event: &Event, origin_ns: u64) -> String {
    let kind = match event.kind {
        EventKind::CallBegins(call) => format!("enter {call:?}"),
        EventKind::CallEnds(call) => format!("exit {call:?}"),
        EventKind::Queued(blocks) => blocks_text('Q', blocks),
        EventKind::Issued(blocks) => blocks_text('D', blocks),
        EventKind::Completed(blocks) => blocks_text('C', blocks),
        EventKind::Switched { blocked, next, next_name: _ } => format!("to {next} {}", u8::from(blocked)),
        EventKind::Woken(thread) => format!("wake {thread}"),
        EventKind::PacketSent => "packet".to_owned(),
        EventKind::CommitBegins => "journal".to_owned(),
        EventKind::CommitEnds => "journal-done".to_owned(),
    };
    let place = if event.in_interrupt { 'i' } else { 't' };
    format!("{} {} {} {place} {kind}", event.time_ns - origin_ns, event.cpu, event.thread)
}

fn call(name: &str) -> Call {
    const CALLS: [Call; 7] = [
        Call::Fdatasync,
        Call::Fsync,
        Call::Pread,
        Call::Preadv2,
        Call::Pwrite,
        Call::Pwritev2,
        Call::RingEnter,
    ];
    CALLS.into_iter().find(|call| format!("{call:?}") == name).unwrap()
}

fn event(line: &str) -> Event {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |index: usize| words[index].parse::<u64>().unwrap();
    let blocks = || Blocks {
        device: Device::new(number(5) as u32, number(6) as u32),
        sector: number(7),
        sectors: number(8) as u32,
        class: Class::read(words[9].as_bytes()),
    };
    let kind = match words[4] {
        "enter" => EventKind::CallBegins(call(words[5])),
        "exit" => EventKind::CallEnds(call(words[5])),
        "Q" => EventKind::Queued(blocks()),
        "D" => EventKind::Issued(blocks()),
        "C" => EventKind::Completed(blocks()),
        "to" => EventKind::Switched {
            blocked: number(6) == 1,
            next: number(5) as u32,
            next_name: Name::default(),
        },
        "wake" => EventKind::Woken(number(5) as u32),
        "packet" => EventKind::PacketSent,
        "journal" => EventKind::CommitBegins,
        "journal-done" => EventKind::CommitEnds,
        other => panic!("{other}"),
    };
    Event {
        time_ns: number(0),
        cpu: number(1) as u32,
        thread: number(2) as u32,
        in_interrupt: words[3] == "i",
        kind,
    }
}

fn read(name: &str) -> Fixture {
    let text = std::fs::read_to_string(path(name)).unwrap();
    let mut fixture = Fixture { trace: Trace::default(), thread: 0, stamps: Vec::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "thread" => fixture.thread = words[1].parse().unwrap(),
            "ksoftirqd" => {
                fixture.trace.kernel_threads.interrupts =
                    words[1..].iter().map(|word| word.parse().unwrap()).collect();
            }
            "operation" => {
                let time = |index: usize| words[index].parse().unwrap();
                fixture.stamps.push(Stamp { from_ns: time(1), to_ns: time(2) });
            }
            _ => fixture.trace.events.push(event(line)),
        }
    }
    fixture
}

/// An operation as its stages and their lengths.
fn laid(operation: &Operation) -> String {
    let mut text = String::new();
    for segment in &operation.segments {
        let journal = if segment.journal { " (journal)" } else { "" };
        writeln!(text, "{:>9.1} us  {:?}{journal}", segment.duration_ns() as f64 / 1e3, segment.stage)
            .unwrap();
    }
    writeln!(text, "{} requests of others", operation.foreign_requests()).unwrap();
    text
}

fn check(name: &str) -> String {
    let fixture = read(name);
    let waterfall = Waterfall::new(&fixture.trace);
    let mut text = String::new();
    for stamp in &fixture.stamps {
        let operation = waterfall.operation(fixture.thread, stamp.from_ns, stamp.to_ns);
        assert_eq!(operation.duration_ns(), stamp.to_ns - stamp.from_ns);
        text.push_str(&laid(&operation));
        text.push('\n');
    }
    text
}

#[test]
fn ext4_waits_for_its_journal() {
    insta::assert_snapshot!(check("ext4"));
}

#[test]
fn xfs_waits_for_its_log() {
    insta::assert_snapshot!(check("xfs"));
}

#[test]
fn btrfs_writes_its_log_tree() {
    insta::assert_snapshot!(check("btrfs"));
}

#[test]
fn the_disk_of_a_machine_interrupts_when_it_is_done() {
    insta::assert_snapshot!(check("disk"));
}

fn write(name: &str, directory: &Path) {
    let recorded = awake(|| commits(&directory.join("log"), Write::Append, 40));
    let stamps = &recorded.stamps[20..20 + OPERATIONS];
    // What woke a thread, and what was on its way, may have begun earlier.
    let from_ns = stamps[0].from_ns - 2_000_000;
    let to_ns = stamps[OPERATIONS - 1].to_ns + 10_000;
    let mut text = format!("thread {}\nksoftirqd", recorded.thread);
    for thread in &recorded.trace.kernel_threads.interrupts {
        write!(text, " {thread}").unwrap();
    }
    text.push('\n');
    for stamp in stamps {
        writeln!(text, "operation {} {}", stamp.from_ns - from_ns, stamp.to_ns - from_ns).unwrap();
    }
    let within = recorded.trace.events.iter().filter(|event| (from_ns..to_ns).contains(&event.time_ns));
    for event in within {
        writeln!(text, "{}", line(event, from_ns)).unwrap();
    }
    std::fs::write(path(name), text).unwrap();
}

#[test]
#[ignore = "it rewrites the recorded traces"]
fn record() {
    assert!(is_possible());
    std::fs::create_dir_all(path("x").parent().unwrap()).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    write("disk", tempfile::tempdir_in(folder).unwrap().path());
    for kind in [FileSystemKind::Ext4, FileSystemKind::Xfs, FileSystemKind::Btrfs] {
        let work = WorkDirectory::create(folder).unwrap();
        let mounted = mount(work.path(), kind, kind.minimum_bytes()).unwrap();
        write(kind.name(), &mounted.point);
        work.remove().unwrap();
    }
}
