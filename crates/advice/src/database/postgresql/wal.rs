//! The log: how a commit waits for it, and how its files are laid out.
//!
//! PostgreSQL writes its log with plain calls through the page cache, whatever its data files use. The rules therefore
//! use the cells of a study that do the same, without reads beside them.

use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, log};
use crate::log::{Log, OVERWRITTEN_LOG};
use crate::no_advice::{NoAdvice, Why};
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{Layout, LoadPart};
use workload::commit::{GroupWrite, PARAMETERS as COMMIT, Sync};

pub(super) const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "wal_sync_method",
            ValueKind::Name,
            DefaultValue::Always("fdatasync"),
            TakesEffect::Reload,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-SYNC-METHOD",
        )
        .acting_on(&[LoadPart::LogSyncs])
        .trying(&["open_datasync"])
        .provable(),
        source: Some(Source::study("wal-sync", 1)),
        comparisons: 3,
        decide: Decide::Study(sync_method),
    },
    Rule {
        facts: Facts::new(
            "wal_init_zero",
            ValueKind::Flag,
            DefaultValue::Always("on"),
            TakesEffect::SuperuserSession,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-INIT-ZERO",
        )
        .acting_on(&[LoadPart::LogWrites])
        .risks(&["off keeps no room for the log: on a full disk the server stops with a PANIC"])
        .trying(&["off"])
        .provable(),
        source: Some(Source::study("wal-layout", 1)),
        comparisons: 2,
        decide: Decide::Study(init_zero),
    },
    // It needs no share of its own: wal_init_zero compares the same logs.
    Rule {
        facts: Facts::new(
            "wal_recycle",
            ValueKind::Flag,
            DefaultValue::Always("on"),
            TakesEffect::SuperuserSession,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-RECYCLE",
        )
        .acting_on(&[LoadPart::LogWrites])
        .risks(&["off creates a new file for each segment, and keeps no room for the log unless wal_init_zero is on"])
        .trying(&["off"])
        .provable(),
        source: Some(Source::study("wal-layout", 1)),
        comparisons: 0,
        decide: Decide::Study(recycle),
    },
];

/// The condition of a comparison.
const ONE_WRITE: &str = "one write a commit";

/// A note on `wal_sync_method`.
pub(crate) const ONE_WRITE_A_COMMIT: Caveat = Caveat::Note(
    "Measured with one write a commit. A commit of several writes waits for each of them under open_datasync, \
    and once under fdatasync.",
);

pub(super) const COMMITS: &str = "commits_per_s";

/// `open_datasync` opens the log with O_DSYNC: every write waits by itself. `fdatasync` is called once for all writes
/// of a commit. Both guarantee the same, as do `fsync` and `open_sync`, which sync more than recovery needs
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-SYNC-METHOD>).
pub(super) fn sync_method(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let against = |sync: Sync, writes: &[Level]| {
        let held =
            [&log(&[COMMIT.wal_layout.at(Layout::Prefilled), COMMIT.committers.at(1)]), writes].concat();
        let arms = Arms {
            workload: "commit",
            held: &held,
            base: &[COMMIT.sync.at(Sync::Fdatasync)],
            other: &[COMMIT.sync.at(sync)],
            across_classes: false,
        };
        evidence.contrast(arms, COMMITS)
    };
    let several =
        match against(Sync::Dsync, &[COMMIT.group_size.at(4), COMMIT.group_write.at(GroupWrite::Each)]) {
            Ok(several) => Some(several),
            Err(none) if none.why == Why::NotMeasured => None,
            Err(none) => return Err(none),
        };
    // A study without several writes has one for each commit, however many records there are.
    let one: Vec<Level> = several.iter().map(|_| COMMIT.group_size.at(1)).collect();
    let open = against(Sync::Dsync, &one)?;
    let mut effects = vec![open.effect("open_datasync", "fdatasync").under(ONE_WRITE)];
    let mut pairs = vec![open.pair("a write with RWF_DSYNC", "write and fdatasync")];
    let mut grounds = vec![open.ground];
    let mut caveats = Vec::new();
    match several {
        Some(several) => {
            effects.push(several.effect("open_datasync", "fdatasync").under("four writes a commit"));
            pairs.push(several.pair("4 writes with RWF_DSYNC", "4 writes and fdatasync"));
            grounds.push(several.ground);
        }
        None => caveats.push(ONE_WRITE_A_COMMIT),
    }
    // Not every profile measures fsync, and no decision between the other two depends on it.
    effects.extend(
        against(Sync::Fsync, &one).ok().map(|full| full.effect("fsync", "fdatasync").under(ONE_WRITE)),
    );
    Ok(Weighed {
        effects,
        needs: open.needs,
        grounds,
        caveats,
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// A log that grows, or that was only allocated, compared with one whose blocks were written before.
fn against_prefilled(evidence: &Evidence<'_>, layout: Layout) -> Result<Comparison, NoAdvice> {
    let arms = Arms {
        workload: "commit",
        held: &log(&[COMMIT.sync.at(Sync::Fdatasync), COMMIT.committers.at(1)]),
        base: &[COMMIT.wal_layout.at(Layout::Prefilled)],
        other: &[COMMIT.wal_layout.at(layout)],
        across_classes: false,
    };
    evidence.contrast(arms, COMMITS)
}

/// With off, a new log file is a hole except for its last byte, and its blocks are allocated while it is written. The
/// manual recommends it for copy-on-write file systems, which gain nothing from blocks that were written before
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-INIT-ZERO>). Both a growing log and one that is
/// only allocated stand for such a file, so off has to be better by one and not worse by the other.
pub(super) fn init_zero(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let growing = against_prefilled(evidence, Layout::Append)?;
    let allocated = match against_prefilled(evidence, Layout::Fallocated) {
        Ok(found) => Some(found),
        Err(none) if none.why == Why::NotMeasured => None,
        Err(none) => return Err(none),
    };
    let mut pairs = vec![growing.pair(Log::Growing.arm(), Log::Written.arm())];
    let mut effects = vec![growing.effect("off", "on").under("a log that grows stands for off")];
    let (needs, mut grounds) = (growing.needs, vec![growing.ground]);
    if let Some(allocated) = allocated {
        pairs.push(allocated.pair(Log::Allocated.arm(), Log::Written.arm()));
        effects.push(allocated.effect("off", "on").under("a log that is only allocated stands for off"));
        grounds.push(allocated.ground);
    }
    let sparse = Caveat::Note(
        "The sparse file of wal_init_zero = off was not measured itself: its blocks are allocated while it is \
         written, like those of the growing log.",
    );
    Ok(Weighed {
        effects,
        needs,
        grounds,
        caveats: vec![sparse, NO_ROOM_KEPT],
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// A failed write to the log is a PANIC (`src/backend/access/transam/xlog.c`, `XLogWrite`).
pub(crate) const NO_ROOM_KEPT: Caveat = Caveat::Note(
    "With wal_init_zero = off PostgreSQL allocates the space of a new log file only while it writes the file: \
     if the disk is full then, the write fails and the server stops with a PANIC. Keep space free on the \
     log's disk, and set an alert on it.",
);

/// With on, an old log file is renamed and overwritten; with off, it is removed and a new one is created
/// (<https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-RECYCLE>).
pub(super) fn recycle(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let growing = against_prefilled(evidence, Layout::Append)?;
    let statement = Statement::of_pair(growing.pair_of_base(OVERWRITTEN_LOG, Log::Growing.arm()));
    let mut weighed = Weighed {
        needs: growing.needs,
        grounds: vec![growing.ground],
        caveats: vec![Caveat::Note(
            "A new file grows only with wal_init_zero = off. With on PostgreSQL fills it with zeros first; then \
             the difference is the cost of the zeros, which is not in this figure.",
        )],
        ..Weighed::new(Choose::Compared, statement)
    };
    // If zeros are still written first, every new file is written before it is used, and each block is written twice.
    // So off also has to be no worse where the file is only allocated, as for wal_init_zero.
    let zeros = init_zero(evidence)?;
    weighed.effects = zeros.effects;
    weighed.grounds = zeros.grounds;
    weighed.caveats.push(NO_ROOM_KEPT);
    Ok(weighed)
}
