//! `syncline prove` on real PostgreSQL servers: interrupted, continued, concluded, rebuilt.

#![cfg(feature = "postgresql")]

use crate::laboratory::{Laboratory, servers, text};
use disk::work_directory::WorkDirectory;
use model::trial::{TrialOutcome, TrialRecord};
use postgresql::{Cluster, Installation, Session, Settings, Target};
use serde_json::Value;
use servers::{assert_empties, kill, postmasters_and_workers, processes_of, reachable, wait_for};
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

const UNDECIDED: i32 = 98;
const REFUTED: i32 = 99;
/// What runs now, the same again, and all changes.
const ARMS: usize = 3;

/// Each commit of a single client waits ten milliseconds for others that do not come.
const HARMFUL: &str = "commit_delay = 10000\ncommit_siblings = 0\n";

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(output)))
}

/// A harmful setting is not proven, whatever else the machine does meanwhile. It is refuted, unless an audit says that
/// the machine was too busy to believe it, or that scatters by tens.
fn assert_not_proven(code: Option<i32>, proof: &Value) {
    let decisive = &proof["bundle"]["by_load"][0];
    let means = (decisive["means"][0].as_f64().unwrap(), decisive["means"][1].as_f64().unwrap());
    assert!(means.1 < means.0, "{decisive:#}");
    let outcome = &proof["bundle"]["outcome"];
    if outcome == "refuted" {
        assert_eq!(code, Some(REFUTED), "{outcome:#}");
        assert!(decisive["ratio"]["high"].as_f64().unwrap() < 1.0, "{decisive:#}");
    } else {
        let doubt = &outcome["undecided"]["doubt"];
        println!("undecided: {doubt:#}");
        assert!(doubt.get("audit").or_else(|| doubt.get("scatter")).is_some(), "{outcome:#}");
        assert_eq!(code, Some(UNDECIDED), "{outcome:#}");
    }
}

#[test]
fn a_proof_that_is_interrupted_leaves_nothing_running_and_goes_on_to_its_end() {
    let (lab, disk) = (Laboratory::new(), reachable());
    fs::write(lab.path().join("slow.conf"), HARMFUL).unwrap();
    let begin = ["prove", "--settings-file", "slow.conf", "--load", "insert-1", "--out", "proof"];
    let mut command = lab.syncline(&begin);
    command.args(["--runtime", "100ms", "--budget", "10m", "--seed", "1", "--dir"]).arg(disk.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let trials = lab.path().join("proof/stages/bundle/trials.jsonl");
    let recorded = || fs::read_to_string(&trials).map_or(0, |text| text.lines().count());
    wait_for("a round", || (recorded() >= 3).then_some(()));
    wait_for("servers", || (!processes_of(disk.path()).is_empty()).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_empties(disk.path());

    let more = ["prove", "--resume", "proof", "--format", "json", "--quiet"];
    let output = lab.syncline(&more).output().unwrap();
    let proof = document(&output);
    assert_empties(disk.path());
    assert_not_proven(output.status.code(), &proof);
    let settings = fs::read_to_string(lab.path().join("proof/postgresql.conf")).unwrap();
    assert!(settings.lines().all(|line| line.is_empty() || line.starts_with('#')), "{settings}");
    assert_postgresql_starts_with(&settings);
    // Everything else follows from the design and the records.
    let written = || ["proof.json", "proof.html", "postgresql.conf"].map(|name| read(&lab, name));
    let before = written();
    for name in ["proof.json", "proof.html", "postgresql.conf"] {
        fs::remove_file(lab.path().join("proof").join(name)).unwrap();
    }
    let again = lab.syncline(&["report", "proof", "--format", "json", "--quiet"]).output().unwrap();
    assert_eq!((again.status.code(), document(&again)), (output.status.code(), proof));
    assert_eq!(written(), before);
}

fn read(lab: &Laboratory, name: &str) -> String {
    fs::read_to_string(Path::new(lab.path()).join("proof").join(name)).unwrap()
}

/// The real server takes the file as its own.
fn assert_postgresql_starts_with(settings: &str) {
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let disk = reachable();
    let work = WorkDirectory::create(disk.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let file = disk.path().join("proven.conf");
    fs::write(&file, settings).unwrap();
    fs::write(cluster.data().join("postgresql.conf"), format!("include '{}'\n", file.display())).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    let wrong = "SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL";
    assert_eq!(session.figure("read the files", wrong).unwrap(), 0, "{settings}");
}

/// Records of the proof's first stage.
fn recorded(lab: &Laboratory) -> Vec<TrialRecord> {
    let is_there = lab.path().join("proof/stages/bundle/trials.jsonl").exists();
    if is_there { lab.records_of("proof/stages/bundle") } else { Vec::new() }
}

#[test]
fn a_server_that_dies_fails_its_trial_and_a_program_that_is_killed_leaves_nothing_running() {
    let (lab, disk) = (Laboratory::new(), reachable());
    fs::write(lab.path().join("slow.conf"), HARMFUL).unwrap();
    let begin = ["prove", "--settings-file", "slow.conf", "--load", "insert-1", "--out", "proof"];
    let mut command = lab.syncline(&begin);
    command.args(["--runtime", "500ms", "--budget", "10m", "--seed", "1", "--dir"]).arg(disk.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // One server in each round, until one dies before its trial is over.
    let mut killed_in = None;
    let is_failed = |record: &TrialRecord| matches!(record.outcome, TrialOutcome::Failed(_));
    let failed = wait_for("a failed trial", || {
        let records = recorded(&lab);
        let round = records.len() / ARMS;
        let servers: Vec<(u32, u32)> = postmasters_and_workers(disk.path()).collect();
        if servers.len() == ARMS && killed_in != Some(round) {
            kill(servers[0].0);
            killed_in = Some(round);
        }
        records.into_iter().find(is_failed)
    });
    let TrialOutcome::Failed(why) = &failed.outcome else { panic!("{:?}", failed.outcome) };
    assert!(!why.is_empty() && !why.contains('\n'), "{why}");
    let round = failed.key.round;
    let whole = wait_for("a round after it", || {
        let records = recorded(&lab);
        let after = records.iter().filter(|record| record.key.round > round);
        (after.count() >= ARMS).then_some(records)
    });
    let of_round: Vec<&TrialRecord> = whole.iter().filter(|record| record.key.round == round).collect();
    let ended_well = of_round.iter().filter(|record| record.outcome == TrialOutcome::Ok).count();
    assert_eq!((of_round.len(), ended_well), (ARMS, ARMS - 1), "the others of the round go on");
    assert!(whole.iter().filter(|record| record.key.round > round).all(|record| !is_failed(record)));

    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the servers' end", || processes_of(disk.path()).is_empty().then_some(()));
    let mut again = lab.syncline(&["prove", "--resume", "proof", "--budget", "1s", "--quiet", "--dir"]);
    let output = again.arg(disk.path()).output().unwrap();
    assert!(matches!(output.status.code(), Some(UNDECIDED | REFUTED)), "{}", text(&output));
    assert_empties(disk.path());
}
