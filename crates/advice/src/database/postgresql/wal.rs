//! The log: how a commit waits for it, and what its files are made of.
//!
//! PostgreSQL writes its log by plain calls through the page cache, whatever its data files do: of a study's cells those of
//! the same kind count, without reads beside them.

use crate::comparison::{Comparison, Outcome};
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::Level;
use crate::setting::NoAdvice;

pub(super) const COMMITS: &str = "commits_per_s";

/// A log as PostgreSQL writes it by default.
const LOG: &[Level<'static>] =
    &[("wal_mode", "buffered"), ("ioengine", "psync"), ("read_depth", "0"), ("filesystem", "host")];

/// Cells of such a log with these levels.
pub(super) fn log(held: &[Level<'static>]) -> Vec<Level<'static>> {
    LOG.iter().chain(held).copied().collect()
}

/// `open_datasync` opens the log with O_DSYNC: every write waits by itself. `fdatasync` is called once for all of a commit. Both
/// promise the same, as do `fsync` and `open_sync`, which sync more than recovery needs
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-SYNC-METHOD>).
pub(super) fn sync_method(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let held = log(&[("wal_layout", "prefilled"), ("committers", "1")]);
    let against = |sync: &'static str| {
        let arms = Arms {
            workload: "commit",
            held: &held,
            base: &[("sync", "fdatasync")],
            other: &[("sync", sync)],
            across_classes: false,
        };
        evidence.contrast(arms, COMMITS)
    };
    let open = against("dsync")?;
    let words = ("a write with RWF_DSYNC", "write and fdatasync");
    let mut draft = Proposal {
        loadable: true,
        statement: open.words(words.0, words.1),
        grounds: vec![open.ground.clone()],
        caveats: vec![
            "Measured with one write a commit. A commit of several writes waits for each of them under open_datasync, \
             and once under fdatasync."
                .to_owned(),
        ],
        ..Proposal::default()
    };
    match open.outcome {
        Outcome::Undecided => return Err(open.spans_the_boundary("open_datasync", "fdatasync")),
        Outcome::Better => {
            "open_datasync".clone_into(&mut draft.value);
            draft.effects.push(open.effect("fdatasync"));
        }
        Outcome::Worse | Outcome::Equal => {
            "fdatasync".clone_into(&mut draft.value);
            draft.effects.push(open.effect_of_base("open_datasync"));
            // Not every profile has it, and nothing depends on it.
            if let Ok(full) = against("fsync") {
                draft.effects.push(full.effect_of_base("fsync"));
            }
        }
    }
    Ok(draft)
}

/// A log that grows, or that was only allocated, against one whose blocks were written before.
fn layout(layout: &'static str) -> (Vec<Level<'static>>, [Level<'static>; 1], [Level<'static>; 1]) {
    (
        log(&[("sync", "fdatasync"), ("committers", "1")]),
        [("wal_layout", "prefilled")],
        [("wal_layout", layout)],
    )
}

fn against_prefilled(evidence: &Evidence<'_>, name: &'static str) -> Result<Comparison, NoAdvice> {
    let (held, base, other) = layout(name);
    let arms = Arms { workload: "commit", held: &held, base: &base, other: &other, across_classes: false };
    evidence.contrast(arms, COMMITS)
}

/// Off, a new log file is a hole but for its last byte, and its blocks are allocated while it is written. The manual has it for
/// copy-on-write file systems, which gain nothing from blocks that were written before
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-INIT-ZERO>).
pub(super) fn init_zero(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let growing = against_prefilled(evidence, "append")?;
    let mut draft = Proposal {
        loadable: true,
        grounds: vec![growing.ground.clone()],
        caveats: vec![
            "A file that wal_init_zero = off leaves sparse was not measured itself: its blocks are allocated as it is \
             written, as those of the growing log are."
                .to_owned(),
        ],
        ..Proposal::default()
    };
    match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary("a growing log", "a written one")),
        Outcome::Worse => {
            "on".clone_into(&mut draft.value);
            draft.statement = growing.words_of_base("a log written before", "a growing one");
            draft.effects.push(growing.effect_of_base("off"));
        }
        Outcome::Better | Outcome::Equal => {
            let allocated = against_prefilled(evidence, "fallocated")?;
            match allocated.outcome {
                Outcome::Undecided => {
                    return Err(allocated.spans_the_boundary("a log only allocated", "a written one"));
                }
                Outcome::Worse => {
                    return Err(NoAdvice::undecided(format!(
                        "the layouts do not agree: {}; {}",
                        growing.words("a growing log", "a written one"),
                        allocated.words("a log only allocated", "a written one")
                    )));
                }
                Outcome::Better | Outcome::Equal => {}
            }
            "off".clone_into(&mut draft.value);
            draft.statement = format!(
                "{}; {}: writing zeros first buys nothing here",
                growing.words("a growing log", "a written one"),
                allocated.words("a log only allocated", "a written one")
            );
            draft.caveats.push(NO_ROOM_KEPT.to_owned());
            draft.effects.push(growing.effect("on"));
            draft.grounds.push(allocated.ground);
        }
    }
    Ok(draft)
}

/// A failed write to the log is a PANIC (`src/backend/access/transam/xlog.c`, `XLogWrite`).
const NO_ROOM_KEPT: &str = "With wal_init_zero = off a new log file no longer takes its room when it is made, but while it is \
    written: where the disk is full then, the write fails and the server stops with a PANIC. Keep room free on the log's disk, \
    and an alert on it.";

/// On, an old log file is renamed and overwritten; off, it is removed and a new one made
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-RECYCLE>).
pub(super) fn recycle(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let growing = against_prefilled(evidence, "append")?;
    let mut caveats = vec![
        "A file that is not recycled grows only with wal_init_zero = off. With on it is written before as well: then the \
         difference is what filling it with zeros costs, which is not in this figure."
            .to_owned(),
    ];
    let (value, effect, grounds) = match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary("a growing log", "a log overwritten")),
        // Where zeros are still written first, every new file is a log written before, and paid for twice.
        Outcome::Better => {
            caveats.push(NO_ROOM_KEPT.to_owned());
            ("off", growing.effect("on"), init_zero(evidence)?.grounds)
        }
        Outcome::Worse | Outcome::Equal => {
            ("on", growing.effect_of_base("off"), vec![growing.ground.clone()])
        }
    };
    Ok(Proposal {
        value: value.to_owned(),
        loadable: true,
        statement: growing.words_of_base("a log overwritten", "a growing one"),
        effects: vec![effect],
        grounds,
        caveats,
        ..Proposal::default()
    })
}
