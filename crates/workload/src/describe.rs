//! The part of a description that all workloads share: the parameters that every trial has, and the formulas that need
//! both them and the workload's own part.

use model::description::{
    Counted, Direction, Duration, Flushes, Interleaving, Names, Rate, Room, Stream, SyncUnit,
};
use model::{
    Configuration, Definitions, Description, Handle, IoMode, Level, LevelError, Levels, TrialParameters,
};

/// A workload's own description, with what every trial's parameters add.
pub(crate) fn for_trial(
    definitions: &'static Definitions,
    configuration: &Configuration,
    own: Description,
) -> Result<Description, LevelError> {
    let trial = TrialParameters::of(&Levels::new(definitions.workload, configuration))?;
    let own_files_bytes = own.room.file_bytes().saturating_add(own.room.store_bytes);
    let counted_bytes = own_files_bytes.max(own.room.counted_bytes);
    Ok(Description {
        ranks: trial.ranks,
        filesystem: trial.filesystem,
        memory_cap_bytes: trial.memory_cap.map(|cap| cap.bytes(counted_bytes)),
        io_cap: trial.io_cap,
        // A limit lets through at once what it kept back, so slices of a turn would begin with a burst.
        turns: Interleaving { interleavable: own.turns.interleavable && trial.io_cap.is_none(), ..own.turns },
        room: Room { counted_bytes, sizes: owned(definitions.sizes), ..own.room },
        names: Names { placement: owned(definitions.placement), ..own.names },
        duration: Duration {
            idle_s: trial.cooldown.seconds(),
            age_s: trial.age.seconds(),
            moved_bytes: own.duration.moved_bytes.saturating_add(own_files_bytes),
            ..own.duration
        },
        ..own
    })
}

/// A parameter's name as a description keeps it.
pub(crate) fn named<T: Level>(parameter: &Handle<T>) -> String {
    parameter.name().to_owned()
}

/// Names as a description keeps them.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What an engine or a server reads or writes, which itself decides how much at a time.
pub(crate) fn stream_of_engine(direction: Direction, role: &str, mode: IoMode) -> Stream {
    Stream {
        direction,
        role: role.to_owned(),
        mode,
        is_random: None,
        block_bytes: None,
        share: None,
        in_flight_max: None,
        size_parameter: None,
        trial_bytes_max: None,
    }
}

/// What a database server reads, and writes if its clients change something.
pub(crate) fn streams_of_server(writes: bool) -> Vec<Stream> {
    let read = stream_of_engine(Direction::Read, "data", IoMode::Buffered);
    let written = writes.then(|| stream_of_engine(Direction::Write, "wal", IoMode::Buffered));
    std::iter::once(read).chain(written).collect()
}

/// Flushes of operations each of which is a commit: the metrics of their rate, of the flushes counted for one, and of
/// their latency.
pub(crate) fn flushes_of_commits(rate: &str, counted: &str, latency: &str) -> Flushes {
    Flushes {
        unit: SyncUnit::Commit,
        rates: vec![Rate::each(rate)],
        counted: Some(Counted { metric: counted.to_owned(), operations: 1 }),
        is_forced: false,
        if_declared: true,
        sync_latency: None,
        acknowledged_latency: Some(latency.to_owned()),
    }
}
