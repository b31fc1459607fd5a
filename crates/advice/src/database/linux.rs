//! Linux itself: readahead, the file system, and what only the database on top can show.
//!
//! Meanings: <https://docs.kernel.org/admin-guide/sysctl/vm.html>, <https://docs.kernel.org/block/index.html>.

use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence};
use crate::level::on_host;
use crate::log::Log;
use crate::no_advice::{NoAdvice, Why};
use crate::rule::{Database, Decide, Rule, by_the_database};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::tried::Trying;
use crate::weighed::{Choose, Weighed};
use model::{EVERY_TRIAL, FileSystem, FileSystemKind, IoMode, Layout};
use settings::Syntax;
use workload::IoEngine;
use workload::commit::PARAMETERS as COMMIT;
use workload::device::{Advice, PARAMETERS as DEVICE, Pattern};

pub(super) const DATABASE: Database = Database {
    name: "Linux",
    program: "Linux",
    id: "linux",
    aliases: &["kernel"],
    fragment: "linux.txt",
    syntax: Syntax::Text,
    names: None,
    families: &[RULES],
    of_itself: &[],
    hazards: &[],
    signs: Signs::NONE,
};

const VM: &str = "https://docs.kernel.org/admin-guide/sysctl/vm.html";
const QUEUE: &str = "https://docs.kernel.org/block/queue-sysfs.html";
const MOUNT: &str = "https://man7.org/linux/man-pages/man8/mount.8.html";

/// No workload sets them: they are the whole machine's.
const NOWHERE: Trying = Trying { workload: "", held: Vec::new, metrics: &[] };

const fn of_the_machine(facts: Facts) -> Rule {
    by_the_database(facts, None, NOWHERE)
}

const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "read_ahead_kb",
            ValueKind::Integer,
            DefaultValue::Always("128"),
            TakesEffect::AtOnce,
            QUEUE,
        )
        .requires(&["root: /sys/block/DEVICE/queue/read_ahead_kb"])
        .risks(&["random reads through the page cache can read more than they use"]),
        source: Some(Source {
            study: "device",
            vary: &[
                (DEVICE.rw.name(), &[Pattern::Read.name()]),
                (DEVICE.mode.name(), &[IoMode::Buffered.name()]),
                (DEVICE.bs.name(), &["64KiB"]),
                (DEVICE.ioengine.name(), &[IoEngine::Psync.name()]),
                (DEVICE.iodepth.name(), &["1"]),
                (DEVICE.advice.name(), &[Advice::Normal.name(), Advice::Sequential.name()]),
            ],
            minutes: 1,
        }),
        comparisons: 1,
        decide: Decide::Study(read_ahead),
    },
    Rule {
        facts: Facts::new(
            "filesystem",
            ValueKind::Name,
            DefaultValue::None("the one that the disk was formatted with"),
            TakesEffect::AtCreation,
            "https://docs.kernel.org/filesystems/index.html",
        )
        .requires(&["a new file system: data have to be copied"]),
        source: Some(Source {
            study: "wal-layout",
            vary: &[
                (
                    EVERY_TRIAL.filesystem.name(),
                    &[FileSystem::HOST, FileSystemKind::Ext4.name(), FileSystemKind::Xfs.name()],
                ),
                (COMMIT.mode.name(), &[IoMode::Buffered.name()]),
            ],
            minutes: 1,
        }),
        comparisons: LOGS.len(),
        decide: Decide::Study(filesystem),
    },
    of_the_machine(
        Facts::new(
            "scheduler",
            ValueKind::Name,
            DefaultValue::None("mq-deadline for a disk with one queue, none for one with several"),
            TakesEffect::AtOnce,
            QUEUE,
        )
        .requires(&["root: /sys/block/DEVICE/queue/scheduler"])
        .trying(&["none", "mq-deadline"]),
    ),
    of_the_machine(
        Facts::new(
            "vm.dirty_background_bytes",
            ValueKind::Integer,
            DefaultValue::Always("0"),
            TakesEffect::AtOnce,
            VM,
        )
        .requires(&["root; it takes the place of vm.dirty_background_ratio, 10 % by default"])
        .trying(&["67108864"]),
    ),
    of_the_machine(
        Facts::new("vm.dirty_bytes", ValueKind::Integer, DefaultValue::Always("0"), TakesEffect::AtOnce, VM)
            .requires(&["root; it takes the place of vm.dirty_ratio, 20 % by default"])
            .risks(&["a process that writes faster than the disk waits earlier"])
            .trying(&["536870912"]),
    ),
    of_the_machine(
        Facts::new("noatime", ValueKind::Flag, DefaultValue::Always("off"), TakesEffect::AtOnce, MOUNT)
            .requires(&["root; relatime, the default, already writes most access times once a day only"])
            .trying(&["on"]),
    ),
];

const DOUBLED: &str = "twice the readahead (POSIX_FADV_SEQUENTIAL)";

/// `POSIX_FADV_SEQUENTIAL` doubles the window of a file (posix_fadvise(2)), which stands for a queue whose window is
/// twice as large. What the value is now, the run read from the device's queue.
fn read_ahead(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "device",
        held: &[DEVICE.rw.at(Pattern::Read), DEVICE.mode.at(IoMode::Buffered), on_host()],
        base: &[DEVICE.advice.at(Advice::Normal)],
        other: &[DEVICE.advice.at(Advice::Sequential)],
        across_classes: false,
    };
    let double = evidence.contrast(arms, "bandwidth_bytes_per_s")?;
    let usual: u64 =
        evidence.queue_setting("read_ahead_kb").and_then(|value| value.parse().ok()).unwrap_or(128);
    let statement = Statement::of_pair(double.pair(DOUBLED, "the usual readahead"));
    Ok(Weighed {
        in_use: evidence.queue_setting("read_ahead_kb"),
        effects: vec![double.effect(&(2 * usual).to_string(), &usual.to_string())],
        needs: double.needs,
        grounds: vec![double.ground],
        caveats: vec![Caveat::Note(
            "For sequential reads through the page cache only: direct I/O does not read ahead.",
        )],
        ..Weighed::new(Choose::Compared, statement)
    })
}

/// Kinds of logs, with the level of the study.
const LOGS: &[(Log, Layout)] = &[
    (Log::Written, Layout::Prefilled),
    (Log::Allocated, Layout::Fallocated),
    (Log::Growing, Layout::Append),
];

/// Commits on fresh loop images of both file systems, with each kind of log: one has to be better with one of them, and
/// not worse with any.
fn filesystem(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let mut found: Vec<(Log, Comparison)> = Vec::new();
    let mut missing = None;
    for (log, layout) in LOGS {
        let arms = Arms {
            workload: "commit",
            held: &[
                COMMIT.wal_mode.at(Some(IoMode::Buffered)),
                COMMIT.read_depth.at(0),
                COMMIT.wal_layout.at(*layout),
            ],
            base: &[EVERY_TRIAL.filesystem.at(FileSystemKind::Ext4.into())],
            other: &[EVERY_TRIAL.filesystem.at(FileSystemKind::Xfs.into())],
            across_classes: false,
        };
        match evidence.contrast(arms, "commits_per_s") {
            Ok(contrast) => found.push((*log, contrast)),
            Err(none) if none.why == Why::NotMeasured => drop(missing.get_or_insert(none)),
            Err(none) => return Err(none),
        }
    }
    if let Some(none) = missing.filter(|_| found.is_empty()) {
        return Err(none);
    }
    let arm = |filesystem: &str, log: Log| format!("{filesystem} with {}", log.arm());
    let pairs = found.iter().map(|(log, found)| found.pair(arm("xfs", *log), arm("ext4", *log))).collect();
    Ok(Weighed {
        in_use: evidence.filesystem(),
        effects: found.iter().map(|(_, found)| found.effect("xfs", "ext4")).collect(),
        needs: found.iter().find_map(|(_, found)| found.needs.clone()),
        grounds: found.into_iter().map(|(_, found)| found.ground).collect(),
        caveats: vec![Caveat::Note(
            "Measured on fresh loop images on this disk, with a log alone: not with data files, and not on an aged \
             file system.",
        )],
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}
