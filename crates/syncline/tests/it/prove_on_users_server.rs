//! `syncline prove --dsn` on a server that stands for the user's: measured, interrupted, killed, and each time as it
//! was before.

#![cfg(feature = "postgresql")]

use crate::laboratory::servers::{reachable, wait_for};
use crate::laboratory::{Laboratory, prints, text};
use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Server, Session, Settings, Target};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const UNDECIDED: i32 = 98;
const REFUTED: i32 = 99;
const INTERRUPTED: i32 = 130;
/// What the proof changes, in the server's own file: not the default.
const NOW: &str = "250ms";

/// The user's server.
struct Users {
    server: Server,
    _work: WorkDirectory,
}

impl Users {
    fn start(parent: &Path) -> Self {
        let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
        let work = WorkDirectory::create(parent).unwrap();
        let cluster = Cluster::prepare(work.path(), &installation).unwrap();
        let own = fs::OpenOptions::new().append(true).open(cluster.data().join("postgresql.conf"));
        writeln!(own.unwrap(), "bgwriter_delay = {NOW}").unwrap();
        let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
        Self { server, _work: work }
    }

    fn dsn(&self) -> String {
        format!("host={} user=syncline dbname=postgres", self.server.data().display())
    }

    fn ask(&self, query: &str) -> String {
        Session::open(&Target::Dsn(&self.dsn())).unwrap().text("ask", query).unwrap()
    }

    /// All that a proof might leave.
    fn state(&self) -> (String, String) {
        let databases = "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database";
        let file = self.server.data().join("postgresql.auto.conf");
        (self.ask(databases), fs::read_to_string(file).unwrap())
    }

    fn is_changed(&self) -> bool {
        self.ask("SHOW bgwriter_delay") == "300ms"
    }
}

fn prove(lab: &Laboratory, users: &Users, more: &[&str]) -> Command {
    fs::write(lab.path().join("tuned.conf"), "bgwriter_delay = 300ms\n").unwrap();
    let mut command = lab.syncline(&["prove", "--dir", "disk", "--settings-file", "tuned.conf"]);
    command.args(["--load", "tpcb_like-1", "--runtime", "100ms", "--fix", "scale=1", "--budget", "1m"]);
    command.args(["--dsn", &users.dsn()]).args(more);
    command
}

/// A proof that has changed the server.
fn begun(lab: &Laboratory, users: &Users, out: &str) -> Child {
    // The sessions that look for the change below are others.
    let mut command = prove(lab, users, &["--allow-settings", "--allow-busy", "--out", out]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("a change", || users.is_changed().then_some(()));
    child
}

#[test]
fn the_users_server_is_as_it_was_before_however_a_proof_ends() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let users = Users::start(disk.path());
    let before = users.state();

    let output = prove(&lab, &users, &["--out", "refused"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: the proof would change bgwriter_delay by ALTER SYSTEM and a reload for as long as it runs, and make and drop a database on the server at [..]/.syncline-work-[..]/postgresql/data:5432: allow it with --allow-settings",
    );
    assert!(!lab.path().join("refused").exists());

    let mut interrupted = begun(&lab, &users, "interrupted");
    let pid = rustix::process::Pid::from_child(&interrupted);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(interrupted.wait().unwrap().code(), Some(INTERRUPTED));
    assert_eq!(users.state(), before);
    assert!(!lab.path().join("interrupted/undo.jsonl").exists());

    let mut killed = begun(&lab, &users, "killed");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_ne!(users.state(), before, "a kill undoes nothing");
    let output =
        prove(&lab, &users, &["--allow-settings", "--allow-busy", "--out", "later"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: a proof changes this server already, or was killed: its scratch database syncline_[..] is there ([dir]/killed); undo that proof; syncline prove --undo PROOF undoes it",
    );
    let output = lab.syncline(&["prove", "--undo", "killed"]).output().unwrap();
    prints(
        &lab,
        &output,
        "syncline: killed/undo.jsonl names the server at [..]/.syncline-work-[..]/postgresql/data:5432: name it again with --dsn or --dsn-file",
    );
    let output = lab.syncline(&["prove", "--undo", "killed", "--dsn", &users.dsn()]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(users.state(), before);
    assert!(!lab.path().join("killed/undo.jsonl").exists());

    // What goes on is undone first, and then changed again.
    let mut killed = begun(&lab, &users, "whole");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let output = lab.syncline(&["prove", "--dir", "disk", "--resume", "whole"]).output().unwrap();
    let said = text(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    prints(
        &lab,
        &output,
        "syncline: this proof changed the server that --dsn named, and was killed: name it again with --dsn, or undo the changes with syncline prove --undo whole --dsn …",
    );
    let mut resumed =
        lab.syncline(&["prove", "--dir", "disk", "--resume", "whole", "--allow-settings", "--allow-busy"]);
    let output = resumed.args(["--budget", "1m", "--dsn", &users.dsn()]).output().unwrap();
    let said = text(&output);
    println!("{said}");
    // A short proof may come to anything.
    assert!(matches!(output.status.code(), Some(0 | UNDECIDED | REFUTED)), "{said}");
    assert_eq!(users.state(), before);
    let run = lab::run_directory::read(&lab.path().join("whole/stages/bundle")).unwrap();
    let trials: Vec<_> = run.records.iter().collect();
    assert!(!trials.is_empty());
    for record in trials {
        assert_eq!(record.outcome, model::trial::TrialOutcome::Ok, "{:?}", record.values);
        assert!(record.figure("transactions_per_s").unwrap() > 0.0);
        for of_all_sessions in
            ["wal_syncs_per_transaction", "wal_segments_created", "device_flushes_per_transaction"]
        {
            assert_eq!(record.figure(of_all_sessions), None, "{of_all_sessions} counts what others do too");
        }
        let facts = record.measurement.as_ref().unwrap().server.as_ref().unwrap();
        let is_current = record.values.is("arm", "current");
        assert_eq!(
            facts.settings.get("bgwriter_delay").map(String::as_str),
            (!is_current).then_some("300ms")
        );
    }
    let proof = fs::read_to_string(lab.path().join("whole/proof.json")).unwrap();
    let proof: serde_json::Value = serde_json::from_str(&proof).unwrap();
    assert_eq!(proof["settings"][0]["now"], NOW, "as the server had it, and not the default");
    let page = fs::read_to_string(lab.path().join("whole/proof.html")).unwrap();
    assert!(page.contains("Not checked: how often the log was flushed"));
}

/// What the server does not permit is printed first and dropped, in a dry run as in a proof.
#[test]
fn what_cannot_be_measured_is_dropped_by_name_and_the_rest_goes_on() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let users = Users::start(disk.path());
    let before = users.state();
    let file = "shared_buffers = 256MB\neffective_io_concurrency = 64\nrandom_page_cost = 1.1\n";
    fs::write(lab.path().join("mixed.conf"), file).unwrap();
    let planned = |file: &str, more: &[&str]| {
        let mut command =
            lab.syncline(&["prove", "--dir", "disk", "--settings-file", file, "--runtime", "100ms"]);
        command.args(["--dsn", &users.dsn(), "--allow-busy", "--budget", "1m"]).args(more).output().unwrap()
    };
    let output = planned("mixed.conf", &["--dry-run", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let studies: Vec<&str> =
        plan["studies"].as_array().unwrap().iter().map(|study| study["name"].as_str().unwrap()).collect();
    assert_eq!(studies, ["queries-1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("not measured: ")).collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains("shared_buffers") && lines[1].contains("effective_io_concurrency"), "{said}");

    let output = planned("mixed.conf", &["--allow-settings", "--out", "proof"]);
    assert!(matches!(output.status.code(), Some(UNDECIDED | REFUTED)), "{}", text(&output));
    let records = lab.records_of("proof/stages/bundle");
    assert!(records.iter().all(|record| record.outcome == model::trial::TrialOutcome::Ok));
    let proof = fs::read_to_string(lab.path().join("proof/proof.json")).unwrap();
    let proof: serde_json::Value = serde_json::from_str(&proof).unwrap();
    let doubt = |place: usize| &proof["settings"][place]["claim"]["outcome"]["undecided"]["doubt"];
    assert_eq!(doubt(1)["not_possible"]["not_reloadable"]["when"], "the server starts", "{proof:#}");
    assert_eq!(doubt(2)["not_possible"], "cold_files", "{proof:#}");

    fs::write(lab.path().join("cold.conf"), "effective_io_concurrency = 64\n").unwrap();
    for more in [&["--dry-run"][..], &["--allow-settings", "--out", "none"]] {
        let output = planned("cold.conf", more);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(!lab.path().join("none").exists());
    }
    assert_eq!(users.state(), before);
}
