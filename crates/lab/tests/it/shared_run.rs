//! A run on storage that ranks share, with simulated ranks and workers that are shell scripts: a trial that fails on
//! one rank fails on all, a rank that is gone is named to all, and nothing that only some measured is counted.

use crate::run_directory::host;
use crate::toy;
use lab::conduct::{Conducted, Laboratory, Observer};
use lab::next::{Due, in_order};
use lab::premises::{Premises, Resources};
use lab::run_directory::{RunDirectory, RunFiles};
use lab::shared_run::{SharedRun, SharedRunError};
use lab::time_account::TimeAccount;
use lab::timeout::Timeout;
use lab::worker::WorkerCommand;
use model::description::Interleaving;
use model::plan::{Plan, Turns};
use model::run::Run;
use model::shared::SharedTrial;
use model::trial::{TrialOutcome, TrialRecord};
use model::{Configuration, Description, Nanos};
use peers::simulated::{Network, SimulatedRank, launch};
use peers::{Channel, Lost, Peers, Transport, Wait};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const WAIT: Wait = Wait { most: Duration::from_hours(1), slack: Duration::from_mins(1) };
const RANKS: u32 = 3;
const PREPARED: &str = r#"echo '{"prepared":{"seconds":0}}'"#;
const WAITING: &str = r#"echo '{"waiting":{"phase":"reads"}}'"#;
const TURNED: &str = r#"echo '{"turned":{"cycle":1,"predecessor":null,"slice_s":0.025,"settle_s":0,"began_s":0,"window_s":0.25,"drain_s":0,"quarters":[1,1,1,1],"latency_mean_s":0.0001,"is_over":false}}'"#;
const DIES: &str = "kill -9 $$";
/// Comes to a second phase.
const AGAIN: &str = r#"[ -z "$again" ] && { again=1; echo '{"waiting":{"phase":"more"}}'; continue; }"#;

/// What a worker does when it is asked to prepare, at its start, in each turn and at the end of its turns.
#[derive(Clone)]
struct Script {
    prepare: String,
    start: String,
    turn: String,
    end: String,
}

impl Script {
    /// One that measures what is in this file.
    fn healthy(measured: &Path) -> Self {
        let end = format!("cat '{}'", measured.display());
        Self { prepare: PREPARED.to_owned(), start: WAITING.to_owned(), turn: TURNED.to_owned(), end }
    }

    /// The same in two phases, each of which is this whole turn.
    fn whole(self, slice: &serde_json::Value) -> Self {
        let turned = json!({ "turned": slice });
        let turn = format!(r#"case "$order" in *'"slice_s":0.0,'*) echo '{turned}';; *) exit 3;; esac"#);
        Self { turn, end: format!("{AGAIN}; {}", self.end), ..self }
    }

    fn text(&self) -> String {
        let Self { prepare, start, turn, end } = self;
        format!(
            r#"read -r request
case "$request" in '{{"prepare"'*) {prepare}; exit;; esac
{start}
while read -r order; do
  case "$order" in *turn*) {turn};; *) {end}; exit;; esac
done"#
        )
    }
}

/// The workers of a rank: this one for the configuration with index 1, and healthy ones.
struct Scripts {
    directory: PathBuf,
    healthy: Script,
    second: Script,
}

impl Premises for Scripts {
    fn work_directory(&self) -> &Path {
        &self.directory
    }

    fn allocate(&mut self, description: &Description, _: &Configuration) -> Result<Resources, String> {
        let script = if description.data_bytes == Some(1) { &self.second } else { &self.healthy };
        Ok(Resources {
            worker: WorkerCommand {
                command: ["sh", "-c", &script.text()].map(str::to_owned).to_vec(),
                cpu: None,
            },
            memory_group: None,
            io_group: None,
            image_bytes: 0,
            server: None,
            other_work_directory: None,
        })
    }

    fn release(&mut self, _: &Resources) -> Option<String> {
        None
    }
}

struct Quiet;

impl Observer for Quiet {
    fn trials_start(&mut self, _: &Run, _: &[Due]) {}

    fn trial_recorded(&mut self, _: &Run) {}
}

/// A rank that dies after this number of messages and releases.
struct Mortal {
    rank: SimulatedRank,
    steps_left: Option<u32>,
}

struct Died;

impl Mortal {
    fn step(&mut self) {
        match &mut self.steps_left {
            Some(0) => resume_unwind(Box::new(Died)),
            Some(left) => *left -= 1,
            None => {}
        }
    }
}

impl Transport for Mortal {
    fn rank(&self) -> u32 {
        self.rank.rank()
    }

    fn size(&self) -> u32 {
        self.rank.size()
    }

    fn now(&self) -> Nanos {
        self.rank.now()
    }

    fn send(&mut self, to: u32, channel: Channel, bytes: &[u8], until: Nanos) {
        self.step();
        self.rank.send(to, channel, bytes, until);
    }

    fn take(&mut self, from: u32, channel: Channel) -> Option<Vec<u8>> {
        self.rank.take(from, channel)
    }

    fn wait(&mut self, until: Nanos) {
        self.rank.wait(until);
    }

    fn spin(&mut self) {
        self.rank.spin();
    }

    fn release(&mut self, until: Nanos) -> bool {
        self.step();
        self.rank.release(until)
    }
}

/// One round of configurations that are for these numbers of ranks; a trial ends after two turns.
fn plan(ranks: &[Option<u64>]) -> Plan {
    let mut study = toy::study("toy", 0, 1);
    study.turns = Turns::Auto;
    study.configurations = vec![Configuration::default(); ranks.len()];
    let describe = |(index, ranks): (u64, &Option<u64>)| {
        let mut description = Description {
            turns: Interleaving::of(true),
            data_bytes: Some(index),
            ranks: *ranks,
            ..Description::default()
        };
        description.duration.phase_s = 0.5;
        description
    };
    study.descriptions = (0..).zip(ranks).map(describe).collect();
    toy::plan(vec![study])
}

/// How a launch ended.
struct Ended {
    /// By rank; `None` if it died.
    ranks: Vec<Option<Result<Conducted, SharedRunError>>>,
    /// The records of each rank, by configuration, as rank 0 has them.
    records: Vec<Vec<TrialRecord>>,
    /// What all did together.
    shared: Vec<SharedTrial>,
}

impl Ended {
    fn lost(&self, rank: usize) -> Option<&Lost> {
        match self.ranks[rank].as_ref()? {
            Err(SharedRunError::Lost(lost)) => Some(lost),
            Ok(_) | Err(SharedRunError::Run(_)) => None,
        }
    }
}

/// What [`TURNED`] is about.
fn slice() -> serde_json::Value {
    let turned = TURNED.trim_start_matches("echo '").trim_end_matches('\'');
    let mut turned: serde_json::Value = serde_json::from_str(turned).unwrap();
    turned["turned"].take()
}

/// A whole turn of this many seconds, with its operations in each quarter, and in each quarter of a second.
fn whole_turn(window_s: f64, quarters: [u64; 4], parts: &[u64]) -> serde_json::Value {
    let mut slice = slice();
    slice["slice_s"] = json!(0.0);
    slice["window_s"] = json!(window_s);
    slice["quarters"] = json!(quarters);
    slice["is_over"] = json!(true);
    slice["progress"] = json!({ "part_s": 0.25, "operations": parts });
    slice
}

/// What a worker of this workspace measured once, as if in two turns, each of which is this one.
fn measured(slice: &serde_json::Value) -> String {
    let lines = fs::read_to_string("tests/format_1/trials.jsonl").unwrap();
    let mut records = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut measurement = records.find_map(|record| record.get("measurement").cloned()).unwrap();
    measurement["phases"][0]["name"] = "reads".into();
    measurement["sidecar"] = json!({
        "histograms": {}, "interval_s": 0.1, "series": {}, "slices": { "reads": [slice, slice] }
    });
    json!({ "measured": measurement }).to_string() + "\n"
}

/// Runs this plan on all ranks. Rank 1 has this worker for the second configuration, and dies after this number of
/// steps.
fn run(plan: &Plan, spoil: impl Fn(&mut Script) + Sync, steps: Option<u32>) -> Ended {
    let scripts = |rank: u32, directory: &Path| {
        let healthy = Script::healthy(&directory.join("measured"));
        let mut second = healthy.clone();
        if rank == 1 {
            spoil(&mut second);
        }
        [healthy, second]
    };
    run_scripts(plan, scripts, steps)
}

/// Runs this plan on all ranks, each with the workers that `scripts` has for it: of the other configurations, and of
/// the second. They find in the file `measured` of the directory what healthy ones measure.
fn run_scripts(plan: &Plan, scripts: impl Fn(u32, &Path) -> [Script; 2] + Sync, steps: Option<u32>) -> Ended {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("measured"), measured(&slice())).unwrap();
    let directory_of = |rank: u32| temporary.path().join(format!("rank{rank}"));
    let timeout = Timeout { trial: Duration::from_mins(5), turn: Duration::from_mins(5) };
    let interrupted = AtomicBool::new(false);
    let on_rank = |transport: SimulatedRank| {
        let rank = transport.rank();
        let [healthy, second] = scripts(rank, temporary.path());
        let mut scripts = Scripts { directory: temporary.path().to_owned(), healthy, second };
        let steps_left = steps.filter(|_| rank == 1);
        let peers = RefCell::new(Peers::new(Mortal { rank: transport, steps_left }));
        let shared = SharedRun { peers: &peers, wait: WAIT };
        if rank != 0 {
            let run = Run { plan: plan.clone(), host: host(), records: Vec::new(), remarks: Vec::new() };
            return shared.follow(&run, &mut scripts, timeout, &interrupted).map_err(SharedRunError::from);
        }
        let make = |rank| RunDirectory::create(&directory_of(rank), plan.clone(), host(), None).unwrap();
        let mut directories: Vec<RunDirectory> = (0..RANKS).map(make).collect();
        let mut laboratory = Laboratory {
            premises: &mut scripts,
            next: &in_order,
            takes_turns: &|_, _, _| true,
            ends: None,
            observer: &mut Quiet,
            interrupted: &interrupted,
            timeout,
            time: TimeAccount::default(),
        };
        shared.conduct(&mut laboratory, &mut directories)
    };
    let ranks = launch(RANKS, &Network::default(), |transport| {
        catch_unwind(AssertUnwindSafe(|| on_rank(transport)))
            .map_err(|panic| if panic.is::<Died>() { Died } else { resume_unwind(panic) })
            .ok()
    });
    let records = |rank| {
        let mut records = RunFiles::open(&directory_of(rank)).unwrap().run().unwrap().records;
        records.sort_by_key(|record| record.key.configuration);
        records
    };
    let shared = RunFiles::open(&directory_of(0)).unwrap().shared().unwrap();
    Ended { ranks, records: (0..RANKS).map(records).collect(), shared: shared.into_values().collect() }
}

#[test]
fn all_ranks_measure_together_and_rank_0_keeps_the_records_of_each() {
    let ended = run(&plan(&[Some(1), None, Some(2)]), |_| {}, None);
    for ended in &ended.ranks {
        assert!(matches!(ended, Some(Ok(Conducted::Complete))), "{ended:?}");
    }
    let configurations = |records: &Vec<TrialRecord>| -> Vec<usize> {
        assert!(records.iter().all(|record| record.outcome == TrialOutcome::Ok));
        records.iter().map(|record| record.key.configuration).collect()
    };
    let measured: Vec<Vec<usize>> = ended.records.iter().map(configurations).collect();
    assert_eq!(measured, [vec![0, 1, 2], vec![1, 2], vec![1]]);
    // With equal seeds, all would write the same bytes, which some storage keeps once.
    let seeds = ended.records.iter().flatten().filter(|record| record.key.configuration == 1);
    assert_eq!(seeds.map(|record| record.seed).collect::<BTreeSet<_>>().len(), 3);
    let one = ended.records[0][0].metric_of("reads", "commits_per_s").unwrap().value().unwrap();
    let shared: Vec<(u32, f64)> = ended
        .shared
        .iter()
        .map(|trial| (trial.ranks, (trial.rates["commits_per_s"] / one).round()))
        .collect();
    // They measured at the same time, and each of them that much.
    assert_eq!(shared, [(1, 1.0), (3, 3.0), (2, 2.0)]);
}

/// Reads of an object store: what one arm caches, another finds, so they take no turns. Rank 1 is slow, and faster when
/// it is alone.
#[test]
fn a_trial_that_takes_no_turns_has_one_whole_turn_in_each_phase() {
    let mut plan = plan(&[None, Some(2)]);
    for description in &mut plan.studies[0].descriptions {
        description.turns.interleavable = false;
        description.turns.begins_when_told = true;
        description.duration.phase_s = 0.0;
    }
    let scripts = |rank: u32, directory: &Path| {
        let slice = if rank == 1 {
            whole_turn(1.0, [4, 4, 6, 6], &[4, 4, 6, 6])
        } else {
            whole_turn(0.5, [2; 4], &[4, 4])
        };
        let file = directory.join(format!("measured-{rank}"));
        fs::write(&file, measured(&slice)).unwrap();
        let script = Script::healthy(&file).whole(&slice);
        [script.clone(), script]
    };
    let ended = run_scripts(&plan, scripts, None);
    for ended in &ended.ranks {
        assert!(matches!(ended, Some(Ok(Conducted::Complete))), "{ended:?}");
    }
    for record in ended.records.iter().flatten() {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        assert_eq!(record.ensemble, [record.key.arm()]);
    }
    let [all, two] = &ended.shared[..] else { panic!("{:?}", ended.shared) };
    assert_eq!((all.ranks, all.slices, two.ranks, two.slices), (3, 2, 2, 2));
    // Together with the others, rank 1 read at 0.8 of its rate.
    let one = ended.records[0][0].metric_of("reads", "commits_per_s").unwrap().value().unwrap();
    let tenths = |trial: &SharedTrial| (trial.rates["commits_per_s"] / one * 10.0).round() as u32;
    assert_eq!((tenths(all), tenths(two)), (28, 18));
    let last_done: Vec<u32> = all.by_rank.iter().map(|share| share.last_done).collect();
    assert_eq!(last_done, [0, 2, 0]);
    assert!((all.end_skew.max_s - 0.5).abs() < 1e-9, "{:?}", all.end_skew);
}

/// Direct gets of files could take slices; beside buffered ones they take none. A worker that left the end of its turn
/// to the lab worked until it was killed.
#[test]
fn a_trial_that_could_take_slices_learns_that_it_ends_its_whole_turn_by_itself() {
    for is_whole in [true, false] {
        let mut plan = plan(&[None]);
        plan.studies[0].turns = if is_whole { Turns::Off } else { Turns::Auto };
        plan.studies[0].descriptions[0].turns.begins_when_told = true;
        let scripts = |rank: u32, directory: &Path| {
            let of = if is_whole { whole_turn(0.5, [2; 4], &[4, 4]) } else { slice() };
            let file = directory.join(format!("measured-{rank}"));
            fs::write(&file, measured(&of)).unwrap();
            let script = Script::healthy(&file);
            let script = if is_whole { script.whole(&of) } else { script };
            let (whole, slices) = if is_whole { (WAITING, "exit 3") } else { ("exit 3", WAITING) };
            let start =
                format!(r#"case "$request" in *'"has_whole_turns":true'*) {whole};; *) {slices};; esac"#);
            let script = Script { start, ..script };
            [script.clone(), script]
        };
        let ended = run_scripts(&plan, scripts, None);
        for record in ended.records.iter().flatten() {
            assert_eq!(record.outcome, TrialOutcome::Ok, "whole turns: {is_whole}");
        }
        assert_eq!(ended.records.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
    }
}

/// The others measured without that rank, and their figures counted.
#[test]
fn a_worker_that_is_killed_on_one_rank_fails_its_trial_on_all_and_the_run_goes_on() {
    let phases: [fn(&mut Script); 4] = [
        |script| DIES.clone_into(&mut script.prepare),
        |script| DIES.clone_into(&mut script.start),
        |script| DIES.clone_into(&mut script.turn),
        |script| DIES.clone_into(&mut script.end),
    ];
    for spoil in phases {
        let ended = run(&plan(&[None, None]), spoil, None);
        for (rank, conducted) in (0..).zip(&ended.ranks) {
            assert!(matches!(conducted, Some(Ok(Conducted::Complete))), "{conducted:?}");
            let [first, second] = &ended.records[rank][..] else { panic!("{:?}", ended.records[rank]) };
            assert_eq!(first.outcome, TrialOutcome::Ok);
            assert_eq!(second.measurement, None);
            let TrialOutcome::Failed(why) = &second.outcome else { panic!("{:?}", second.outcome) };
            assert!(why.contains("SIGKILL"), "{why}");
            assert_eq!(why.contains("rank 1"), rank != 1, "{why}");
        }
        let [shared] = &ended.shared[..] else { panic!("{:?}", ended.shared) };
        assert_eq!((shared.key.configuration, shared.ranks), (0, 3));
    }
}

/// 0: it comes to no meeting; 1: a phase begins; 2 to 34: clocks are compared; 35 to 38: two turns; 39: no phase
/// follows; 40 to 72: clocks are compared again; 73: it has records; 74: nothing is due any more.
#[test]
fn a_rank_that_dies_is_named_to_all_others_and_nothing_partial_is_counted() {
    let plan = plan(&[None]);
    for steps in [0, 1, 2, 3, 34, 35, 36, 37, 38, 39, 40, 72, 73, 74] {
        let ended = run(&plan, |_| {}, Some(steps));
        assert!(ended.ranks[1].is_none(), "it died");
        for rank in [0, 2] {
            let Some(Lost::Missing { ranks, .. }) = ended.lost(rank) else {
                panic!("{steps}: {:?}", ended.ranks[rank])
            };
            assert_eq!(ranks, &[1], "{steps}");
        }
        let is_whole = steps == 74;
        assert_eq!(ended.shared.len(), usize::from(is_whole), "{steps}");
        let kept: Vec<usize> = ended.records.iter().map(Vec::len).collect();
        assert_eq!(kept, if is_whole { [1, 1, 1] } else { [1, 0, 0] }, "{steps}");
        for record in &ended.records[0] {
            match &record.outcome {
                TrialOutcome::Ok => assert!(is_whole, "{steps}"),
                TrialOutcome::Failed(why) => {
                    assert!(why.starts_with("rank 1 did not come"), "{why}");
                    assert!(why.ends_with(&format!("(rank 1 on {})", host().name)), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    let whole = run(&plan, |_| {}, Some(75));
    assert!(matches!(whole.ranks[0], Some(Ok(Conducted::Complete))), "{:?}", whole.ranks[0]);
}
