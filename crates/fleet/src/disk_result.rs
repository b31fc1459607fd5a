//! What is known about each disk.

use crate::distribution::{Distribution, Figure};
use crate::fact::Facts;
use crate::figures::{Answers, Measured};
use crate::gap::{FailedTrials, Unread, Unused};
use crate::gather::Measurement;
use crate::rule::ROUNDS_MIN;
use crate::standing::DiskStatus;
use crate::statement::{Difference, DiskResult, RunOfDisk, RunUse};
use crate::suspect::{Suspect, SuspectOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// What the distributions show of a disk.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Where it is the furthest from the median, and how many times as fast as that.
    slowest: Option<(usize, f64)>,
    /// Whether its stratum is judged in any question.
    is_stratum_judged: bool,
    /// Questions in which the disk is judged with it.
    judged: usize,
    /// Questions that are judged in its stratum, were asked of it and have no figure of enough rounds.
    unanswered: usize,
}

pub(crate) fn disk_results(
    disks: &[Measured<'_>],
    distributions: &[Distribution],
    answers: &[Answers<'_>],
    suspects: &[Suspect],
    unread: &[Unread],
) -> Vec<DiskResult> {
    let seen = seen(disks, distributions, answers);
    let result = |(index, (measured, seen)): (usize, (&Measured<'_>, Seen))| {
        let mut of_disk = suspects.iter().filter(|suspect| suspect.disk == index).peekable();
        let is_suspect = of_disk.peek().is_some();
        let suspicion = of_disk.map(|suspect| standing(&suspect.outcome)).min();
        let used = || measured.all.iter().filter(|run| use_of(measured, run) != RunUse::Unused);
        let failed = FailedTrials::sum(used().map(|run| &run.failed));
        let is_checked = seen.judged > 0
            && seen.unanswered == 0
            && failed.count == 0
            && measured.uses_latest()
            && !has_measured_nothing_since(measured, unread);
        let unsuspected = match (is_checked, seen.is_stratum_judged) {
            (true, _) => DiskStatus::WithinLimits,
            (false, true) => DiskStatus::NotChecked,
            (false, false) => DiskStatus::NotAssessable,
        };
        // What was confirmed in no question is not known in the others, if these were not checked.
        let standing = match suspicion {
            Some(suspicion) if unsuspected == DiskStatus::NotChecked => suspicion.min(unsuspected),
            Some(suspicion) => suspicion,
            None => unsuspected,
        };
        DiskResult {
            disk: measured.disk.clone(),
            stratum: measured.stratum,
            runs: measured.all.iter().map(|run| run_of_disk(measured, run)).collect(),
            standing,
            slowest: seen.slowest,
            failed,
            judged: seen.judged,
            unanswered: seen.unanswered,
            differences: if is_suspect { differences(measured, disks) } else { Vec::new() },
        }
    };
    disks.iter().zip(seen).enumerate().map(result).collect()
}

fn seen(disks: &[Measured<'_>], distributions: &[Distribution], answers: &[Answers<'_>]) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); disks.len()];
    for (place, (distribution, answers)) in distributions.iter().zip(answers).enumerate() {
        let mut judged = BTreeSet::new();
        for figure in &distribution.figures {
            let times = times_median(figure, distribution, answers.sign);
            let slowest = &mut seen[figure.disk].slowest;
            if slowest.is_none_or(|(_, known)| times < known) {
                *slowest = Some((place, times));
            }
            if figure.interval.is_some() && figure.rounds >= ROUNDS_MIN {
                judged.insert(figure.disk);
            }
        }
        if distribution.limit.is_none() {
            continue;
        }
        for (index, disk) in disks.iter().enumerate().filter(|(_, it)| it.stratum == distribution.stratum) {
            let (seen, is_judged) = (&mut seen[index], judged.contains(&index));
            seen.is_stratum_judged = true;
            seen.judged += usize::from(is_judged);
            let is_asked = disk.firsts.contains_key(&answers.recorded_as);
            seen.unanswered += usize::from(is_asked && !is_judged);
        }
    }
    seen
}

/// How many times as fast as the median a disk is.
pub(crate) fn times_median(figure: &Figure, distribution: &Distribution, sign: f64) -> f64 {
    (sign * (figure.value / distribution.median).ln()).exp()
}

/// Whether a later run on this disk than those that are used has no trial that measured anything.
fn has_measured_nothing_since(measured: &Measured<'_>, unread: &[Unread]) -> bool {
    let latest = measured.firsts.values().map(|first| &first.began_at).max();
    unread.iter().any(|unread| match &unread.why {
        Unused::MeasuredNothing { disk, began_at, .. } => {
            disk == measured.disk && latest.is_none_or(|latest| began_at > latest)
        }
        Unused::Unreadable { .. } | Unused::Shared => false,
    })
}

fn run_of_disk(measured: &Measured<'_>, run: &Measurement) -> RunOfDisk {
    RunOfDisk {
        run: run.run.clone(),
        began_at: run.began_at.clone(),
        rank: run.rank,
        used: use_of(measured, run),
    }
}

fn use_of(measured: &Measured<'_>, run: &Measurement) -> RunUse {
    if measured.is_first(run) {
        RunUse::First
    } else if measured.is_second(run) {
        RunUse::Second
    } else {
        RunUse::Unused
    }
}

fn standing(outcome: &SuspectOutcome) -> DiskStatus {
    match outcome {
        SuspectOutcome::Slow(_) => DiskStatus::Slow,
        SuspectOutcome::NotConfirmed(_) => DiskStatus::NotConfirmed,
        SuspectOutcome::Doubted { .. }
        | SuspectOutcome::TooFewControls { .. }
        | SuspectOutcome::TooFewRounds { .. }
        | SuspectOutcome::MeasureAgain => DiskStatus::Suspect,
    }
}

/// What most disks of the stratum share, and this one does not.
fn differences(suspect: &Measured<'_>, disks: &[Measured<'_>]) -> Vec<Difference> {
    let of_stratum = disks.iter().filter(|disk| disk.stratum == suspect.stratum);
    let facts: Vec<&Facts> = of_stratum.filter_map(facts_of).collect();
    let Some(here) = facts_of(suspect) else { return Vec::new() };
    let recorded: BTreeSet<_> = facts.iter().flat_map(|facts| facts.keys().copied()).collect();
    let difference = |fact| {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for text in facts.iter().filter_map(|facts| facts.get(&fact)) {
            *counts.entry(text).or_insert(0) += 1;
        }
        let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let differs = 2 * count > facts.len() && here.get(&fact) != Some(most);
        differs.then(|| Difference { fact, here: here.get(&fact).cloned(), most: most.clone() })
    };
    recorded.into_iter().filter_map(difference).collect()
}

/// What the latest run that is screened recorded.
fn facts_of<'a>(measured: &Measured<'a>) -> Option<&'a Facts> {
    measured.firsts.values().max_by_key(|first| &first.began_at).map(|first| &first.facts)
}
