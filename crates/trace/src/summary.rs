//! What a traced phase comes to: its operations laid out and summed, as they are recorded.

use crate::trace::Trace;
use crate::waterfall::{Neighbour, Operation, Waterfall};
use model::traced::{
    Segment, SegmentTime, Stamp, Stamps, TimeSpent, TracedFamily, TracedNeighbour, TracedPhase,
};
use std::collections::BTreeMap;

/// One operation of this many is among the slowest.
const SLOWEST_OF: usize = 100;
/// Programs beside the operations that are kept.
const NEIGHBOURS_MAX: usize = 8;

/// What the operations of a phase spent their time on. Stamps outside the recording are of other phases.
pub fn phase(name: &str, trace: &Trace, stamps: &[Stamps]) -> TracedPhase {
    let (waterfall, programs) = (Waterfall::new(trace), trace.programs());
    let families = stamps.iter().filter_map(|stamps| family(trace, &waterfall, &programs, stamps)).collect();
    TracedPhase {
        name: name.to_owned(),
        traced_s: trace.ended_ns.saturating_sub(trace.began_ns) as f64 / 1e9,
        events: trace.events.len() as u64,
        lost_records: trace.lost,
        events_beyond_limit: trace.beyond_limit,
        missing_tracepoints: trace
            .missing
            .iter()
            .map(|missing| format!("{}: {}", missing.tracepoint, missing.reason))
            .collect(),
        families,
    }
}

/// `None` if the phase has no operation of the family.
fn family(
    trace: &Trace,
    waterfall: &Waterfall,
    programs: &BTreeMap<u32, String>,
    stamps: &Stamps,
) -> Option<TracedFamily> {
    let is_of_phase = |stamp: &&Stamp| stamp.ended_ns > trace.began_ns && stamp.began_ns < trace.ended_ns;
    let (mut covered, unmatched): (Vec<Stamp>, Vec<Stamp>) =
        stamps.kept.iter().filter(is_of_phase).partition(|stamp| covers(trace, stamp));
    if covered.is_empty() && unmatched.is_empty() {
        return None;
    }
    covered.sort_by_key(|stamp| std::cmp::Reverse(stamp.ended_ns.saturating_sub(stamp.began_ns)));
    let slowest_count = covered.len().div_ceil(SLOWEST_OF);
    let own = covered.first().and_then(|stamp| programs.get(&trace.thread(stamp.thread)));
    let (mut all, mut slowest, mut slowest_operation) = (Sum::default(), Sum::default(), Vec::new());
    for (place, stamp) in covered.iter().enumerate() {
        let operation = waterfall.operation(trace.thread(stamp.thread), stamp.began_ns, stamp.ended_ns);
        all.add(&operation);
        if place < slowest_count {
            slowest.add(&operation);
        }
        if place == 0 {
            slowest_operation = in_order(&operation);
        }
    }
    Some(TracedFamily {
        family: stamps.family.clone(),
        unmatched: unmatched.len() as u64,
        unstamped: stamps.beyond_limit,
        neighbours: neighbours(&all.neighbours, programs, own),
        all: all.into_time_spent(),
        slowest: slowest.into_time_spent(),
        slowest_operation,
    })
}

/// Whether the recording goes on from before an operation until after it. One that reached its limit of events ends
/// with the last of them.
fn covers(trace: &Trace, stamp: &Stamp) -> bool {
    let last_ns = match trace.events.last() {
        Some(last) if trace.beyond_limit > 0 => last.time_ns,
        Some(_) | None => trace.ended_ns,
    };
    trace.began_ns <= stamp.began_ns && stamp.ended_ns <= last_ns
}

fn in_order(operation: &Operation) -> Vec<SegmentTime> {
    let time = |segment: &crate::waterfall::Segment| SegmentTime {
        segment: segment.spent_on(),
        duration_ns: segment.duration_ns(),
    };
    operation.segments.iter().map(time).collect()
}

/// The programs of threads beside the operations, those with the largest part of anything first. The operations' own
/// program may keep them waiting, and its requests are not foreign.
fn neighbours(
    threads: &BTreeMap<u32, Neighbour>,
    programs: &BTreeMap<u32, String>,
    own: Option<&String>,
) -> Vec<TracedNeighbour> {
    let (mut all, mut by_program) = (Neighbour::default(), BTreeMap::<&str, Neighbour>::new());
    for (thread, neighbour) in threads {
        let program = programs.get(thread).map_or("", String::as_str);
        by_program.entry(program).or_default().add(neighbour);
        all.add(neighbour);
    }
    if let Some(neighbour) = own.and_then(|own| by_program.get_mut(own.as_str())) {
        neighbour.requests = 0;
    }
    let part = |of: &Neighbour| {
        let part = |of: u64, all: u64| of as f64 / all.max(1) as f64;
        part(of.ran_ns, all.ran_ns).max(part(of.requests, all.requests))
    };
    let mut found: Vec<(&str, Neighbour)> = by_program.into_iter().collect();
    found.sort_by(|(_, one), (_, other)| part(other).total_cmp(&part(one)));
    found.truncate(NEIGHBOURS_MAX);
    let recorded = |(program, Neighbour { ran_ns, requests }): (&str, Neighbour)| TracedNeighbour {
        program: program.to_owned(),
        ran_ns,
        requests,
    };
    found.into_iter().map(recorded).collect()
}

/// What some operations spent their time on, while they are added.
#[derive(Default)]
struct Sum {
    operations: u64,
    neighbours: BTreeMap<u32, Neighbour>,
    segments: BTreeMap<Segment, u64>,
}

impl Sum {
    fn add(&mut self, operation: &Operation) {
        self.operations += 1;
        for (thread, neighbour) in &operation.neighbours {
            self.neighbours.entry(*thread).or_default().add(neighbour);
        }
        for SegmentTime { segment, duration_ns } in in_order(operation) {
            *self.segments.entry(segment).or_default() += duration_ns;
        }
    }

    fn into_time_spent(self) -> TimeSpent {
        TimeSpent {
            operations: self.operations,
            duration_ns: self.segments.values().sum(),
            foreign_requests: self.neighbours.values().map(|neighbour| neighbour.requests).sum(),
            segments: self
                .segments
                .into_iter()
                .map(|(segment, duration_ns)| SegmentTime { segment, duration_ns })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, EventKind};
    use model::traced::Stage;

    const THREAD: u32 = 1;

    /// A thread that runs all the time.
    fn trace(ended_ns: u64) -> Trace {
        let event =
            Event { time_ns: 5, cpu: 0, thread: THREAD, in_interrupt: false, kind: EventKind::Woken(9) };
        Trace { events: vec![event], ended_ns, ..Trace::default() }
    }

    fn stamps(kept: Vec<(u64, u64)>) -> Stamps {
        let stamp = |(began_ns, ended_ns)| Stamp { thread: THREAD, began_ns, ended_ns };
        Stamps {
            family: "commit_latency".to_owned(),
            kept: kept.into_iter().map(stamp).collect(),
            beyond_limit: 3,
        }
    }

    #[test]
    fn the_segments_of_all_operations_sum_to_their_latencies() {
        let kept: Vec<(u64, u64)> = (0..250).map(|index| (1000 * index, 1000 * index + 10 + index)).collect();
        let latency_ns: u64 = kept.iter().map(|(began, ended)| ended - began).sum();
        let phase = phase("measure", &trace(1_000_000), &[stamps(kept)]);
        let family = &phase.families[0];
        assert_eq!((family.all.operations, family.slowest.operations), (250, 3));
        assert_eq!((family.unmatched, family.unstamped), (0, 3));
        assert_eq!(family.all.duration_ns, latency_ns);
        assert_eq!(family.slowest.duration_ns, 259 + 258 + 257);
        let stages: Vec<Stage> = family.slowest_operation.iter().map(|time| time.segment.stage).collect();
        assert_eq!(stages, [Stage::FileSystem]);
    }

    #[test]
    fn programs_beside_the_operations_are_named_and_the_largest_come_first() {
        let neighbour = |ran_ns, requests| Neighbour { ran_ns, requests };
        let threads = BTreeMap::from([
            (2, neighbour(30, 0)),
            (3, neighbour(40, 1)),
            (4, neighbour(5, 9)),
            (5, neighbour(1, 0)),
        ]);
        let programs =
            [(2, "cc1plus"), (3, "cc1plus"), (4, "dd")].map(|(thread, name)| (thread, name.to_owned()));
        let programs = BTreeMap::from(programs);
        let named = |own: Option<&String>| -> Vec<(String, u64, u64)> {
            let found = neighbours(&threads, &programs, own).into_iter();
            found.map(|of| (of.program, of.ran_ns, of.requests)).collect()
        };
        let expected = |dd_requests| {
            [("cc1plus", 70, 1), ("dd", 5, dd_requests), ("", 1, 0)]
                .map(|(program, ran_ns, requests)| (program.to_owned(), ran_ns, requests))
        };
        assert_eq!(named(None), expected(9));
        assert_eq!(named(programs.get(&4)), expected(0), "its own requests");
        let many: BTreeMap<u32, String> = (0..20).map(|thread| (thread, thread.to_string())).collect();
        let busy = (0..20).map(|thread| (thread, neighbour(u64::from(thread), 0))).collect();
        let found = neighbours(&busy, &many, None);
        assert_eq!((found.len(), found[0].ran_ns), (NEIGHBOURS_MAX, 19));
    }

    #[test]
    fn an_operation_that_the_recording_does_not_cover_is_counted_apart() {
        let mut trace = trace(100);
        trace.began_ns = 10;
        let phase =
            phase("measure", &trace, &[stamps(vec![(2, 5), (5, 20), (20, 30), (90, 110), (200, 300)])]);
        let family = &phase.families[0];
        assert_eq!(
            (family.all.operations, family.unmatched),
            (1, 2),
            "the first and the last are of other phases"
        );
        trace.beyond_limit = 1;
        trace.events[0].time_ns = 25;
        let cut = super::phase("measure", &trace, &[stamps(vec![(12, 20), (20, 30)])]);
        assert_eq!((cut.families[0].all.operations, cut.families[0].unmatched), (1, 1));
    }
}
