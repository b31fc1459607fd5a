//! What changed at one time: the series whose level changed between the same runs, and what was recorded to differ
//! there.

use super::probe::Probe;
use super::series::Series;
use crate::compare::Difference;
use serde::Serialize;

/// Changes this many runs apart are one event: a place is known to a run or two only.
const APART_MAX: usize = 2;

/// Changes at one time.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// The first run after its first change.
    pub run: usize,
    /// Series and the change there, by their places.
    pub changes: Vec<(usize, usize)>,
    /// What is recorded differently before and after it: kernel, mount options, the program's version.
    pub around: Vec<Difference>,
}

/// The changes of all series but controls, by run.
pub(super) fn events(series: &[Series], probes: &[Probe]) -> Vec<Event> {
    let mut changes = Vec::new();
    for (place, series) in series.iter().enumerate().filter(|(_, series)| !series.is_control()) {
        changes.extend(series.changes.iter().enumerate().map(|(number, change)| (change.run, place, number)));
    }
    changes.sort_unstable();
    let mut events: Vec<(usize, Event)> = Vec::new();
    for (run, place, number) in changes {
        match events.last_mut().filter(|(last, _)| run <= *last + APART_MAX) {
            Some((last, event)) => {
                *last = run;
                event.changes.push((place, number));
            }
            None => events.push((run, Event { run, changes: vec![(place, number)], around: Vec::new() })),
        }
    }
    let with_around = events.into_iter().map(|(last, event)| {
        let before = event.changes.iter().map(|(place, number)| series[*place].changes[*number].last_before);
        let before = before.min().unwrap_or(event.run);
        Event { around: differences(&probes[before], &probes[last]), ..event }
    });
    with_around.collect()
}

fn differences(before: &Probe, after: &Probe) -> Vec<Difference> {
    let pairs = before.facts.iter().zip(&after.facts);
    let differing = pairs.filter(|((what, a), (_, b))| a != b && *what != "begun at");
    differing
        .map(|((what, a), (_, b))| Difference { what: (*what).to_owned(), a: a.clone(), b: b.clone() })
        .collect()
}
