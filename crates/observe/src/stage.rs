//! Words for what a stretch of an operation's time was spent on.

use trace::waterfall::Stage;

/// All stages, in the order in which an operation passes them.
pub(crate) const STAGES: [Stage; 12] = [
    Stage::Program,
    Stage::FileSystem,
    Stage::Queue,
    Stage::Device,
    Stage::FlushBehindFlush,
    Stage::FlushHandOver,
    Stage::Flush,
    Stage::Completion,
    Stage::RunQueue,
    Stage::Worker,
    Stage::Return,
    Stage::Unknown,
];

/// Its name in JSON.
pub(crate) const fn key(stage: Stage) -> &'static str {
    match stage {
        Stage::Program => "program",
        Stage::FileSystem => "file_system",
        Stage::Queue => "queue",
        Stage::Device => "device",
        Stage::FlushBehindFlush => "flush_behind_flush",
        Stage::FlushHandOver => "flush_hand_over",
        Stage::Flush => "flush",
        Stage::Completion => "completion",
        Stage::RunQueue => "run_queue",
        Stage::Worker => "worker",
        Stage::Return => "return",
        Stage::Unknown => "unknown",
    }
}

/// Whether a stage is the device's own.
pub(crate) fn is_device(key: &str) -> bool {
    [Stage::Device, Stage::Flush, Stage::FlushBehindFlush].into_iter().any(|stage| self::key(stage) == key)
}

/// As a reader has it.
pub(crate) fn words(key: &str) -> &'static str {
    match STAGES.into_iter().find(|stage| self::key(*stage) == key) {
        Some(Stage::Program) => "the program itself",
        Some(Stage::FileSystem) => "running in the file system",
        Some(Stage::Queue) => "queue before the device",
        Some(Stage::Device) => "device: transfer",
        Some(Stage::FlushBehindFlush) => "behind another flush",
        Some(Stage::FlushHandOver) => "hand-over of the flush",
        Some(Stage::Flush) => "device: flush",
        Some(Stage::Completion) => "completion",
        Some(Stage::RunQueue) => "waiting for a CPU",
        Some(Stage::Worker) => "another thread's work",
        Some(Stage::Return) => "way back",
        Some(Stage::Unknown) | None => "not seen",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_words_of_its_own() {
        let words: std::collections::BTreeSet<&str> =
            STAGES.into_iter().map(|stage| words(key(stage))).collect();
        assert_eq!(words.len(), STAGES.len());
    }
}
