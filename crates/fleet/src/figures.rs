//! The figures that are compared: of each disk and question the latest first measurement, and the latest that repeats
//! it.

use crate::disk::{Disk, Stratum};
use crate::distribution::Figure;
use crate::gap::Overlap;
use crate::gather::{Fleet, Measurement};
use crate::launch;
use crate::question::Question;
use crate::rule::{LEVEL, ROUNDS_MIN};
use stats::{interval, sample};
use std::collections::{BTreeMap, BTreeSet};

/// A disk with the measurements that are compared.
pub(crate) struct Measured<'a> {
    pub(crate) disk: &'a Disk,
    /// That of its latest first measurement: a new kernel or firmware makes the earlier ones those of another stratum.
    pub(crate) stratum: usize,
    /// All of them, in the order of time.
    pub(crate) all: Vec<&'a Measurement>,
    /// By the question's place in the digests, the latest measurement without `again` that asks it: it is screened.
    pub(crate) firsts: BTreeMap<usize, &'a Measurement>,
    /// Those that measure the disk again, in the order of time.
    again: Vec<&'a Measurement>,
}

impl<'a> Measured<'a> {
    /// The measurements that ask a question again after its first one, the latest first.
    pub(crate) fn seconds(&self, question: usize) -> impl Iterator<Item = &'a Measurement> {
        let first = self.firsts.get(&question).map(|first| first.began_at.as_str());
        let again = self.again.iter().rev().copied();
        again.filter(move |it| {
            it.answers.contains_key(&question) && first.is_some_and(|first| *it.began_at > *first)
        })
    }

    /// Whether a run of it is a first measurement that is compared.
    pub(crate) fn is_first(&self, run: &Measurement) -> bool {
        self.firsts.values().any(|first| std::ptr::eq(*first, run))
    }

    /// Whether a run of it measures again what a first one measured.
    pub(crate) fn is_second(&self, run: &Measurement) -> bool {
        let is_again = self.again.iter().any(|again| std::ptr::eq(*again, run));
        is_again
            && run
                .answers
                .keys()
                .any(|question| self.firsts.get(question).is_some_and(|first| run.began_at > first.began_at))
    }

    /// Whether its latest run without `again` is compared.
    pub(crate) fn uses_latest(&self) -> bool {
        self.all.iter().rfind(|run| !run.again).is_some_and(|run| self.is_first(run))
    }
}

/// Every disk in the order of strata, these strata, and the runs that are not used.
pub(crate) fn measured(fleet: &Fleet) -> (Vec<Measured<'_>>, Vec<&Stratum>, Vec<Overlap>) {
    let launches = launch::by_run(&launch::launches(fleet));
    let (mut disks, mut overlaps) = (Vec::new(), Vec::new());
    for (disk, measurements) in &fleet.disks {
        let mut all: Vec<&Measurement> = measurements.iter().collect();
        all.sort_by_key(|it| (&it.began_at, &it.run));
        let Some(latest) = all.iter().rfind(|it| !it.again).or(all.last()) else { continue };
        disks.push((&latest.stratum, disk, all));
    }
    disks.sort_by_key(|(stratum, disk, _)| (*stratum, *disk));
    let strata: BTreeSet<&Stratum> = disks.iter().map(|(stratum, ..)| *stratum).collect();
    let strata: Vec<&Stratum> = strata.into_iter().collect();
    let disks = disks.into_iter().map(|(stratum, disk, all)| {
        let found = overlaps_of(&all, &launches);
        let disturbed: BTreeSet<&str> = found.iter().flat_map(|it| [&*it.first, &*it.other]).collect();
        let is_used = |it: &&Measurement| it.stratum == *stratum && !disturbed.contains(it.run.as_str());
        let (mut firsts, mut again) = (BTreeMap::new(), Vec::new());
        for one in all.iter().copied().filter(is_used) {
            if one.again {
                again.push(one);
            } else {
                firsts.extend(one.answers.keys().map(|question| (*question, one)));
            }
        }
        overlaps.extend(found);
        let stratum = strata.binary_search(&stratum).unwrap_or(0);
        Measured { disk, stratum, all, firsts, again }
    });
    (disks.collect(), strata, overlaps)
}

/// The measurements of one disk that are not used, because another one is of the same launch or ran at the same time.
fn overlaps_of(sorted: &[&Measurement], launches: &BTreeMap<&str, usize>) -> Vec<Overlap> {
    let mut found = of_one_launch(sorted, launches);
    let of_launch: BTreeSet<String> = found.iter().map(|overlap| overlap.other.clone()).collect();
    found.extend(at_one_time(sorted).into_iter().filter(|overlap| !of_launch.contains(&overlap.other)));
    found
}

/// Measurements of one disk by different ranks of a launch: of two hosts with one name, or of one host that both ran
/// on.
fn of_one_launch(sorted: &[&Measurement], launches: &BTreeMap<&str, usize>) -> Vec<Overlap> {
    let mut known: BTreeMap<usize, &Measurement> = BTreeMap::new();
    let mut overlaps = Vec::new();
    for one in sorted {
        let Some(launch) = launches.get(one.run.as_str()) else { continue };
        match known.get(launch) {
            Some(first) => overlaps.push(Overlap {
                first: first.run.clone(),
                other: one.run.clone(),
                is_one_launch: true,
            }),
            None => drop(known.insert(*launch, one)),
        }
    }
    overlaps
}

/// Measurements of one disk that ran at the same time.
fn at_one_time(sorted: &[&Measurement]) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    let mut latest: Option<&Measurement> = None;
    for one in sorted {
        if let Some(before) = latest.filter(|before| one.began_at <= before.last_trial_at) {
            let (first, other) = (before.run.clone(), one.run.clone());
            overlaps.push(Overlap { first, other, is_one_launch: false });
        }
        if latest.is_none_or(|before| one.last_trial_at > before.last_trial_at) {
            latest = Some(one);
        }
    }
    overlaps
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
        for (place, first) in &disk.firsts {
            let Some(logs) = first.answers.get(place).filter(|logs| !logs.is_empty()) else { continue };
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
