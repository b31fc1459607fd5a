//! Made-up digests: disks of a true speed, and measurements that scatter around it.

use crate::disk::{Disk, Stratum};
use crate::fact::{Fact, Facts};
use crate::{Digest, DiskStatus, FailedTrials, Fleet, Question, Statement};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A fleet to be.
pub(super) struct MadeUp {
    pub(super) fleet: Fleet,
    pub(super) random: SplitMix64,
    /// Standard deviation of the logarithm over rounds.
    pub(super) scatter: f64,
    pub(super) rounds: usize,
    pub(super) questions: usize,
}

impl MadeUp {
    pub(super) fn new(seed: u64) -> Self {
        let random = SplitMix64::seed_from_u64(seed);
        Self { fleet: Fleet::default(), random, scatter: 0.05, rounds: 6, questions: 4 }
    }

    pub(super) fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let radius = (-2.0 * uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform()).cos()
    }

    /// Measures a disk on a day; it is `times` as fast as others, in every question.
    pub(super) fn measure(&mut self, host: usize, day: u32, times: f64) {
        let digest = self.digest(host, day, times);
        self.fleet.add(digest);
    }

    /// Measures it again, as the list says.
    pub(super) fn measure_again(&mut self, host: usize, day: u32, times: f64) {
        let digest = Digest { again: true, ..self.digest(host, day, times) };
        self.fleet.add(digest);
    }

    pub(super) fn digest(&mut self, host: usize, day: u32, times: f64) -> Digest {
        let (mut answers, scatter) = (Vec::new(), self.scatter);
        for place in 0..self.questions {
            // Rates and latencies in turn.
            let (metric, sign, base) = if place % 2 == 0 {
                ("iops", 1.0, 9e4_f64)
            } else {
                ("completion_latency_p50_us", -1.0, 80.0)
            };
            let normals: Vec<f64> = (0..self.rounds).map(|_| self.normal()).collect();
            let log = |normal: f64| base.ln() + sign * (times.ln() + scatter * normal);
            let question = Question {
                study: "depth".to_owned(),
                label: format!("iodepth={}", 1 << (place / 2)),
                metric: metric.to_owned(),
                parameters: format!("bs=4KiB iodepth={}", 1 << (place / 2)),
            };
            answers.push((question, normals.into_iter().map(log).collect()));
        }
        let facts = Facts::from([
            (Fact::Model, "made-up disk".to_owned()),
            (Fact::Kernel, "6.18.0".to_owned()),
            (Fact::Scheduler, "none".to_owned()),
        ]);
        Digest {
            run: format!("day-{day}/node{host:03}"),
            disk: Disk { host: format!("node{host:03}"), directory: "/srv/data".to_owned() },
            stratum: Stratum::of(&facts),
            began_at: format!("2026-11-{day:02}T10:00:00Z"),
            last_trial_at: format!("2026-11-{day:02}T10:00:30Z"),
            rank: None,
            again: false,
            failed: FailedTrials::default(),
            answers,
            histograms: Vec::new(),
            facts,
        }
    }

    pub(super) fn state(&self) -> Statement {
        self.fleet.state(&mut |_, _| Vec::new())
    }
}

/// The hosts of the disks that are proven slow.
pub(super) fn slow(statement: &Statement) -> Vec<&str> {
    statement.standing(DiskStatus::Slow).map(|disk| disk.disk.host.as_str()).collect()
}
