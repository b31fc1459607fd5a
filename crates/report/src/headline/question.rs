//! The editorial order: what a database administrator asks about a disk, the most frequent question first.

/// One question, and the part of a study that answers it.
pub(super) struct Question {
    /// In a few words; empty if the study's own question is used.
    pub(super) title: &'static str,
    pub(super) study: &'static str,
    pub(super) shown: Shown,
}

/// The kind of answer.
pub(super) enum Shown {
    /// A figure at the baseline, or at the configuration with the highest one.
    Figure { metric: &'static str, best: bool },
    /// The findings of an ask, by its kind and factor as in the study file.
    Ask(&'static str),
    /// The findings of the study's durability ladder.
    Ladder,
    /// The findings of the study's first ask.
    First,
}

impl Question {
    /// For a study that is not in the table, and for one that was run alone.
    pub(super) const OF_ITS_OWN: Self = Self { title: "", study: "", shown: Shown::First };
}

const fn ask(title: &'static str, study: &'static str, ask: &'static str) -> Question {
    Question { title, study, shown: Shown::Ask(ask) }
}

/// A study may answer several questions; its further findings are in its section.
pub(super) const TABLE: &[Question] = &[
    Question {
        title: "What does a durable commit cost?",
        study: "commit-modes",
        shown: Shown::Figure { metric: "commits_per_s", best: false },
    },
    ask("Which way to sync?", "commit-modes", "compare sync"),
    Question {
        title: "How many random reads, and how many at once?",
        study: "depth",
        shown: Shown::Figure { metric: "iops", best: true },
    },
    ask("Direct or buffered reads, when memory is short?", "memory", "crossover memory_cap"),
    Question {
        title: "What does surviving power loss cost an append?",
        study: "append",
        shown: Shown::Ladder,
    },
    ask("What does a random page cost against the next one?", "page-cost", "compare rw"),
    ask("How large must a buffer pool be?", "pool", "threshold headroom"),
    Question {
        title: "Which block size, hint and readers for a dataset?",
        study: "scan-grid",
        shown: Shown::Figure { metric: "bandwidth_bytes_per_s", best: true },
    },
    ask("Which block size for reading a dataset?", "scan", "compare block_size"),
    ask("Does it matter how the log's file was made?", "wal-layout", "compare wal_layout"),
    ask("Direct or buffered commits, beside reads?", "commit", "compare mode"),
    ask("Direct or buffered reads and writes?", "device", "compare mode"),
    ask("Which engine loads faster?", "kv", "compare arm"),
    ask("What is each decision of a store worth?", "store-knobs", "rank arm"),
];
