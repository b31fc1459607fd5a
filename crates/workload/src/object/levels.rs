//! The named levels of the object workload's parameters, and what each operation of the mix is measured by.

use model::levels;

levels! {
    /// How the sizes of objects are distributed: the parameter `size_distribution`.
    pub enum SizeDistribution {
        /// All objects have the same size.
        Fixed = "fixed",
        /// Sizes up to twice the mean, all as likely.
        Uniform = "uniform",
        /// The logarithms of sizes have a normal distribution, as those of files have.
        LogNormal = "log_normal",
    }
}

levels! {
    /// What an operation of the mix does: the names in the parameter `mix`.
    pub enum Step {
        /// Reads an object whole.
        Get = "get",
        /// Reads a range of an object.
        GetRange = "get_range",
        /// Writes an object.
        Put = "put",
        /// Writes an object in parts, several at a time.
        MultipartPut = "multipart_put",
        /// Asks for an object's size.
        Stat = "stat",
        /// Lists the objects of a folder, page by page.
        List = "list",
        /// Removes the oldest object that was put.
        Delete = "delete",
    }
}

levels! {
    /// The format of a log of operations: the parameter `log_format`.
    pub enum LogFormat {
        /// Syncline's own, which has all that a replay needs.
        Csv = "csv",
        /// That of sai3-bench (s3dlio): tabs between the columns.
        OpLog = "op_log",
        /// That of MinIO warp: the same with one more column.
        Warp = "warp",
    }
}

impl Step {
    /// Every step, in the order of the metrics.
    pub const ALL: &'static [Self] =
        &[Self::Get, Self::GetRange, Self::Put, Self::MultipartPut, Self::Stat, Self::List, Self::Delete];

    /// The latency family of the whole operation.
    pub const fn family(self) -> &'static str {
        match self {
            Self::Get => "object_get_latency",
            Self::GetRange => "object_range_latency",
            Self::Put => "object_put_latency",
            Self::MultipartPut => "object_multipart_latency",
            Self::Stat => "object_stat_latency",
            Self::List => "object_list_latency",
            Self::Delete => "object_delete_latency",
        }
    }

    /// The metric of its rate.
    pub const fn rate(self) -> &'static str {
        match self {
            Self::Get => "object_gets_per_s",
            Self::GetRange => "object_ranges_per_s",
            Self::Put => "object_puts_per_s",
            Self::MultipartPut => "object_multiparts_per_s",
            Self::Stat => "object_stats_per_s",
            Self::List => "object_lists_per_s",
            Self::Delete => "object_deletes_per_s",
        }
    }

    pub(super) const fn reads(self) -> bool {
        matches!(self, Self::Get | Self::GetRange)
    }

    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Put | Self::MultipartPut)
    }

    /// Whether there are other objects after it.
    pub(super) const fn changes(self) -> bool {
        self.writes() || matches!(self, Self::Delete)
    }
}

/// The metric of what reached the device of the bytes that were written.
pub(super) const REACHED_DEVICE: &str = "device_written_bytes_per_written_byte";
/// The metrics of the puts of a trial together, and of the restore after them.
pub(super) const PUTS_SECONDS: &str = "object_puts_seconds";
pub(super) const PUTS_BYTES_PER_S: &str = "object_puts_bytes_per_s";
pub(super) const RESTORE_SECONDS: &str = "object_restore_seconds";
pub(super) const RESTORE_BYTES_PER_S: &str = "object_restore_bytes_per_s";
pub(super) const RESTORE_CACHED: &str = "object_restore_cached_share";
/// The latency family of all operations: the driver's series counts those of the first family.
pub(super) const ANY: &str = "object_latency";
/// That of the first bytes of gets.
pub(super) const FIRST_BYTE: &str = "object_first_byte_latency";
/// That of the pages of lists.
pub(super) const PAGE: &str = "object_page_latency";

/// Every latency family.
pub(super) const FAMILIES: &[&str] = &[
    ANY,
    FIRST_BYTE,
    PAGE,
    Step::Get.family(),
    Step::GetRange.family(),
    Step::Put.family(),
    Step::MultipartPut.family(),
    Step::Stat.family(),
    Step::List.family(),
    Step::Delete.family(),
];

/// Indices of the first families in the recorder; those of the steps follow.
pub(super) const ANY_INDEX: usize = 0;
pub(super) const FIRST_BYTE_INDEX: usize = 1;
pub(super) const PAGE_INDEX: usize = 2;

impl Step {
    /// The index of its family in the recorder.
    #[inline]
    pub(super) const fn index(self) -> usize {
        PAGE_INDEX + 1 + self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_where_their_indices_say() {
        let first = [(ANY, ANY_INDEX), (FIRST_BYTE, FIRST_BYTE_INDEX), (PAGE, PAGE_INDEX)];
        let of_steps = Step::ALL.iter().map(|step| (step.family(), step.index()));
        for (family, index) in first.into_iter().chain(of_steps) {
            assert_eq!(FAMILIES[index], family);
        }
        assert_eq!(FAMILIES.len(), 3 + Step::NAMES.len());
        assert_eq!(Step::ALL.iter().map(|step| step.name()).collect::<Vec<_>>(), Step::NAMES);
    }
}
