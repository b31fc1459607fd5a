//! The runs of each disk in the order of time, and their series.

use super::event::{self, Event};
use super::probe::{Disk, Followed, Probe, Unfit};
use super::question::Question;
use super::series::{Point, Series, Withheld};
use super::spikes::SpikesOfDisk;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The histories of the disks of many runs.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// In the order of their names.
    pub disks: Vec<DiskHistory>,
    /// Runs that are part of none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
}

/// A run that is not used.
#[derive(Clone, Debug, Serialize)]
pub struct Unused {
    /// The user's name for it.
    pub run: String,
    pub why: Unfit,
}

/// The history of one disk.
#[derive(Clone, Debug, Serialize)]
pub struct DiskHistory {
    pub disk: Disk,
    /// In the order of time.
    pub runs: Vec<RunOfHistory>,
    /// By study and metric, the anchor first.
    pub series: Vec<Series>,
    /// Changes of all series but controls, by run.
    pub events: Vec<Event>,
    /// `None` if no run looked for spikes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spikes: Option<SpikesOfDisk>,
}

/// A run of a history.
#[derive(Clone, Debug, Serialize)]
pub struct RunOfHistory {
    /// The user's name for it.
    pub run: String,
    pub began_at: String,
    /// Whether it was created before the last trial of the run before it: two ran at once, or the clock was set back.
    pub is_overlapping: bool,
    /// Whether the clock was set back while it ran.
    pub is_clock_set_back: bool,
    /// Whether others used the machine while it ran. Its figures are used: what others do is the noise of a series.
    pub is_disturbed: bool,
}

impl History {
    /// The histories of these runs, and those that cannot be used.
    pub fn new(probes: Vec<Probe>, unused: Vec<Unused>) -> Self {
        let mut unused = unused;
        let mut by_disk: BTreeMap<Disk, Vec<Probe>> = BTreeMap::new();
        let mut known: BTreeMap<(String, u64, String), String> = BTreeMap::new();
        for probe in probes {
            match known.get(&probe.identity) {
                Some(run) => unused.push(Unused { run: probe.run, why: Unfit::CopyOf { run: run.clone() } }),
                None => {
                    known.insert(probe.identity.clone(), probe.run.clone());
                    by_disk.entry(probe.disk.clone()).or_default().push(probe);
                }
            }
        }
        Self {
            disks: by_disk.into_iter().map(|(disk, probes)| DiskHistory::new(disk, probes)).collect(),
            unused,
        }
    }

    /// Full names of the metrics that the latest runs have.
    pub fn metrics(&self) -> Vec<String> {
        let current = self.disks.iter().flat_map(|disk| &disk.series).filter(|series| series.is_current);
        let names: BTreeSet<&String> = current.map(|series| &series.question.metric).collect();
        names.into_iter().cloned().collect()
    }

    pub(super) fn runs(&self) -> usize {
        self.disks.iter().map(|disk| disk.runs.len()).sum()
    }
}

impl DiskHistory {
    fn new(disk: Disk, mut probes: Vec<Probe>) -> Self {
        probes.sort_by(|one, other| (&one.began_at, &one.run).cmp(&(&other.began_at, &other.run)));
        let mut ended: &str = "";
        let mut runs = Vec::new();
        for probe in &probes {
            runs.push(RunOfHistory {
                run: probe.run.clone(),
                began_at: probe.began_at.clone(),
                is_overlapping: probe.began_at.as_str() < ended,
                is_clock_set_back: probe.is_clock_set_back,
                is_disturbed: probe.is_disturbed,
            });
            ended = ended.max(probe.last_trial_at.as_str());
        }
        let series = series(&probes);
        let events = event::events(&series, &probes);
        let spikes = SpikesOfDisk::of(probes.iter().filter_map(|probe| probe.spikes.as_ref()));
        Self { disk, runs, series, events, spikes }
    }

    /// The series that are not controls.
    pub fn followed(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| !series.is_control())
    }
}

/// The series of every question, those of the latest run first and in its order.
fn series(probes: &[Probe]) -> Vec<Series> {
    let mut places: BTreeMap<&Question, usize> = BTreeMap::new();
    let mut gathered: Vec<(&Question, Vec<Point>, Vec<Withheld>)> = Vec::new();
    for probe in probes.iter().rev() {
        for (question, _) in &probe.figures {
            places.entry(question).or_insert_with(|| {
                gathered.push((question, Vec::new(), Vec::new()));
                gathered.len() - 1
            });
        }
    }
    for (run, probe) in probes.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for (question, figure) in &probe.figures {
            // A plan of a stranger may ask a question twice.
            let Some(place) = places.get(question).filter(|place| seen.insert(**place)) else { continue };
            let (_, points, withheld) = &mut gathered[*place];
            match figure {
                Followed::Figure(figure) if figure.point.is_some() => {
                    points.push(Point { run, figure: figure.clone() });
                }
                Followed::Figure(figure) => {
                    let why = figure.reason.clone().unwrap_or_default();
                    withheld.push(Withheld { run, why });
                }
                Followed::Withheld(why) => withheld.push(Withheld { run, why: why.clone() }),
            }
        }
    }
    let latest = probes.last();
    let is_current = |question: &Question| latest.is_some_and(|latest| latest.figure(question).is_some());
    let series = gathered.into_iter().map(|(question, points, withheld)| {
        Series::new(question.clone(), points, withheld, is_current(question))
    });
    series.collect()
}
