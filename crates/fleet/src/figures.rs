//! The figures that are compared: of each disk its first measurement, and its latest as the second one.

use crate::disk::{Disk, Stratum};
use crate::gather::{Fleet, Measurement};
use crate::question::Question;
use crate::rule::{LEVEL, ROUNDS_MIN};
use crate::statement::{Figure, Overlap};
use stats::{interval, sample};
use std::collections::{BTreeMap, BTreeSet};

/// A disk with the measurements that are compared.
pub(crate) struct Measured<'a> {
    pub(crate) disk: &'a Disk,
    pub(crate) stratum: usize,
    /// All of them, in the order of time.
    pub(crate) all: Vec<&'a Measurement>,
    /// The earliest; `None` if every one overlaps another.
    pub(crate) first: Option<&'a Measurement>,
    /// The latest, if it is another one.
    pub(crate) second: Option<&'a Measurement>,
}

/// Every disk, the strata in their order, and the runs that are not used.
pub(crate) fn measured(fleet: &Fleet) -> (Vec<Measured<'_>>, Vec<&Stratum>, Vec<Overlap>) {
    let strata: BTreeSet<&Stratum> = fleet.disks.keys().map(|(stratum, _)| stratum).collect();
    let strata: Vec<&Stratum> = strata.into_iter().collect();
    let mut overlaps = Vec::new();
    let disks = fleet.disks.iter().map(|((stratum, disk), measurements)| {
        let mut all: Vec<&Measurement> = measurements.iter().collect();
        all.sort_by_key(|it| (&it.began_at, &it.run));
        let apart = apart(&all, &mut overlaps);
        let first = apart.first().copied();
        let second = apart.last().copied().filter(|_| apart.len() > 1);
        let stratum = strata.binary_search(&stratum).unwrap_or(0);
        Measured { disk, stratum, all, first, second }
    });
    (disks.collect(), strata, overlaps)
}

/// The measurements during which no other one of the same disk ran.
fn apart<'a>(sorted: &[&'a Measurement], overlaps: &mut Vec<Overlap>) -> Vec<&'a Measurement> {
    let mut disturbed = BTreeSet::new();
    let mut latest: Option<usize> = None;
    for (index, one) in sorted.iter().enumerate() {
        if let Some(before) = latest.filter(|before| one.began_at <= sorted[*before].last_trial_at) {
            disturbed.extend([before, index]);
            overlaps.push(Overlap { first: sorted[before].run.clone(), other: one.run.clone() });
        }
        if latest.is_none_or(|before| one.last_trial_at > sorted[before].last_trial_at) {
            latest = Some(index);
        }
    }
    let undisturbed = sorted.iter().enumerate().filter(|(index, _)| !disturbed.contains(index));
    undisturbed.map(|(_, one)| *one).collect()
}

/// A question in a stratum, with the first measurements of its disks.
pub(crate) struct Answers<'a> {
    /// Its place among the ordered questions.
    pub(crate) question: usize,
    /// Its place in the digests.
    pub(crate) recorded_as: usize,
    pub(crate) stratum: usize,
    pub(crate) disks: Vec<(usize, &'a [f64])>,
    /// `+1` if a higher figure is better, `-1` if a lower one is.
    pub(crate) sign: f64,
}

/// Every question in every stratum, in order; `order` has the places of these questions in the digests.
pub(crate) fn answers<'a>(
    questions: &[Question],
    order: &[usize],
    disks: &[Measured<'a>],
) -> Vec<Answers<'a>> {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(question, place)| rank[*place] = question);
    let mut found: BTreeMap<(usize, usize), Answers<'a>> = BTreeMap::new();
    for (index, disk) in disks.iter().enumerate() {
        let Some(first) = disk.first else { continue };
        for (place, logs) in &first.answers {
            let (question, stratum) = (rank[*place], disk.stratum);
            let answers = found.entry((question, stratum)).or_insert_with(|| Answers {
                question,
                recorded_as: *place,
                stratum,
                disks: Vec::new(),
                sign: questions[question].sign(),
            });
            answers.disks.push((index, logs));
        }
    }
    found.into_values().collect()
}

impl Answers<'_> {
    /// The mean logarithm of a disk, in which greater is faster; `None` with too few rounds to judge it.
    pub(crate) fn speed(&self, logs: &[f64]) -> Option<f64> {
        sample::mean(logs).filter(|_| logs.len() >= ROUNDS_MIN).map(|mean| self.sign * mean)
    }

    /// A speed in the metric's unit.
    pub(crate) fn value(&self, speed: f64) -> f64 {
        (self.sign * speed).exp()
    }
}

/// A disk's figure from the logarithms of its rounds.
pub(crate) fn figure(disk: usize, logs: &[f64]) -> Figure {
    let interval = interval::mean_interval(logs, LEVEL).ok();
    Figure {
        disk,
        value: sample::mean(logs).map_or(f64::NAN, f64::exp),
        interval: interval.map(|found| (found.low.exp(), found.high.exp())),
        rounds: logs.len(),
    }
}
