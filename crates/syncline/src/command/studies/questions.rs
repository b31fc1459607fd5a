//! The questions that the built-in studies answer together: the list of studies. The first study of a question is the
//! one to begin with.

/// A question of users, and the studies about it.
pub(super) struct Question {
    pub(super) title: &'static str,
    pub(super) studies: &'static [&'static str],
}

/// Every built-in study is below one of them.
pub(super) const QUESTIONS: &[Question] = &[
    Question {
        title: "What does a durable commit cost, and which sync method and log layout make it cheap?",
        studies: &["commit-modes", "commit", "wal-sync", "wal-layout", "committers"],
    },
    Question {
        title: "What does the disk deliver, with and without the page cache?",
        studies: &["device", "depth", "memory", "blocksize", "matrix", "buffer-memory", "device-model"],
    },
    Question {
        title: "Which file system, with which options, suits a database's log and pages?",
        studies: &["file-systems"],
    },
    Question {
        title: "What does it cost if an entry must survive a killed process, or a power loss?",
        studies: &["append"],
    },
    Question {
        title: "How large must a buffer pool be, and what does a page cost to read and to write?",
        studies: &["pool", "page-cost", "page-cost-postgres", "page-write-postgres", "temp-buffers"],
    },
    Question {
        title: "What does a commit of a database server cost, and what does a setting change there?",
        studies: &["postgresql-settings", "postgresql-reads", "server-commits"],
    },
    Question {
        title: "What does an engine cost to load, drain and read, and when does direct I/O pay?",
        studies: &["kv", "kv-modes", "ycsb", "db-bench", "rocksdb-settings"],
    },
    Question { title: "What is each I/O decision of an LSM tree worth?", studies: &["store-knobs"] },
    Question {
        title: "How should a data loader read files or objects?",
        studies: &["scan-grid", "scan", "scan-blocks", "scan-hints", "scan-concurrency", "scan-buffers"],
    },
    Question {
        title: "Does the disk keep accelerators busy, and how long do checkpoints take?",
        studies: &["loader-files", "loader-shards", "checkpoint"],
    },
    Question {
        title: "What do operations on objects cost, on files and on S3?",
        studies: &[
            "object-mix",
            "object-sizes",
            "multipart",
            "small-objects",
            "object-replay",
            "file-operations",
        ],
    },
];

/// The question that a study is about; empty for one that is not built in.
pub(super) fn title_of(study: &str) -> &'static str {
    QUESTIONS.iter().find(|question| question.studies.contains(&study)).map_or("", |question| question.title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;

    #[test]
    fn every_built_in_study_is_below_one_question() {
        let mut listed: Vec<&str> = QUESTIONS.iter().flat_map(|question| question.studies).copied().collect();
        listed.sort_unstable();
        let all = studies::all().unwrap();
        assert_eq!(listed, all.iter().map(|study| study.name.as_str()).collect::<Vec<_>>());
    }
}
