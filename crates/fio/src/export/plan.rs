//! A configuration as its workload reads it.

use model::buffer::BUFFER_PAGES;
use model::{BufferPages, Configuration, Description, IoMode, LevelError, Levels, TrialParameters};
use workload::IoEngine;
use workload::device::{Parameters, SCHEMA};
use workload::older_plan::completed;

/// What a configuration does, as its workload reads it.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) own: Parameters,
    pub(super) trial: TrialParameters,
    pub(super) description: Description,
    /// `None` in a configuration of before the parameter.
    pub(super) buffer_pages: Option<BufferPages>,
    pub(super) file: String,
}

impl Plan {
    /// Reads a configuration; parameters that are newer than it are at their defaults.
    pub(super) fn read(name: &str, configuration: &Configuration) -> Result<Self, LevelError> {
        let complete = completed(&SCHEMA, configuration);
        let own = Parameters::read(&complete)?;
        Ok(Self {
            buffer_pages: configuration.get(BUFFER_PAGES).map(|_| own.buffer_pages),
            own,
            trial: TrialParameters::of(&Levels::new(SCHEMA.workload(), &complete))?,
            description: (SCHEMA.describe)(&complete)?,
            file: format!("syncline-{}.data", section_name(name)),
        })
    }

    pub(super) fn random(&self) -> bool {
        self.own.rw.is_random()
    }

    pub(super) fn mixed(&self) -> bool {
        self.own.rw.is_mix()
    }

    /// Whether a ring submits: memory is read and written without one.
    pub(super) fn uring(&self) -> bool {
        self.own.mode != IoMode::Mmap && self.own.ioengine == IoEngine::Uring
    }

    pub(super) fn jobs(&self) -> u64 {
        u64::from(self.own.numjobs)
    }

    pub(super) fn block_bytes(&self) -> u64 {
        u64::from(self.own.bs)
    }

    /// Bytes of one job: jobs in order have a slice each, of whole blocks.
    pub(super) fn slice_bytes(&self) -> u64 {
        let (size, jobs) = (self.own.size, self.jobs());
        if self.random() || self.own.whole_file || jobs == 1 {
            size
        } else {
            size / self.block_bytes() / jobs * self.block_bytes()
        }
    }
}

/// A name that fio takes as a section and as part of a file name: no brackets, blanks, `:`, `;`, `#`, `$`, and not one
/// that begins like `[global]`.
pub(super) fn section_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._=-".contains(c) { c } else { '-' };
    let clean: String = name.chars().map(kept).take(100).collect();
    if clean.is_empty() || clean.to_ascii_lowercase().starts_with("global") {
        format!("job-{clean}")
    } else {
        clean
    }
}
