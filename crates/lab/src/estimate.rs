//! What a study will do to the disk and to memory, estimated from its plan before anything is done. Pure.

use crate::minimum::{Planned, arms_of_round, measured_share, planned};
use crate::space::{seat_of_files, seated, space_needed_bytes, total_bytes};
use model::description::{Direction, Stream};
use model::plan::StudyPlan;
use model::{Cache, Description, Layout};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a study will do. Metadata, journals, and what an engine rewrites by itself come on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Trials, warm-up rounds and the A/A arm included.
    pub trials: usize,
    /// Seconds that these trials are asked to last, at least. Starting workers, making files and waiting for a quiet
    /// device come on top, and so do trials that end by a count.
    pub measuring_s_min: f64,
    /// The same if nothing becomes steady before its time is up, and no count ends what has a time.
    pub measuring_s_max: f64,
    /// Trials of which only a count ends a part, which those seconds do not include.
    pub trials_counted: usize,
    /// Seconds within which everything ends, preparation included, as the profile's author states; `null` if nothing is
    /// stated.
    pub stated_s: Option<f64>,
    /// Room that its files and stores need below the directory, at most.
    pub room_bytes: u64,
    /// Bytes that are written to make its files.
    pub files_written_bytes: u64,
    /// Bytes that trials read by a count of operations, by passes over a dataset or to fill the page cache, at most: a
    /// trial that finds pages in memory reads less.
    pub counted_read_bytes: u64,
    /// Bytes that trials write by a count of operations, by a load or by preconditioning, at most.
    pub counted_written_bytes: u64,
    /// Bytes that processes write until they are killed, at most: the room that they have. A kill comes within 50 ms.
    pub killed_written_bytes: u64,
    /// Seconds in which trials read as fast as the disk lets them.
    pub timed_reading_s: f64,
    /// Seconds in which trials write as fast as the disk lets them.
    pub timed_writing_s: f64,
    /// Memory for the blocks in flight in one trial, at most.
    pub buffers_bytes: u64,
    /// Page cache that warm configurations fill, at most.
    pub page_cache_bytes: u64,
}

impl Estimate {
    /// What studies will do one after another. Files that two of them share count for each, as a study makes its own.
    #[must_use]
    pub fn then(self, next: &Self) -> Self {
        let stated_s = self.stated_s.zip(next.stated_s).map(|(before, after)| before + after);
        Self {
            trials: self.trials.saturating_add(next.trials),
            measuring_s_min: self.measuring_s_min + next.measuring_s_min,
            measuring_s_max: self.measuring_s_max + next.measuring_s_max,
            trials_counted: self.trials_counted.saturating_add(next.trials_counted),
            stated_s,
            room_bytes: self.room_bytes.saturating_add(next.room_bytes),
            files_written_bytes: self.files_written_bytes.saturating_add(next.files_written_bytes),
            counted_read_bytes: self.counted_read_bytes.saturating_add(next.counted_read_bytes),
            counted_written_bytes: self.counted_written_bytes.saturating_add(next.counted_written_bytes),
            killed_written_bytes: self.killed_written_bytes.saturating_add(next.killed_written_bytes),
            timed_reading_s: self.timed_reading_s + next.timed_reading_s,
            timed_writing_s: self.timed_writing_s + next.timed_writing_s,
            buffers_bytes: self.buffers_bytes.max(next.buffers_bytes),
            page_cache_bytes: self.page_cache_bytes.max(next.page_cache_bytes),
        }
    }
}

/// What this study will do.
pub fn estimate(study: &StudyPlan) -> Estimate {
    let rounds = study.warmup_rounds.saturating_add(study.rounds);
    let Planned { trials, trials_counted, seconds_min, seconds_max, seconds_stated } = planned(study);
    let mut estimate = Estimate {
        trials,
        measuring_s_min: seconds_min,
        measuring_s_max: seconds_max,
        trials_counted,
        stated_s: seconds_stated,
        room_bytes: total_bytes(&space_needed_bytes(std::slice::from_ref(study))),
        files_written_bytes: files_written_bytes(study, rounds),
        ..Estimate::default()
    };
    for arm in arms_of_round(study) {
        let Some(description) = study.description(arm) else { continue };
        estimate.add(description, rounds, measured_share(study, arm));
    }
    estimate
}

impl Estimate {
    /// The trials of one configuration: one in each round. It moves bytes outside the share of its time that is
    /// measured, too.
    fn add(&mut self, description: &Description, rounds: u32, measured_share: f64) {
        let trials = u64::from(rounds);
        let duration = &description.duration;
        let timed_s = duration.timed_s() / measured_share + duration.unmeasured_max_s();
        for stream in &description.streams {
            let counted = counted_bytes(description, stream).saturating_mul(trials);
            let timed_s = if duration.operations > 0 { 0.0 } else { timed_s * f64::from(rounds) };
            match stream.direction {
                Direction::Read => {
                    self.counted_read_bytes = self.counted_read_bytes.saturating_add(counted);
                    self.timed_reading_s += timed_s;
                }
                Direction::Write => {
                    self.counted_written_bytes = self.counted_written_bytes.saturating_add(counted);
                    self.timed_writing_s += timed_s;
                }
            }
        }
        let (read, written) = passes_bytes(description);
        let cached = match description.cache {
            Cache::Warm => description.data_bytes.unwrap_or_else(|| description.room.file_bytes()),
            Cache::Cold | Cache::AsIs => 0,
        };
        let read = read.saturating_add(cached).saturating_mul(trials);
        self.counted_read_bytes = self.counted_read_bytes.saturating_add(read);
        let written = written.saturating_add(loaded_bytes(description)).saturating_mul(trials);
        self.counted_written_bytes = self.counted_written_bytes.saturating_add(written);
        let killed = description.room.killed_bytes.saturating_mul(trials);
        self.killed_written_bytes = self.killed_written_bytes.saturating_add(killed);
        self.buffers_bytes = self.buffers_bytes.max(buffers_bytes(description));
        self.page_cache_bytes = self.page_cache_bytes.max(cached);
    }
}

/// Bytes that one trial reads and writes in whole passes. A trial that neither time nor a count ends reads a dataset;
/// any other overwrites its file before it is measured. What is moved includes the trial's own files once.
fn passes_bytes(description: &Description) -> (u64, u64) {
    let duration = &description.duration;
    let own = description.room.file_bytes().saturating_add(description.room.store_bytes);
    let moved = duration.moved_bytes.saturating_sub(own);
    if duration.operations == 0 && duration.phase_s == 0.0 { (moved, 0) } else { (0, moved) }
}

/// The blocks that are in flight, at most; those of an engine are its own.
fn buffers_bytes(description: &Description) -> u64 {
    let blocks = description.streams.iter().filter_map(|stream| {
        let in_flight = stream.in_flight_max.unwrap_or(description.in_flight_max);
        Some(stream.block_bytes?.saturating_mul(in_flight))
    });
    blocks.fold(0, u64::saturating_add)
}

/// Bytes that an engine or a server is given, unless they are among those of the stream.
fn loaded_bytes(description: &Description) -> u64 {
    let is_in_stream =
        |stream: &Stream| stream.direction == Direction::Write && stream.trial_bytes_max.is_some();
    if description.streams.iter().any(is_in_stream) { 0 } else { description.room.store_bytes }
}

/// Bytes that one trial moves by a count of operations: each operation of one kind brings its share of the other kind.
fn counted_bytes(description: &Description, stream: &Stream) -> u64 {
    if let Some(bytes) = stream.trial_bytes_max {
        return bytes;
    }
    let operations = description.duration.operations;
    let brought = match (&description.ratio, stream.direction) {
        (Some(ratio), Direction::Read) => ratio.level,
        (Some(_), Direction::Write) | (None, _) => 1,
    };
    let all = operations.saturating_mul(brought).saturating_mul(stream.block_bytes.unwrap_or(0));
    stream.share.map_or(all, |share| (all as f64 * share) as u64)
}

/// Files are written once and shared, or once in each round if their placement is under study. Only a prefilled file is
/// written.
fn files_written_bytes(study: &StudyPlan, rounds: u32) -> u64 {
    let mut written: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    for (arm, seat) in seated(study) {
        let Some(description) = study.description(arm.configuration) else { continue };
        for files in description.room.files.iter().filter(|files| files.layout == Layout::Prefilled) {
            written.insert((seat_of_files(description, files, seat), &files.name), files.bytes());
        }
        for folder in &description.room.folders {
            written.insert((seat.unwrap_or(0), &folder.name), folder.bytes);
        }
    }
    let times = if study.fresh_placement { u64::from(rounds) } else { 1 };
    written.into_values().fold(0, u64::saturating_add).saturating_mul(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::description::{Duration, FileSet, OperationRatio, Room};
    use model::{Configuration, IoMode};

    fn stream(direction: Direction, block_bytes: u64) -> Stream {
        Stream {
            direction,
            role: "data".to_owned(),
            mode: IoMode::Direct,
            is_random: None,
            block_bytes: Some(block_bytes),
            share: None,
            size_parameter: None,
            trial_bytes_max: None,
            in_flight_max: Some(block_bytes / 256),
        }
    }

    fn files(name: &str, layout: Layout, size_bytes: u64) -> FileSet {
        FileSet { name: name.to_owned(), role: "data".to_owned(), layout, size_bytes, count: 2 }
    }

    fn described() -> Description {
        Description {
            streams: vec![stream(Direction::Write, 4096), stream(Direction::Read, 8192)],
            ..Description::default()
        }
    }

    #[test]
    fn what_ends_by_a_count_moves_bytes_and_what_ends_by_time_takes_time() {
        let ratio =
            OperationRatio { parameter: String::new(), level: 3, realised: String::new(), is_held: true };
        let counted = Description {
            duration: Duration { operations: 10, phase_s: 5.0, phases: 1, ..Duration::default() },
            ratio: Some(ratio),
            ..described()
        };
        let mut estimate = Estimate::default();
        estimate.add(&counted, 2, 1.0);
        assert_eq!((estimate.counted_written_bytes, estimate.counted_read_bytes), (81_920, 3 * 163_840));
        assert_eq!((estimate.timed_writing_s, estimate.timed_reading_s), (0.0, 0.0));
        assert_eq!(estimate.buffers_bytes, 16 * 4096 + 32 * 8192);

        let timed = Description {
            duration: Duration { phase_s: 5.0, phases: 2, ramp_s: 1.0, ..Duration::default() },
            streams: vec![stream(Direction::Read, 4096)],
            cache: Cache::Warm,
            data_bytes: Some(1 << 30),
            ..described()
        };
        let mut estimate = Estimate::default();
        estimate.add(&timed, 3, 1.0);
        assert_eq!((estimate.timed_reading_s, estimate.timed_writing_s), (33.0, 0.0));
        assert_eq!((estimate.counted_read_bytes, estimate.page_cache_bytes), (3 << 30, 1 << 30));

        let mut estimate = Estimate::default();
        let told = |direction, bytes| Stream { trial_bytes_max: Some(bytes), ..stream(direction, 4096) };
        let streams = vec![told(Direction::Write, 5000), told(Direction::Read, 300)];
        let room = Room { store_bytes: 70, killed_bytes: 9, ..Room::default() };
        estimate.add(&Description { streams, room, ..counted }, 2, 1.0);
        assert_eq!((estimate.counted_written_bytes, estimate.counted_read_bytes), (10_000, 600));
        assert_eq!(estimate.killed_written_bytes, 18);

        let passes = Description {
            duration: Duration { moved_bytes: 700, ..Duration::default() },
            room: Room { files: vec![files("a", Layout::Prefilled, 50)], ..Room::default() },
            ..Description::default()
        };
        assert_eq!(passes_bytes(&passes), (600, 0));
        let duration = Duration { phase_s: 1.0, ..passes.duration };
        assert_eq!(passes_bytes(&Description { duration, ..passes }), (0, 600));
    }

    /// Configurations that name the same file share it, and what is only allocated is not written.
    #[test]
    fn a_shared_file_is_written_once_or_once_a_round() {
        let with = |files: Vec<FileSet>| Description {
            room: Room { files, ..Room::default() },
            ..Description::default()
        };
        let mut study = StudyPlan {
            descriptions: vec![
                with(vec![files("a", Layout::Prefilled, 100)]),
                with(vec![files("a", Layout::Prefilled, 100), files("b", Layout::Fallocated, 7)]),
            ],
            rounds: 6,
            warmup_rounds: 1,
            name: "one".to_owned(),
            configurations: vec![Configuration::default(); 2],
            ..StudyPlan::default()
        };
        assert_eq!(files_written_bytes(&study, 7), 200);
        study.fresh_placement = true;
        assert_eq!(files_written_bytes(&study, 7), 1400);
    }
}
