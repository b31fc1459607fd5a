//! The observation that the sums come to.

use super::Observer;
use crate::class::Class;
use crate::missing::MissingTracepoint;
use crate::observation::{
    ClassFigures, DeviceFigures, NotSeen, Observation, SpikeFigures, StreamFigures, SyncFigures,
};
use crate::tally::Tally;
use crate::target::Target;

impl Observer<'_> {
    /// Ends the observation, without these tracepoints.
    pub fn finish(mut self, missing_tracepoints: Vec<MissingTracepoint>) -> Observation {
        self.lay();
        let duration_ns = self.duration_ns();
        let seconds = duration_ns as f64 / 1e9;
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
        let used = self.tallies.iter().filter(|(_, tally)| tally.operations + tally.failed > 0);
        let classes: Vec<ClassFigures> =
            used.map(|(class, tally)| self.figures(*class, tally, duration_ns)).collect();
        let explanation = |of: &ClassFigures| self.explained.explanation(of.class);
        let explanations =
            classes.iter().filter(|of| of.class != Class::Write).filter_map(explanation).collect();
        Observation {
            target: self.target(),
            duration_s: seconds,
            processes: self.processes.len(),
            databases: self.databases(),
            explanations,
            classes,
            syncs: SyncFigures {
                bytes_between_mean: self.between.mean(self.between.bytes),
                log_bytes_between_mean: self.between_logs.mean(self.between_logs.bytes),
                log_writes_between_mean: self.between_logs.mean(self.between_logs.writes),
                durable_writes_per_s: self.durable_writes as f64 / seconds,
            },
            streams: self.streams(seconds),
            roles: self.files.roles(seconds),
            files: self.files.figures(),
            over_time: self.timeline.figures(self.until_ns),
            devices: self.devices(),
            spikes: self.spikes.map(|spikes| SpikeFigures {
                threshold_us: spikes.least_ns() as f64 / 1000.0,
                seen: spikes.seen(),
                slowest: spikes.into_kept(),
            }),
            against: None,
            not_seen,
        }
    }

    fn figures(&self, class: Class, tally: &Tally, duration_ns: u64) -> ClassFigures {
        let seconds = duration_ns as f64 / 1e9;
        let (depth_counted, busy_share) = tally.gauge.over(self.until_ns, duration_ns);
        let direct: u64 =
            self.streams.iter().filter(|((of, _), _)| *of == class).map(|(_, (_, direct))| direct).sum();
        ClassFigures {
            class,
            operations: tally.operations,
            operations_per_s: tally.operations as f64 / seconds,
            bytes_per_s: tally.bytes as f64 / seconds,
            sizes: if class == Class::Sync { Vec::new() } else { tally.sizes() },
            sequential_share: tally.sequential_share().filter(|_| class != Class::Sync),
            depth_by_littles_law: tally.depth_by_littles_law(duration_ns),
            depth_counted,
            depth_max: tally.gauge.max(),
            busy_share,
            direct_share: direct as f64 / tally.operations.max(1) as f64,
            failed: tally.failed,
            latency: tally.latencies.figures(),
            latency_bins: tally.latencies.bins(),
        }
    }

    fn streams(&self, seconds: f64) -> Vec<StreamFigures> {
        let figures = |((class, log), (tally, direct)): (&(Class, bool), &(Tally, u64))| StreamFigures {
            class: *class,
            log: *log,
            operations: tally.operations,
            operations_per_s: tally.operations as f64 / seconds,
            bytes_per_s: tally.bytes as f64 / seconds,
            sizes: if *class == Class::Sync { Vec::new() } else { tally.sizes() },
            sequential_share: tally.sequential_share().filter(|_| *class != Class::Sync),
            depth_by_littles_law: tally.depth_by_littles_law(self.duration_ns()),
            direct_share: *direct as f64 / tally.operations.max(1) as f64,
            latency: tally.latencies.figures(),
        };
        self.streams.iter().map(figures).collect()
    }

    fn databases(&self) -> Vec<(String, String)> {
        let databases = self.files.databases();
        databases.into_iter().map(|(name, root)| (name.to_owned(), root)).collect()
    }

    fn devices(&self) -> Vec<DeviceFigures> {
        let mut disks = self.files.disks().clone();
        if let Target::Device(disk) = self.scope.target() {
            disks.insert(disk.clone());
        }
        let figures =
            disks.iter().map(|of| self.disks.figures(&of.name, of.device, self.until_ns, self.duration_ns()));
        figures.flatten().collect()
    }
}
