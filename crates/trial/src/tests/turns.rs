//! A trial that takes turns: what it tells the lab, in which order, and what its record counts.

use super::Stage;
use crate::line::TurnChannel;
use crate::measure::measure;
use crate::prepare::prepare;
use crate::refusal::Refusal;
use model::trial::{Measurement, TrialSpec, WorkerReply};
use model::turns::{Slice, Turn, TurnOrder};
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

/// What a worker writes to the lab.
#[derive(Clone, Default)]
struct Lab(Arc<Mutex<Vec<u8>>>);

impl Write for Lab {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lab {
    fn replies(&self) -> Vec<WorkerReply> {
        let bytes = self.0.lock().unwrap();
        serde_json::Deserializer::from_slice(&bytes).into_iter().map(Result::unwrap).collect()
    }

    /// The worker's answers to its turns; its first line says that it waits.
    fn slices(&self) -> Vec<Slice> {
        let mut replies = self.replies().into_iter();
        assert_eq!(replies.next(), Some(WorkerReply::Waiting { phase: "measure".to_owned() }));
        replies
            .map(|reply| match reply {
                WorkerReply::Turned(slice) => slice,
                other => panic!("{other:?}"),
            })
            .collect()
    }
}

/// A trial of reads that ends with its turns.
fn reads(stage: &Stage) -> TrialSpec {
    let mut spec = stage.reads(&[("number_ios", "0"), ("runtime", "1s"), ("random_distribution", "uniform")]);
    spec.takes_turns = true;
    spec.seat = Some(0);
    spec
}

/// Runs the trial with these orders, all of which the lab has given before it starts.
fn in_turns(spec: &TrialSpec, orders: &[TurnOrder]) -> (Result<Measurement, Refusal>, Lab) {
    let orders: Vec<String> =
        orders.iter().map(|order| serde_json::to_string(order).unwrap() + "\n").collect();
    let lab = Lab::default();
    let line = TurnChannel::new(Cursor::new(orders.concat()), lab.clone());
    let measurement = measure(spec, &line).map(|reply| match reply {
        WorkerReply::Measured(measurement) => *measurement,
        other => panic!("{other:?}"),
    });
    (measurement, lab)
}

fn turn(cycle: u32) -> TurnOrder {
    TurnOrder::Turn(Turn { cycle, predecessor: None, slice_s: 0.004, settle_s: 0.001 })
}

#[test]
fn each_turn_is_answered_and_only_its_window_is_measured() {
    let stage = Stage::new();
    let spec = reads(&stage);
    prepare(&spec).unwrap();
    let (measurement, lab) = in_turns(&spec, &[turn(1), turn(2), turn(3), TurnOrder::End]);
    let measurement = measurement.unwrap();
    let slices = lab.slices();
    assert_eq!(slices.iter().map(|slice| slice.turn.cycle).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(slices.is_sorted_by(|one, next| one.began_s < next.began_s));
    assert!(slices.iter().all(|slice| !slice.is_over && slice.left_bytes.is_none()));

    let phase = &measurement.phases[0];
    let taken = phase.turns.as_ref().unwrap();
    let windows_s: f64 = slices.iter().map(|slice| slice.window_s).sum();
    assert_eq!(taken.slices, 3);
    assert!((phase.duration_s - windows_s).abs() < 1e-6, "{} s, {windows_s} s", phase.duration_s);
    let counted: u64 = slices.iter().flat_map(|slice| slice.quarters).sum();
    assert_eq!(phase.operations, counted);
    // What settles and drains is in the counters, and in no figure.
    assert!(taken.operations >= phase.operations && taken.turns_s >= phase.duration_s);
    assert_eq!(measurement.sidecar.unwrap().slices["measure"], slices);
}

#[test]
fn a_turn_is_over_when_the_workload_is() {
    let stage = Stage::new();
    let mut spec = stage.reads(&[]);
    spec.takes_turns = true;
    prepare(&spec).unwrap();
    let whole = TurnOrder::Turn(Turn::WHOLE);
    let (measurement, lab) = in_turns(&spec, &[whole, TurnOrder::End]);
    let [slice] = <[Slice; 1]>::try_from(lab.slices()).unwrap();
    assert!(slice.is_over);
    assert_eq!(slice.progress.unwrap().operations.iter().sum::<u64>(), 64);
    assert_eq!(measurement.unwrap().phases[0].operations, 64);
}

#[test]
fn a_trial_that_writes_says_what_it_leaves_to_the_next() {
    let stage = Stage::new();
    let mut spec = stage.commits(&[("groups", "0"), ("runtime", "1s")]);
    spec.takes_turns = true;
    prepare(&spec).unwrap();
    let (measurement, lab) = in_turns(&spec, &[turn(1), TurnOrder::End]);
    let [slice] = <[Slice; 1]>::try_from(lab.slices()).unwrap();
    assert!(slice.left_bytes.is_some());
    let turns = measurement.unwrap().phases.remove(0).turns.unwrap();
    assert_eq!(turns.left_bytes_max, slice.left_bytes);
}

/// The lab was killed between two turns: nobody would read the figures.
#[test]
fn a_line_that_ends_without_a_word_fails_the_trial() {
    let stage = Stage::new();
    let spec = reads(&stage);
    prepare(&spec).unwrap();
    let (measurement, lab) = in_turns(&spec, &[turn(1)]);
    let Err(Refusal::Failed(why)) = measurement else { panic!("{measurement:?}") };
    let said = "backend: the lab gives no more turns: it has ended; look at dmesg";
    assert_eq!(why, format!("{}: {said}", stage.path().join("files").display()));
    assert_eq!(lab.slices().len(), 1);
}

/// A trial of objects with one client that waits for its turns.
fn objects(stage: &Stage, changes: &[(&str, &str)]) -> TrialSpec {
    let few = [("objects", "4"), ("object_size", "8KiB"), ("kept_objects", "8"), ("clients", "1")];
    TrialSpec { takes_turns: true, ..stage.spec("object", &[&few, changes].concat()) }
}

/// Direct gets could take slices, in which the lab decides when they end. In a whole turn they went on for ever.
#[test]
fn objects_end_a_whole_turn_by_themselves() {
    let stage = Stage::new();
    let changes = [("mix", "get/100"), ("io", "direct"), ("runtime", "20ms"), ("operations_max", "0")];
    let spec = TrialSpec { has_whole_turns: true, ..objects(&stage, &changes) };
    if let Err(Refusal::Unsupported(why)) = prepare(&spec) {
        skip::because(&why);
        return;
    }
    let (measurement, lab) = in_turns(&spec, &[TurnOrder::Turn(Turn::WHOLE), TurnOrder::End]);
    let measurement = match measurement {
        Err(Refusal::Unsupported(why)) => {
            skip::because(&why);
            return;
        }
        measurement => measurement.unwrap(),
    };
    let [slice] = &lab.slices()[..] else { panic!("one turn") };
    assert!(slice.is_over && slice.window_s >= 0.02, "{slice:?}");
    let phase = &measurement.phases[0];
    assert!(phase.operations > 0 && (phase.duration_s - slice.window_s).abs() < 1e-9, "{phase:?}");
}

/// Ranks read together what they have put: without the turns of that phase there was no rate of all ranks.
#[test]
fn the_turns_of_a_restore_are_recorded_beside_those_of_the_puts() {
    let stage = Stage::new();
    let changes = [("mix", "put/100"), ("restore", "true"), ("runtime", "0s"), ("operations_max", "6")];
    let spec = objects(&stage, &changes);
    prepare(&spec).unwrap();
    let whole = [TurnOrder::Turn(Turn::WHOLE), TurnOrder::End];
    let (measurement, _) = in_turns(&spec, &[whole, whole].concat());
    let measurement = measurement.unwrap();
    let slices = &measurement.sidecar.as_ref().unwrap().slices;
    for phase in &measurement.phases {
        assert_eq!(phase.operations, 6, "{}", phase.name);
        let [slice] = &slices[&phase.name][..] else { panic!("{}: {slices:?}", phase.name) };
        assert!(slice.is_over && slice.window_s > 0.0, "{slice:?}");
    }
    assert_eq!(slices.len(), 2);
}
