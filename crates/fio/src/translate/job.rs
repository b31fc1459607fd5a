//! A job as it is translated.

use std::path::PathBuf;

/// One job section, translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name: the section's, or that of its option `name`.
    pub name: String,
    /// The name in brackets, of its first section.
    pub(super) section: String,
    /// The line of the section, in reading order.
    pub line: usize,
    /// Parameters of the workload `device`, and values as a person writes them.
    pub values: Vec<(String, String)>,
    /// Where the job means something a little different than in fio: one sentence each.
    pub remarks: Vec<String>,
    /// The job's `directory`, where the fresh working directory goes.
    pub directory: Option<PathBuf>,
}

impl Job {
    /// Whether it syncs between its writes.
    pub fn syncs(&self) -> bool {
        self.value("fdatasync").is_some_and(|every| every != "0")
    }

    pub(super) fn value(&self, parameter: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| name == parameter).map(|(_, value)| value.as_str())
    }

    pub(super) fn set(&mut self, parameter: &str, value: &(impl ToString + ?Sized)) {
        self.values.push((parameter.to_owned(), value.to_string()));
    }

    pub(super) fn remark(&mut self, remark: impl Into<String>) {
        self.remarks.push(remark.into());
    }
}
