//! The questions, and the published limits between their grades.

use crate::device::{DeviceKind, devices};
use model::metric::{self, Better};
use serde::Serialize;

/// The share of a drive's published figure that counts as good: a data sheet or a review has the figure of an empty
/// drive at its best.
const OF_A_DRIVE: f64 = 0.5;

/// A grade, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A database does not notice the disk.
    Good,
    /// Enough for a light load.
    Fair,
    /// Less than the least that is recommended.
    Poor,
}

/// What is asked of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// How many commits a second, one after another, each synced before the next.
    DurableCommits,
    /// How long the slowest commit of a hundred takes.
    CommitP99,
    /// Whether flushes reach the device.
    Flushes,
    /// How many random reads of 4 KiB a second.
    RandomReads,
}

/// What a question is rated by.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// By limits of its metric.
    Limits(Limits),
    /// Whether every acknowledged sync had its flush, or the device needs none. The kernel's own rule: a device with a
    /// volatile cache has nothing on stable media before a flush
    /// (<https://docs.kernel.org/block/writeback_cache_control.html>). There is no fair: data is safe or it is not.
    Flushed,
}

/// The limits between grades, in the metric's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Which side of a limit is better.
    pub better: Better,
    /// As good as this, or better, is good.
    pub good: f64,
    /// As good as this, or better, is fair; everything else is poor.
    pub fair: f64,
    /// The publication of both.
    pub source: Source,
}

/// A publication with limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// etcd's hardware guide, "Disks": 50 sequential writes per second are required, and 500 are recommended for a
    /// heavy load (<https://etcd.io/docs/v3.5/op-guide/hardware/#disks>). Each is a commit: etcd appends to its log and
    /// syncs.
    EtcdHardware,
    /// etcd's questions and answers: the 99th percentile of a log sync should be below 10 ms, and of a backend commit,
    /// which writes and syncs pages, below 25 ms (<https://etcd.io/docs/v3.5/faq/>). A commit here is a write and its
    /// sync together.
    EtcdQuestions,
    /// The devices in `devices.toml`, each with its own source. Good is at least half of what the slowest drive there
    /// is published with, fair at least the slowest volume of a provider.
    Devices,
}

impl Question {
    /// Every question, in the order in which they are shown.
    pub const ALL: &'static [Self] =
        &[Self::DurableCommits, Self::CommitP99, Self::Flushes, Self::RandomReads];

    /// Full name of the metric that answers it.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::DurableCommits => "commits_per_s",
            Self::CommitP99 => "commit_latency_p99_us",
            Self::Flushes => "device_flushes_per_commit",
            Self::RandomReads => "iops",
        }
    }

    /// The figures that its grade needs; what these require, the grade requires. Whether flushes were sent for every
    /// acknowledged commit is no more certain than either the commits or the device's count, which has other programs'
    /// flushes.
    pub const fn figures(self) -> &'static [&'static str] {
        match self {
            Self::DurableCommits => &["commits_per_s"],
            Self::CommitP99 => &["commit_latency_p99_us"],
            Self::Flushes => &["device_flushes_per_commit", "commits_per_s"],
            Self::RandomReads => &["iops"],
        }
    }

    /// The audits whose outcome is the grade, and which are therefore no conditions of it.
    pub const fn decided_by(self) -> &'static [&'static str] {
        match self {
            Self::Flushes => &["volatile-cache", "sync-too-fast"],
            Self::DurableCommits | Self::CommitP99 | Self::RandomReads => &[],
        }
    }

    /// What it is rated by: the one table of limits.
    pub fn reference(self) -> Reference {
        let (good, fair, source) = match self {
            Self::DurableCommits => (500.0, 50.0, Source::EtcdHardware),
            Self::CommitP99 => (10_000.0, 25_000.0, Source::EtcdQuestions),
            Self::Flushes => return Reference::Flushed,
            Self::RandomReads => {
                let slowest = |kind| {
                    let of_kind = devices().into_iter().filter(move |device| device.kind == kind);
                    of_kind.map(|device| device.random_reads_per_s).fold(f64::INFINITY, f64::min)
                };
                (OF_A_DRIVE * slowest(DeviceKind::Drive), slowest(DeviceKind::Volume), Source::Devices)
            }
        };
        let better = metric::find(self.metric()).map_or(Better::Neither, |metric| metric.family.better);
        Reference::Limits(Limits { better, good, fair, source })
    }
}

impl Limits {
    /// The grade of a figure.
    pub fn grade(&self, figure: f64) -> Grade {
        let keeps = |limit: f64| match self.better {
            Better::Higher => figure >= limit,
            Better::Lower | Better::Neither => figure <= limit,
        };
        if keeps(self.good) {
            Grade::Good
        } else if keeps(self.fair) {
            Grade::Fair
        } else {
            Grade::Poor
        }
    }
}
