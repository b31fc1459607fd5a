//! Trials that take turns: one whose worker dies, hangs, is stopped or talks nonsense fails alone, and nobody waits for
//! ever. The workers here are shell scripts that follow the protocol; a healthy one says at its end that it measures
//! nothing.

use crate::run_directory::host;
use crate::toy;
use lab::capacity::{Machine, take_turns_where_they_fit};
use lab::conduct::{Conducted, Laboratory, Observer};
use lab::next::{Due, TakesTurns, ensemble, in_order};
use lab::premises::{Premises, Resources};
use lab::run_directory::{RunDirectory, read};
use lab::time_account::TimeAccount;
use lab::timeout::Timeout;
use lab::worker::WorkerCommand;
use model::description::Interleaving;
use model::plan::{Plan, Turns};
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};
use model::turns::Arm;
use model::{Configuration, Description};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const TURNED: &str = r#"echo '{"turned":{"cycle":1,"predecessor":null,"slice_s":0.025,"settle_s":0,"began_s":0,"window_s":0.25,"drain_s":0,"quarters":[1,1,1,1],"latency_mean_s":0.0001,"is_over":false}}'"#;
const WAITING: &str = r#"echo '{"waiting":{"phase":"reads"}}'"#;
const END: &str = r#"echo '{"unsupported":{"why":"healthy"}}'"#;

/// A worker that does these at its start, in each turn and at the end of its turns.
fn worker(start: &str, turn: &str, end: &str) -> String {
    format!(
        r#"read -r request
case "$request" in '{{"prepare"'*) echo '{{"prepared":{{"seconds":0}}}}'; exit;; esac
{start}
while read -r order; do
  case "$order" in *turn*) {turn};; *) {end}; exit;; esac
done"#
    )
}

fn in_turn(turn: &str) -> String {
    worker(WAITING, turn, END)
}

/// Two healthy workers around the one under test.
struct Scripts<'a> {
    middle: String,
    directory: &'a Path,
    allocated: usize,
    released: usize,
}

impl Premises for Scripts<'_> {
    fn work_directory(&self) -> &Path {
        self.directory
    }

    fn allocate(&mut self, description: &Description, _: &Configuration) -> Result<Resources, String> {
        let healthy = worker(WAITING, TURNED, END);
        let script = if description.data_bytes == Some(1) { &self.middle } else { &healthy };
        self.allocated += 1;
        Ok(Resources {
            worker: WorkerCommand { command: ["sh", "-c", script].map(str::to_owned).to_vec(), cpu: None },
            memory_group: None,
            io_group: None,
            image_bytes: 0,
            server: None,
            other_work_directory: None,
        })
    }

    fn release(&mut self, _: &Resources) -> Option<String> {
        self.released += 1;
        None
    }
}

struct Quiet;

impl Observer for Quiet {
    fn trials_start(&mut self, _: &Run, _: &[Due]) {}

    fn trial_recorded(&mut self, _: &Run) {}
}

/// One round of three configurations whose trials take turns until each has measured a second.
fn plan() -> Plan {
    let mut study = toy::study("toy", 0, 1);
    study.turns = Turns::Auto;
    study.configurations = vec![Configuration::default(); 3];
    study.descriptions = (0..3)
        .map(|index| {
            let mut description = Description {
                turns: Interleaving::of(true),
                data_bytes: Some(index),
                ..Description::default()
            };
            description.duration.phase_s = 1.0;
            description
        })
        .collect();
    toy::plan(vec![study])
}

/// Longer than any healthy script takes on a busy machine.
const AMPLE: Timeout = Timeout { trial: Duration::from_mins(10), turn: Duration::from_mins(10) };
/// How long one that hangs is waited for. On a machine so busy that healthy ones take longer, the next is tried.
const BRIEF: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(10), Duration::from_secs(100)];

struct Performed {
    conducted: Conducted,
    records: Vec<TrialRecord>,
    /// Resources that were taken and given back.
    resources: (usize, usize),
}

fn conduct(middle: String, timeout: Timeout, interrupted: &AtomicBool) -> Performed {
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(&temporary.path().join("run"), plan(), host(), None).unwrap();
    perform_if(&mut directory, middle, timeout, interrupted, &|_, _, _| true)
}

fn perform(directory: &mut RunDirectory, middle: String) -> Performed {
    perform_if(directory, middle, AMPLE, &AtomicBool::new(false), &|_, _, _| true)
}

fn perform_if(
    directory: &mut RunDirectory,
    middle: String,
    timeout: Timeout,
    interrupted: &AtomicBool,
    takes_turns: &TakesTurns<'_>,
) -> Performed {
    let path = directory.path().to_owned();
    let mut scripts = Scripts { middle, directory: &path, allocated: 0, released: 0 };
    let conducted = Laboratory {
        premises: &mut scripts,
        next: &in_order,
        takes_turns,
        ends: None,
        observer: &mut Quiet,
        interrupted,
        timeout,
        time: TimeAccount::default(),
    }
    .conduct(directory)
    .unwrap();
    let mut records = directory.run().records.clone();
    records.sort_by_key(|record| record.key.configuration);
    Performed { conducted, records, resources: (scripts.allocated, scripts.released) }
}

fn healthy() -> TrialOutcome {
    TrialOutcome::Unsupported("healthy".to_owned())
}

/// How the trial with this worker ended, and the others.
fn outcomes(middle: String, timeout: Timeout) -> (TrialOutcome, [TrialOutcome; 2]) {
    let performed = conduct(middle, timeout, &AtomicBool::new(false));
    assert_eq!(performed.conducted, Conducted::Complete);
    assert_eq!(performed.resources, (3, 3));
    let outcomes: Vec<_> = performed.records.into_iter().map(|record| record.outcome).collect();
    let [first, middle, last] = <[TrialOutcome; 3]>::try_from(outcomes).unwrap();
    (middle, [first, last])
}

/// How the trial with this worker ended; the others' must have ended as they should.
fn outcome(middle: String) -> TrialOutcome {
    let (middle, others) = outcomes(middle, AMPLE);
    assert_eq!(others, [healthy(), healthy()]);
    middle
}

/// The deadline, in seconds, at which a worker that hangs was killed, beyond the grace that it was given. The others'
/// trials ended as they should.
fn killed_after(hangs: &str, timeout: impl Fn(Duration) -> Timeout) -> f64 {
    for brief in BRIEF {
        let (middle, others) = outcomes(hangs.to_owned(), timeout(brief));
        let TrialOutcome::Killed(deadline_s) = middle else { panic!("it was not killed: {middle:?}") };
        if others == [healthy(), healthy()] {
            return deadline_s - brief.as_secs_f64();
        }
        println!("again: the healthy ones did not end within {brief:?}: {others:?}");
    }
    panic!("healthy workers were killed too");
}

fn is_killed_at_the_trials_deadline(hangs: &str) {
    let beyond_s = killed_after(hangs, |brief| Timeout { trial: brief, ..AMPLE });
    assert!(beyond_s.abs() < 1e-9, "{beyond_s}");
}

fn fails(middle: String, how: &str) {
    let TrialOutcome::Failed(why) = outcome(middle) else { panic!("it did not fail") };
    assert_eq!(why, how);
}

#[test]
fn healthy_workers_take_turns_and_answer() {
    assert_eq!(outcome(worker(WAITING, TURNED, END)), healthy());
    let records = conduct(worker(WAITING, TURNED, END), AMPLE, &AtomicBool::new(false)).records;
    for record in records {
        assert_eq!(record.ensemble.len(), 3);
        assert!(record.ensemble.contains(&record.key.arm()));
    }
}

/// Memory for two trials: each is alive beside the baseline, in a block of its own.
#[test]
fn a_machine_with_memory_for_two_trials_runs_a_round_in_blocks_of_two() {
    const GIB: u64 = 1 << 30;
    let mut plan = plan();
    plan.studies[0].rounds = 2;
    for description in &mut plan.studies[0].descriptions {
        description.room.own_memory_bytes = GIB;
    }
    let machine = Machine {
        memory_bytes: Some(2 * GIB * 13 / 10),
        locked_bytes: None,
        room_bytes: u64::MAX,
        open_files: None,
    };
    take_turns_where_they_fit(&mut plan.studies, machine);
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(&temporary.path().join("run"), plan, host(), None).unwrap();
    let performed = perform(&mut directory, worker(WAITING, TURNED, END));
    assert_eq!(performed.conducted, Conducted::Complete);
    // In each round the baseline, its A/A arm and two others, in three blocks.
    let baselines =
        performed.records.iter().filter(|record| record.key.configuration == 0 && !record.key.duplicate);
    assert_eq!((performed.records.len(), baselines.count()), (12, 6));
    for record in &performed.records {
        assert_eq!(record.ensemble.len(), 2, "{:?}", record.key);
        assert!(record.ensemble.contains(&Arm { configuration: 0, duplicate: false }));
        assert!(record.ensemble.contains(&record.key.arm()));
        assert_eq!(record.outcome, healthy());
    }
}

/// Turns carried something over in the first round: the second has none.
#[test]
fn a_study_that_leaves_its_turns_goes_on_one_after_another() {
    let mut plan = plan();
    plan.studies[0].rounds = 2;
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(&temporary.path().join("run"), plan, host(), None).unwrap();
    // Alone, it has the files of its seat and does not wait.
    let alone = r#"echo '{"unsupported":{"why":"alone"}}'; exit"#;
    let start = format!(
        r#"case "$request" in *'"takes_turns":true'*) {WAITING};; *'"seat":'*) {alone};; *) exit 3;; esac"#
    );
    let middle = worker(&start, TURNED, END);
    let performed =
        perform_if(&mut directory, middle, AMPLE, &AtomicBool::new(false), &|run, study, round| {
            assert!(
                run.records.iter().all(|record| record.key.study == study.name && record.key.round <= round)
            );
            round == 0
        });
    assert_eq!(performed.conducted, Conducted::Complete);
    for record in performed.records {
        let (is_alone, is_middle) = (record.key.round == 1, record.key.configuration == 1);
        assert_eq!(record.ensemble.is_empty(), is_alone, "{:?}", record.key);
        if is_middle {
            let why = if is_alone { "alone" } else { "healthy" };
            assert_eq!(record.outcome, TrialOutcome::Unsupported(why.to_owned()));
        }
    }
}

#[test]
fn a_death_fails_one_trial() {
    fails(in_turn("exit 3"), "the worker ended with code 3 and no answer: it said nothing");
    // What else is known about a signal depends on the machine.
    let TrialOutcome::Failed(why) = outcome(in_turn("kill -9 $$")) else { panic!("it did not fail") };
    assert!(why.starts_with("the worker was ended by signal 9 (SIGKILL"), "{why}");
    // Out of its turn; it is found at the next one.
    fails(
        in_turn(&format!("{TURNED}; exit 3")),
        "the worker ended with code 3 and no answer: it said nothing",
    );
    fails(worker("exit 3", TURNED, END), "the worker ended with code 3 and no answer: it said nothing");
    fails(worker(WAITING, TURNED, "exit 3"), "the worker ended with code 3 and no answer: it said nothing");
}

#[test]
fn nonsense_fails_one_trial() {
    fails(in_turn("echo nonsense"), "unexpected message from the worker: expected value at line 1 column 1");
    fails(
        worker("echo nonsense", TURNED, END),
        "unexpected message from the worker: expected value at line 1 column 1",
    );
    fails(
        worker(WAITING, TURNED, "echo '{\"turned\":1}'"),
        "unexpected message from the worker: invalid type: integer `1`, expected struct Slice at line 1 column 11",
    );
    fails(in_turn(WAITING), "the worker waited for a phase in the middle of a turn: it was ended");
    fails(worker(TURNED, TURNED, END), "the worker answered another question");
}

#[test]
fn a_hang_in_a_turn_ends_at_the_turns_deadline() {
    let beyond_s = killed_after(&in_turn("exec sleep 600"), |brief| Timeout { turn: brief, ..AMPLE });
    // The turn's grace and a slice.
    assert!((0.0..0.1).contains(&beyond_s), "{beyond_s}");
}

#[test]
fn a_hang_before_the_turns_ends_at_the_trials_deadline() {
    is_killed_at_the_trials_deadline(&worker("exec sleep 600", TURNED, END));
}

#[test]
fn a_hang_after_the_turns_ends_at_the_trials_deadline() {
    is_killed_at_the_trials_deadline(&worker(WAITING, TURNED, "exec sleep 600"));
}

/// It was given turns for ever.
#[test]
fn turns_that_come_to_nothing_end_at_the_trials_deadline() {
    let nothing = TURNED.replace("\"window_s\":0.25", "\"window_s\":0");
    is_killed_at_the_trials_deadline(&in_turn(&format!("sleep 0.1; {nothing}")));
}

#[test]
fn one_that_is_stopped_is_ended_so_that_the_others_go_on() {
    fails(
        in_turn("kill -STOP $$"),
        "the worker was stopped by a signal (SIGSTOP or SIGTSTP) and not continued within a second: it was ended, so that the other trials of its round could go on",
    );
    // Out of its turn.
    fails(
        in_turn(&format!("{TURNED}; kill -STOP $$")),
        "the worker was stopped by a signal (SIGSTOP or SIGTSTP) and not continued within a second: it was ended, so that the other trials of its round could go on",
    );
}

#[test]
fn an_interrupt_records_nothing_and_leaves_no_worker_and_no_resources() {
    let temporary = tempfile::tempdir().unwrap();
    // A reader of the pipe waits until the worker has written its process id.
    let pipe = temporary.path().join("pid");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let hang = format!("echo $$ > {}; exec sleep 600", pipe.display());
    let interrupted = AtomicBool::new(false);
    let (performed, worker) = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let worker = std::fs::read_to_string(&pipe).unwrap();
            interrupted.store(true, Ordering::Relaxed);
            worker
        });
        let performed = conduct(in_turn(&hang), AMPLE, &interrupted);
        (performed, worker.join().unwrap())
    });
    assert_eq!((performed.conducted, performed.records.len()), (Conducted::Interrupted, 0));
    assert_eq!(performed.resources, (3, 3), "what trials were given is given back");
    assert!(!Path::new("/proc").join(worker.trim()).exists(), "the worker is alive");
}

/// The repeated records were left out as repetitions, and of a round that was torn twice parts of both were taken for
/// one.
#[test]
fn an_incomplete_round_is_repeated_whole() {
    let plan = plan();
    let first = in_order(&plan, &[], None).unwrap();
    let together = ensemble(&plan, &first);
    assert_eq!(together.iter().map(|due| due.position).collect::<Vec<_>>(), [0, 1, 2]);
    let arms: Vec<_> = together.iter().map(|due| due.key.arm()).collect();
    let recorded = |due: &Due, session| TrialRecord {
        ensemble: arms.clone(),
        session,
        ..toy::record(due.key.clone(), 3.0)
    };
    let of_sessions = |sessions: &[(usize, u32)]| -> Vec<_> {
        sessions.iter().map(|(place, session)| recorded(&together[*place], *session)).collect()
    };
    let failed =
        TrialRecord { outcome: TrialOutcome::Failed("it died".to_owned()), ..recorded(&together[2], 1) };
    for records in [
        of_sessions(&[(0, 1), (1, 1)]),
        [of_sessions(&[(0, 1), (1, 1)]), vec![failed]].concat(),
        // Killed while the repeated round was being recorded.
        of_sessions(&[(0, 1), (1, 1), (0, 2), (1, 2)]),
        of_sessions(&[(0, 1), (1, 1), (2, 1), (0, 2)]),
    ] {
        let due = in_order(&plan, &records[..2], None).unwrap();
        assert_eq!(ensemble(&plan, &due), together, "those that have a record too");
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("run");
        let mut directory = RunDirectory::create(&path, plan.clone(), host(), None).unwrap();
        for record in records {
            directory.append(record, None).unwrap();
        }
        drop(directory);
        let mut directory = RunDirectory::resume(&path).unwrap();
        assert!(directory.run().records.is_empty(), "none of them is part of a whole round");
        // It begins the third session.
        let performed = perform(&mut directory, worker(WAITING, TURNED, END));
        assert_eq!(performed.records.len(), 3);
        drop(directory);
        let run = read(&path).unwrap();
        assert_eq!(run.records.iter().filter(|record| record.outcome == healthy()).count(), 3);
        assert_eq!((run.records.len(), run.remarks), (3, Vec::<String>::new()));
    }
}
