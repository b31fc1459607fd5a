//! The log: how a commit waits for it, and how its files are laid out.
//!
//! PostgreSQL writes its log with plain calls through the page cache, whatever its data files use. The rules therefore use
//! the cells of a study that do the same, without reads beside them.

use crate::cause::{About, Cause};
use crate::caveat::Caveat;
use crate::comparison::{Comparison, Outcome};
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::Level;
use crate::setting::NoAdvice;
use crate::statement::{Arm, Follows, Log, Statement};

/// A note on `wal_sync_method`.
pub(crate) const ONE_WRITE_A_COMMIT: Caveat = Caveat::Note(
    "Measured with one write a commit. A commit of several writes waits for each of them under open_datasync, \
    and once under fdatasync.",
);

pub(super) const COMMITS: &str = "commits_per_s";

/// A log written in PostgreSQL's default way.
const LOG: &[Level<'static>] =
    &[("wal_mode", "buffered"), ("ioengine", "psync"), ("read_depth", "0"), ("filesystem", "host")];

/// The levels of such a log together with these levels.
pub(super) fn log(held: &[Level<'static>]) -> Vec<Level<'static>> {
    LOG.iter().chain(held).copied().collect()
}

/// `open_datasync` opens the log with O_DSYNC: every write waits by itself. `fdatasync` is called once for all writes of a
/// commit. Both guarantee the same, as do `fsync` and `open_sync`, which sync more than recovery needs
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
    let (mut effects, value) = (
        Vec::new(),
        match open.outcome {
            Outcome::Undecided => {
                return Err(open.spans_the_boundary(Arm::WriteDsync, Arm::WriteAndFdatasync));
            }
            Outcome::Better => "open_datasync",
            Outcome::Worse | Outcome::Equal => "fdatasync",
        },
    );
    if value == "open_datasync" {
        effects.push(open.effect("fdatasync"));
    } else {
        effects.push(open.effect_of_base("open_datasync"));
        // Not every profile measures fsync, and no decision depends on it.
        effects.extend(against("fsync").ok().map(|full| full.effect_of_base("fsync")));
    }
    Ok(Proposal {
        effects,
        grounds: vec![open.ground.clone()],
        caveats: vec![ONE_WRITE_A_COMMIT],
        ..Proposal::new(value, Statement::of_pair(open.pair(Arm::WriteDsync, Arm::WriteAndFdatasync)))
    })
}

/// A log that grows, or that was only allocated, compared with one whose blocks were written before.
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

/// With off, a new log file is a hole except for its last byte, and its blocks are allocated while it is written. The
/// manual recommends it for copy-on-write file systems, which gain nothing from blocks that were written before
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-INIT-ZERO>).
pub(super) fn init_zero(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let growing = against_prefilled(evidence, "append")?;
    let (grows, allocates, written) =
        (Arm::Log(Log::Growing), Arm::Log(Log::Allocated), Arm::Log(Log::Written));
    let sparse = Caveat::Note(
        "The sparse file of wal_init_zero = off was not measured itself: its blocks are allocated while it is \
         written, like those of the growing log.",
    );
    match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary(grows, written)),
        Outcome::Worse => {
            return Ok(Proposal {
                effects: vec![growing.effect_of_base("off")],
                grounds: vec![growing.ground.clone()],
                caveats: vec![sparse],
                ..Proposal::new("on", Statement::of_pair(growing.pair_of_base(written, grows)))
            });
        }
        Outcome::Better | Outcome::Equal => {}
    }
    let allocated = against_prefilled(evidence, "fallocated")?;
    let pairs =
        vec![growing.pair(grows, written.clone()), allocated.pair(allocates.clone(), written.clone())];
    match allocated.outcome {
        Outcome::Undecided => Err(allocated.spans_the_boundary(allocates, written)),
        Outcome::Worse => Err(NoAdvice::undecided(Cause::Disagree { pairs, about: About::Layouts })),
        Outcome::Better | Outcome::Equal => Ok(Proposal {
            effects: vec![growing.effect("on")],
            grounds: vec![growing.ground, allocated.ground],
            caveats: vec![sparse, NO_ROOM_KEPT],
            ..Proposal::new("off", Statement::with(pairs, Follows::ZerosGainNothing))
        }),
    }
}

/// A failed write to the log is a PANIC (`src/backend/access/transam/xlog.c`, `XLogWrite`).
pub(crate) const NO_ROOM_KEPT: Caveat = Caveat::Note(
    "With wal_init_zero = off PostgreSQL allocates the space of a new log file only while it writes the file: \
     if the disk is full then, the write fails and the server stops with a PANIC. Keep space free on the \
     log's disk, and set an alert on it.",
);

/// With on, an old log file is renamed and overwritten; with off, it is removed and a new one is created
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-RECYCLE>).
pub(super) fn recycle(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let growing = against_prefilled(evidence, "append")?;
    let (grows, overwrites) = (Arm::Log(Log::Growing), Arm::OverwrittenLog);
    let mut caveats = vec![Caveat::Note(
        "A new file grows only with wal_init_zero = off. With on PostgreSQL fills it with zeros first; then \
         the difference is the cost of the zeros, which is not in this figure.",
    )];
    let (value, effect, grounds) = match growing.outcome {
        Outcome::Undecided => return Err(growing.spans_the_boundary(grows, overwrites)),
        // If zeros are still written first, every new file is written before it is used, and each block is written twice.
        Outcome::Better => {
            caveats.push(NO_ROOM_KEPT);
            ("off", growing.effect("on"), init_zero(evidence)?.grounds)
        }
        Outcome::Worse | Outcome::Equal => {
            ("on", growing.effect_of_base("off"), vec![growing.ground.clone()])
        }
    };
    Ok(Proposal {
        effects: vec![effect],
        grounds,
        caveats,
        ..Proposal::new(value, Statement::of_pair(growing.pair_of_base(overwrites, grows)))
    })
}
