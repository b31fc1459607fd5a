//! What Prometheus is shown of the service itself, in its text format. The figures of the last probe come from the
//! crate `report`.

use crate::budget::spent_bytes;
use crate::service::Options;
use crate::state::State;
use jiff::Timestamp;
use model::printable;
use model::traced::Segment;
use std::borrow::Cow;
use std::fmt::Write as _;

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub state: &'a State,
    pub options: &'a Options,
    /// The directory on the disk that is probed: a label of every sample.
    pub directory: &'a str,
    pub now: Timestamp,
    /// The share of the time that the disk was last seen busy, if somebody looked.
    pub busy_share: Option<f64>,
    /// Memory of this process, if the kernel reports it.
    pub resident_bytes: Option<u64>,
}

/// A metric: a counter since the history was begun, or a gauge.
pub struct Metric {
    pub name: &'static str,
    kind: &'static str,
    help: &'static str,
    samples: fn(&Shown<'_>) -> Vec<Sample>,
}

/// A label beside the directory, and the value.
type Sample = (Option<(&'static str, Cow<'static, str>)>, f64);

/// Every metric of the service.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "syncline_watch_probes_total",
        kind: "counter",
        help: "Probes that began, by what became of them.",
        samples: |shown| {
            let totals = shown.state.totals;
            let outcomes = [
                ("finished", totals.finished),
                ("failed", totals.failed),
                ("interrupted", totals.interrupted),
                ("killed", totals.killed),
            ];
            outcomes.map(|(outcome, count)| (Some(("outcome", outcome.into())), count as f64)).to_vec()
        },
    },
    Metric {
        name: "syncline_watch_skipped_probes_total",
        kind: "counter",
        help: "Probes that were due and did not take place, by the reason.",
        samples: |shown| {
            let totals = shown.state.totals;
            let reasons = [
                ("busy", totals.skipped_busy),
                ("load_unknown", totals.skipped_load_unknown),
                ("budget", totals.skipped_budget),
            ];
            reasons.map(|(reason, count)| (Some(("reason", reason.into())), count as f64)).to_vec()
        },
    },
    Metric {
        name: "syncline_watch_last_probe_timestamp_seconds",
        kind: "gauge",
        help: "When the last probe that finished began, in seconds since 1970.",
        samples: |shown| one(shown.state.last_finished().map(|probe| probe.began_at.as_second() as f64)),
    },
    Metric {
        name: "syncline_watch_last_probe_duration_seconds",
        kind: "gauge",
        help: "How long the last probe that finished took.",
        samples: |shown| one(shown.state.last_finished().map(|probe| probe.seconds)),
    },
    Metric {
        name: "syncline_watch_interval_seconds",
        kind: "gauge",
        help: "Time from one probe to the next.",
        samples: |shown| one(Some(shown.options.interval.as_secs_f64())),
    },
    Metric {
        name: "syncline_watch_written_bytes_total",
        kind: "counter",
        help: "Bytes that probes wrote.",
        samples: |shown| one(Some(shown.state.totals.written_bytes as f64)),
    },
    Metric {
        name: "syncline_watch_day_written_bytes",
        kind: "gauge",
        help: "Bytes that the probes of the last 24 hours wrote.",
        samples: |shown| one(Some(spent_bytes(&shown.state.probes, shown.now) as f64)),
    },
    Metric {
        name: "syncline_watch_day_written_bytes_limit",
        kind: "gauge",
        help: "The budget: bytes that the probes of 24 hours may write.",
        samples: |shown| one(Some(shown.options.written_bytes_per_day_max as f64)),
    },
    Metric {
        name: "syncline_watch_disk_busy_ratio",
        kind: "gauge",
        help: "Share of the time that the disk was busy before the last probe that was due.",
        samples: |shown| one(shown.busy_share),
    },
    Metric {
        name: "syncline_watch_disk_busy_limit_ratio",
        kind: "gauge",
        help: "A busier disk is not probed.",
        samples: |shown| one(Some(shown.options.busy_share_max.unwrap_or(1.0))),
    },
    Metric {
        name: "syncline_watch_kept_runs",
        kind: "gauge",
        help: "Runs in the history.",
        samples: |shown| one(Some(shown.state.kept_runs() as f64)),
    },
    Metric {
        name: "syncline_watch_removed_runs_total",
        kind: "counter",
        help: "Runs that rotation removed from the history.",
        samples: |shown| one(Some(shown.state.totals.removed_runs as f64)),
    },
    Metric {
        name: "syncline_watch_spikes_total",
        kind: "counter",
        help: "Spikes that probes captured, by what most of their time was spent on.",
        samples: |shown| {
            if shown.options.spike_threshold.is_none() {
                return Vec::new();
            }
            // Every cause from the beginning, so that the first spike of one is an increase.
            let known = shown.state.spikes.by_cause();
            let count = |cause: Segment| known.get(&cause).map_or(0.0, |count| *count as f64);
            Segment::all().map(|cause| (Some(("cause", cause.name().into())), count(cause))).collect()
        },
    },
    Metric {
        name: "syncline_watch_spikes_recorded_seconds_total",
        kind: "counter",
        help: "Time in which probes looked for spikes.",
        samples: |shown| {
            let looks = shown.options.spike_threshold.is_some();
            one(looks.then_some(shown.state.spikes.recorded_s))
        },
    },
    Metric {
        name: "syncline_watch_spike_threshold_seconds",
        kind: "gauge",
        help: "An operation of this length is a spike.",
        samples: |shown| one(shown.options.spike_threshold.map(|threshold| threshold.as_secs_f64())),
    },
    Metric {
        name: "syncline_watch_resident_memory_bytes",
        kind: "gauge",
        help: "Memory of the service.",
        samples: |shown| one(shown.resident_bytes.map(|bytes| bytes as f64)),
    },
];

fn one(value: Option<f64>) -> Vec<Sample> {
    value.map(|value| (None, value)).into_iter().collect()
}

/// The page: the service, then the figures of the last probe, which are in the same format.
pub fn page(shown: &Shown<'_>, figures: &str) -> String {
    let directory = escaped(shown.directory);
    let mut text = String::new();
    for Metric { name, kind, help, samples } in METRICS {
        let samples = samples(shown);
        if samples.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (label, value) in samples {
            let label = label.map_or_else(String::new, |(name, value)| format!(",{name}=\"{value}\""));
            let _ = writeln!(text, "{name}{{directory=\"{directory}\"{label}}} {value}");
        }
    }
    text.push_str(figures);
    text
}

fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::Keep;
    use std::time::Duration;

    #[test]
    fn what_is_not_known_has_no_sample_and_a_directory_of_any_name_is_one_label() {
        let options = Options {
            interval: Duration::from_hours(1),
            attempts_max: None,
            waits_first: true,
            busy_share_max: Some(0.2),
            written_bytes_per_day_max: 1 << 30,
            keep: Keep { runs: 10, time: Duration::from_hours(24) },
            spike_threshold: None,
        };
        let shown = Shown {
            state: &State::default(),
            options: &options,
            directory: "/srv/\"a\\b\"\n",
            now: Timestamp::UNIX_EPOCH,
            busy_share: None,
            resident_bytes: Some(1),
        };
        let page = page(&shown, "figure 1\n");
        assert!(page.ends_with("\nfigure 1\n"));
        assert!(!page.contains("syncline_watch_last_probe"), "{page}");
        let samples: Vec<&str> = page.lines().filter(|line| line.starts_with("syncline_watch_")).collect();
        assert_eq!(samples.len(), 4 + 3 + 8, "{page}");
        assert!(samples.iter().all(|line| line.contains("directory=\"/srv/\\\"a")), "{page}");
        assert!(!page.contains("spike"), "nobody looks for them: {page}");

        let options = Options { spike_threshold: Some(Duration::from_millis(50)), ..options };
        let page = super::page(&Shown { options: &options, ..shown }, "");
        let zeros = page.lines().filter(|line| line.starts_with("syncline_watch_spikes_total{"));
        assert_eq!(zeros.filter(|line| line.ends_with("\"} 0")).count(), Segment::all().count(), "{page}");
        assert!(page.contains(",cause=\"journal: flush in the device\"} 0"), "{page}");
        assert!(page.contains("syncline_watch_spike_threshold_seconds{directory="), "{page}");
    }
}
