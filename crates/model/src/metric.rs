//! Metrics: each is a plain row of the table, or a statistic of a latency family.

mod families;
mod family;

pub use families::FAMILIES;
pub use family::{Better, Family, Source, Unit};

/// What a distribution is reduced to, per trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Arithmetic mean.
    Mean,
    StandardDeviation,
    /// The value at this quantile.
    Quantile(f64),
    /// Largest value.
    Max,
}

/// The statistics of a distribution, in display order, with their place in a metric's name.
pub const STATISTICS: &[(&str, Statistic)] = &[
    ("mean", Statistic::Mean),
    ("sd", Statistic::StandardDeviation),
    ("p50", Statistic::Quantile(0.50)),
    ("p90", Statistic::Quantile(0.90)),
    ("p99", Statistic::Quantile(0.99)),
    ("p99_9", Statistic::Quantile(0.999)),
    ("p99_99", Statistic::Quantile(0.9999)),
    ("max", Statistic::Max),
];

/// One metric: a plain row, or one statistic of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its row in the table.
    pub family: &'static Family,
    /// For a distribution, which statistic (an index into [`STATISTICS`]).
    pub statistic: Option<usize>,
}

impl Metric {
    /// The full name, unit last: `sync_latency_p99_us`.
    pub fn name(&self) -> String {
        match self.statistic {
            Some(index) => statistic_name(self.family.name, index),
            None => self.family.name.to_owned(),
        }
    }

    /// Whether it is what a user waits for or gets: a rate or a latency that is judged. Everything else explains one,
    /// and an answer does not begin with it.
    pub fn is_paid(&self) -> bool {
        let Family { unit, better, .. } = *self.family;
        let is_judged = match better {
            Better::Higher | Better::Lower => true,
            Better::Neither => false,
        };
        is_judged
            && match unit {
                Unit::PerSecond | Unit::BytesPerSecond | Unit::Microseconds => true,
                // Counts, shares and bytes are mechanism; seconds are of CPU time and of what happens once a trial.
                Unit::Nanoseconds | Unit::Seconds | Unit::Bytes | Unit::Count | Unit::Share => false,
            }
    }

    /// What people call it: `commit latency p50`.
    pub fn title(&self) -> String {
        match self.statistic {
            Some(index) => format!("{} {}", self.family.title, statistic_title(index)),
            None => self.family.title.to_owned(),
        }
    }
}

/// What people call a distribution's statistic; `index` is one of [`STATISTICS`]: `p99.9`.
pub fn statistic_title(index: usize) -> String {
    STATISTICS[index].0.replace('_', ".")
}

/// Full name of a distribution's statistic; `index` is one of [`STATISTICS`].
pub fn statistic_name(family: &str, index: usize) -> String {
    format!("{family}_{}_us", STATISTICS[index].0)
}

/// Every metric of one family.
pub fn of_family(family: &'static Family) -> impl Iterator<Item = Metric> {
    let count = if family.distribution { STATISTICS.len() } else { 1 };
    (0..count).map(move |index| Metric { family, statistic: family.distribution.then_some(index) })
}

/// Every metric there is.
pub fn all() -> impl Iterator<Item = Metric> {
    FAMILIES.iter().flat_map(of_family)
}

/// Finds a metric by its full name, or by its name without the unit (`commit_latency_p50`).
pub fn find(name: &str) -> Option<Metric> {
    all().find(|metric| {
        let full = metric.name();
        full == name || (metric.statistic.is_some() && full.strip_suffix("_us") == Some(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_latencies_are_paid_and_counters_explain() {
        for (name, is_paid) in [
            ("commits_per_s", true),
            ("commit_latency_p99_us", true),
            ("bandwidth_bytes_per_s", true),
            ("page_read_us", true),
            ("device_flushes_per_commit", false),
            ("device_written_bytes_per_commit", false),
            ("second_read_hit_share", false),
            ("cpu_seconds_per_gib", false),
            ("instrument_overhead_ns", false),
        ] {
            assert_eq!(find(name).unwrap().is_paid(), is_paid, "{name}");
        }
    }

    /// "fjall gives 1.54× the load and drain of lmdb: 224 000 against 145 000 load and drain" had no unit.
    #[test]
    fn what_stands_behind_a_rate_is_a_unit() {
        for family in FAMILIES {
            let counted = family.counted_per_s;
            let is_rate = family.unit == Unit::PerSecond;
            let is_unit = counted.ends_with("/s") || counted.ends_with("IOPS");
            assert_eq!(is_rate, is_unit, "{}: {counted:?}", family.name);
            assert!(is_rate || counted.is_empty(), "{}", family.name);
        }
    }

    #[test]
    fn a_figure_of_the_devices_counters_says_so() {
        for family in FAMILIES {
            let is_of_device = family.source == Source::Device;
            let is_named_so = family.name.contains("device_") || family.name == "write_amplification";
            assert_eq!(is_of_device, is_named_so, "{}", family.name);
            let is_told_so = family.help.contains("(diskstats");
            assert!(is_of_device || !is_told_so, "{}", family.name);
            assert!(!family.distribution || family.source == Source::Clock, "{}", family.name);
        }
    }

    #[test]
    fn names_are_unique_and_found_with_and_without_unit() {
        let mut names: Vec<String> = all().map(|metric| metric.name()).collect();
        for name in &names {
            assert_eq!(find(name).map(|metric| metric.name()).as_ref(), Some(name));
        }
        assert_eq!(find("commit_latency_p99_9").unwrap().name(), "commit_latency_p99_9_us");
        assert!(find("commit_latency").is_none());
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
