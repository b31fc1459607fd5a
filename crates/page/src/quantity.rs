//! What a figure is of: a metric's title, with the unit of its figures and the better direction.

use model::metric::{self, Better, Unit};

/// A metric's title and unit. A name that the table lacks (from a record of another version) is shown unchanged.
pub struct Named {
    pub title: String,
    /// The part of the title that is repeated over a family's statistics: `commit latency`.
    pub family: String,
    /// The other part: `p50`; empty for a plain metric.
    pub statistic: String,
    /// Unit of its figures.
    pub unit: Unit,
    /// What a rate counts, as it stands behind a figure: `commits/s`, `puts/s`; empty for other units.
    pub counted_per_s: &'static str,
    /// Which direction is an improvement.
    pub better: Better,
    /// What is measured, and over which region.
    pub help: &'static str,
}

/// Looks a metric up by its full name.
pub fn named(name: &str) -> Named {
    match metric::find(name) {
        Some(found) => Named {
            title: found.title(),
            family: found.family.title.to_owned(),
            statistic: found.statistic.map_or_else(String::new, metric::statistic_title),
            unit: found.family.unit,
            counted_per_s: found.family.counted_per_s,
            better: found.family.better,
            help: found.family.help,
        },
        None => Named {
            title: name.to_owned(),
            family: name.to_owned(),
            statistic: String::new(),
            unit: Unit::Count,
            counted_per_s: "",
            better: Better::Neither,
            help: "",
        },
    }
}

impl Named {
    /// Whether the title of a rate is its unit: `commits/s`, `read IOPS`.
    pub fn title_is_unit(&self) -> bool {
        self.title == self.counted_per_s
    }

    /// The unit as the columns of a file have it: `commits/s`, `µs`, `of 1`; empty for plain numbers.
    pub fn symbol(&self) -> &'static str {
        if self.counted_per_s.is_empty() { self.unit.symbol() } else { self.counted_per_s }
    }

    /// The unit for the title of a column or an axis, so that its figures need none.
    pub fn unit_in_heading(&self) -> &'static str {
        match self.unit {
            Unit::Bytes | Unit::BytesPerSecond | Unit::Share | Unit::Count => "",
            Unit::PerSecond if self.title_is_unit() => "",
            Unit::PerSecond => self.counted_per_s,
            Unit::Microseconds | Unit::Nanoseconds | Unit::Seconds => self.unit.symbol(),
        }
    }

    /// Title and unit: `commit latency p50, µs`.
    pub fn heading(&self) -> String {
        match self.unit_in_heading() {
            "" => self.title.clone(),
            unit => format!("{}, {unit}", self.title),
        }
    }

    /// The better direction, in words; empty if the metric only explains.
    pub fn direction(&self) -> &'static str {
        match self.better {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
            Better::Neither => "",
        }
    }
}

pub fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_carry_the_unit() {
        for (name, heading) in [
            ("commits_per_s", "commits/s"),
            ("commit_latency_p99_9_us", "commit latency p99.9, µs"),
            ("device_written_bytes_per_commit", "device bytes written per commit"),
            ("read_iops", "read IOPS"),
            ("scan_operations_per_s", "scan rate, scans/s"),
            ("bandwidth_bytes_per_s", "bandwidth"),
            ("completion_latency_sd_us", "completion latency sd, µs"),
            ("completion_latency_p99_99_us", "completion latency p99.99, µs"),
            ("cpu_seconds_per_million_operations", "CPU per million operations, s"),
            ("page_cache_hit_share", "page cache hits"),
            ("a_metric_of_tomorrow", "a_metric_of_tomorrow"),
        ] {
            assert_eq!(named(name).heading(), heading);
        }
    }
}
