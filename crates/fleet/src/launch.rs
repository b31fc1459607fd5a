//! The launches that runs belong to, by rank and number of ranks: which ranks are missing, and which hosts have one
//! name.

use crate::gap::{MissingRanks, Unused};
use crate::gather::Fleet;
use crate::rule::{TOGETHER_S, seconds};
use model::rank::Rank;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Missing ranks that are listed; their number is always known.
const LISTED_MAX: usize = 20;

/// The runs that one launcher started. No two of them that measured something have one rank.
pub(crate) struct Launch<'a> {
    folder: &'a Path,
    size: u32,
    /// In the order of time.
    runs: Vec<Ranked<'a>>,
}

/// A run that knows its rank.
struct Ranked<'a> {
    began_s: i64,
    began_at: &'a str,
    run: &'a str,
    rank: u32,
    /// A run that measured nothing may be followed by another one of the same rank in the same launch.
    has_measured: bool,
}

/// The launches of a fleet, those of one folder and size in the order of time. Second measurements are not launched
/// together.
pub(crate) fn launches(fleet: &Fleet) -> Vec<Launch<'_>> {
    let measured = fleet.disks.values().flatten().filter(|run| !run.again);
    let measured = measured.map(|run| (run.rank, run.began_at.as_str(), run.run.as_str(), true));
    let unread = fleet.unread.iter().filter_map(|unread| match &unread.why {
        Unused::MeasuredNothing { rank, began_at, .. } => {
            Some((*rank, began_at.as_str(), unread.run.as_str(), false))
        }
        Unused::Unreadable { .. } | Unused::Shared => None,
    });
    let mut by_folder: BTreeMap<(&Path, u32), Vec<Ranked<'_>>> = BTreeMap::new();
    for (rank, began_at, run, has_measured) in measured.chain(unread) {
        let Some(Rank { rank, size: Some(size), .. }) = rank else { continue };
        let Some(began_s) = seconds(began_at) else { continue };
        let ranked = Ranked { began_s, began_at, run, rank, has_measured };
        by_folder.entry((parent(Path::new(run)), size)).or_default().push(ranked);
    }
    let mut together: BTreeMap<(&Path, u32), Vec<Ranked<'_>>> = BTreeMap::new();
    for ((folder, size), runs) in by_folder {
        // Ranks that write below disks of their own are collected in a folder each.
        let is_of_one_rank = runs.iter().all(|run| run.rank == runs[0].rank);
        let folder = if is_of_one_rank { parent(folder) } else { folder };
        together.entry((folder, size)).or_default().extend(runs);
    }
    let launches = together.into_iter().flat_map(|((folder, size), runs)| {
        split(runs).into_iter().map(move |runs| Launch { folder, size, runs })
    });
    launches.collect()
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The runs of each launch. If a rank measured twice, the longest pause between its two runs lies between their
/// launches.
fn split(mut runs: Vec<Ranked<'_>>) -> Vec<Vec<Ranked<'_>>> {
    runs.sort_by_key(|run| (run.began_s, run.run));
    let (mut launches, mut launch) = (Vec::new(), Vec::<Ranked<'_>>::new());
    for run in runs {
        let is_late = launch.first().is_some_and(|first| run.began_s - first.began_s > TOGETHER_S);
        let is_twin = |known: &Ranked<'_>| known.rank == run.rank && known.has_measured && run.has_measured;
        let ends_after = if is_late { launch.len().checked_sub(1) } else { launch.iter().position(is_twin) };
        launch.push(run);
        if let Some(place) = ends_after {
            let pause = |next: &usize| launch[*next].began_s - launch[next - 1].began_s;
            let next = (place + 1..launch.len()).max_by_key(pause).unwrap_or(place + 1);
            let later = launch.split_off(next);
            launches.push(std::mem::replace(&mut launch, later));
        }
    }
    launches.push(launch);
    launches
}

/// The ranks without a run in the latest launch of each folder and size.
pub(crate) fn missing(launches: &[Launch<'_>]) -> Vec<MissingRanks> {
    let is_same = |a: &Launch<'_>, b: &Launch<'_>| (a.folder, a.size) == (b.folder, b.size);
    let latest = launches.chunk_by(is_same).filter_map(<[_]>::split_last);
    let missing = latest.filter_map(|(launch, before)| {
        let present: BTreeSet<u32> = launch.runs.iter().map(|run| run.rank).collect();
        let missing = launch.size as usize - present.range(..launch.size).count();
        let absent = (0..launch.size).filter(|rank| !present.contains(rank));
        let measured = before.iter().flat_map(|launch| &launch.runs).filter(|run| run.has_measured);
        let earlier: BTreeSet<u32> = measured.map(|run| run.rank).collect();
        (missing > 0).then(|| MissingRanks {
            earlier: earlier.range(..launch.size).filter(|rank| !present.contains(rank)).count(),
            folder: launch.folder.display().to_string(),
            began_at: launch.runs.first().map_or("", |first| first.began_at).to_owned(),
            size: launch.size,
            missing,
            first: absent.take(LISTED_MAX).collect(),
        })
    });
    missing.collect()
}

/// The launch of each run, by run directory.
pub(crate) fn by_run<'a>(launches: &[Launch<'a>]) -> BTreeMap<&'a str, usize> {
    let runs = launches.iter().enumerate();
    runs.flat_map(|(place, launch)| launch.runs.iter().map(move |run| (run.run, place))).collect()
}
