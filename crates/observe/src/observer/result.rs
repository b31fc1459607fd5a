//! The observation that the sums come to.

use super::Observer;
use crate::class::Class;
use crate::missing::MissingTracepoint;
use crate::observation::{
    ClassFigures, DeviceFigures, NotSeen, Observation, SpikeFigures, StreamFigures, SyncFigures,
};
use crate::tally::Tally;
use crate::target::Target;
use crate::windows::Times;
use std::collections::BTreeMap;

impl Observer<'_> {
    /// Ends the observation, without these tracepoints.
    pub fn finish(mut self, missing_tracepoints: Vec<MissingTracepoint>) -> Observation {
        self.lay();
        if let Some(since_ns) = self.windows.open_since_ns() {
            self.timeline.see(since_ns, self.until_ns);
        }
        let times = self.windows.times(self.until_ns);
        let in_flight = self.calls.values().chain(self.ring_requests.values());
        let unfinished: Vec<u64> = in_flight
            .filter(|begun| begun.is_counted)
            .map(|begun| self.until_ns.saturating_sub(begun.from_ns))
            .collect();
        let not_seen = NotSeen {
            unfinished: unfinished.len() as u64,
            unfinished_longest_us: unfinished.iter().max().map_or(0.0, |ns| *ns as f64 / 1000.0),
            unexplained: self.explained.unexplained(),
            missing_tracepoints,
            ..self.not_seen.clone()
        };
        let used = self.tallies.iter().filter(|(_, tally)| tally.operations.sum() + tally.failed > 0);
        let classes: Vec<ClassFigures> =
            used.map(|(class, tally)| self.figures(*class, tally, times)).collect();
        let explanation = |of: &ClassFigures| self.explained.explanation(of.class);
        let explanations =
            classes.iter().filter(|of| of.class != Class::Write).filter_map(explanation).collect();
        Observation {
            target: self.target(),
            duration_s: times.whole_ns as f64 / 1e9,
            recording: self.windows.figures(self.until_ns),
            processes: self.processes.len(),
            databases: self.databases(),
            explanations,
            classes,
            syncs: SyncFigures {
                bytes_between_mean: self.between.mean(self.between.bytes),
                log_bytes_between_mean: self.between_logs.mean(self.between_logs.bytes),
                log_writes_between_mean: self.between_logs.mean(self.between_logs.writes),
                durable_writes_per_s: self.durable_writes.per_s(times),
            },
            streams: self.streams(times),
            roles: self.files.roles(times),
            files: self.files.figures(times),
            over_time: self.timeline.figures(self.until_ns, self.windows.has_gaps()),
            devices: self.devices(times),
            spikes: self.spikes.map(|spikes| SpikeFigures {
                threshold_us: spikes.least_ns() as f64 / 1000.0,
                seen: spikes.seen(),
                slowest: spikes.into_kept(),
            }),
            against: None,
            not_seen,
        }
    }

    fn figures(&self, class: Class, tally: &Tally, times: Times) -> ClassFigures {
        let (depth_counted, busy_share) = tally.depth(self.until_ns, times);
        let is_estimate = self.windows.has_gaps() && tally.operations.has_windows();
        let direct: u64 =
            self.streams.iter().filter(|((of, _), _)| *of == class).map(|(_, (_, direct))| direct).sum();
        ClassFigures {
            class,
            operations: tally.operations.sum(),
            seen_share: tally.operations.seen_share(times),
            operations_per_s: tally.operations.per_s(times),
            operations_per_s_interval: if is_estimate { self.windows.interval(class) } else { None },
            bytes_per_s: tally.bytes.per_s(times),
            sizes: if class == Class::Sync { Vec::new() } else { tally.sizes() },
            sequential_share: tally.sequential_share().filter(|_| class != Class::Sync),
            depth_by_littles_law: tally.depth_by_littles_law(times),
            depth_counted,
            depth_max: tally.depth_max(),
            busy_share,
            direct_share: direct as f64 / tally.operations.sum().max(1) as f64,
            failed: tally.failed,
            latency: tally.latencies.figures(),
            latency_bins: tally.latencies.bins(),
        }
    }

    fn streams(&self, times: Times) -> Vec<StreamFigures> {
        let figures = |((class, log), (tally, direct)): (&(Class, bool), &(Tally, u64))| StreamFigures {
            class: *class,
            log: *log,
            operations: tally.operations.sum(),
            operations_per_s: tally.operations.per_s(times),
            bytes_per_s: tally.bytes.per_s(times),
            sizes: if *class == Class::Sync { Vec::new() } else { tally.sizes() },
            sequential_share: tally.sequential_share().filter(|_| *class != Class::Sync),
            depth_by_littles_law: tally.depth_by_littles_law(times),
            direct_share: *direct as f64 / tally.operations.sum().max(1) as f64,
            latency: tally.latencies.figures(),
        };
        self.streams.iter().map(figures).collect()
    }

    fn databases(&self) -> Vec<(String, String)> {
        let databases = self.files.databases();
        databases.into_iter().map(|(name, root)| (name.to_owned(), root)).collect()
    }

    fn devices(&self, times: Times) -> Vec<DeviceFigures> {
        let mut disks = self.files.disks().clone();
        if let Target::Device(disk) = self.scope.target() {
            disks.insert(disk.clone());
        }
        // Outside windows the kernel counts.
        let now = if self.windows.has_gaps() { self.system.disk_counters() } else { BTreeMap::new() };
        let figures = disks.iter().map(|of| {
            let (before, now) = (self.counters.get(&of.device), now.get(&of.device));
            let counters = before.zip(now).map(|(before, now)| now.since(*before));
            self.disks.figures(&of.name, of.device, self.until_ns, times, counters)
        });
        figures.flatten().collect()
    }
}
