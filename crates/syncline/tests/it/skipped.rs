//! What a machine does not permit: the answer leaves it out, prints the remedy, and measures the rest.

use crate::laboratory;

use laboratory::{Laboratory, assert_line, prints, text};
use model::plan::{Plan, Skipped};
use model::trial::TrialOutcome;
use std::fs;
use std::process::{Command, Output};

/// One round of the first study there is: what is skipped is known before it.
const ANSWER: [&str; 8] = ["run", "--dir", "disk", "--out", "run", "--rounds", "1", "--budget=6s"];

/// The answer, where `disk` is mounted by this line of shell; the mount ends with the run. `None`, with the reason
/// printed, if nobody may mount.
fn answer_on(lab: &Laboratory, mount: &str) -> Option<Output> {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return None;
    }
    let program = env!("CARGO_BIN_EXE_syncline");
    let script = format!("{mount} && exec {program} {}", ANSWER.join(" "));
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).current_dir(lab.path());
    Some(command.output().unwrap())
}

fn plan(lab: &Laboratory) -> Plan {
    serde_json::from_str(&fs::read_to_string(lab.run_directory().join("plan.json")).unwrap()).unwrap()
}

/// The reason is in the plan, on the terminal and in the page.
fn reason(lab: &Laboratory, output: &Output, study: &str) -> String {
    let skipped = plan(lab).skipped.into_iter().find(|skipped| skipped.study == study);
    let Skipped { why, .. } = skipped.unwrap_or_else(|| panic!("{study} runs: {}", text(output)));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let line = format!("skipped: {study}: {why}");
    assert!(stderr.lines().any(|printed| printed == line), "{stderr}");
    // Lines are wrapped for the terminal.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let stdout = words(&String::from_utf8_lossy(&output.stdout));
    assert!(stdout.contains(&words(&format!("{study} was skipped: {why}"))), "{why}\n{stdout}");
    assert!(page_text(lab).contains(&format!("{study} was skipped: {why}")), "{why}");
    why
}

/// The report as it is read, without its marks and its unbreakable spaces.
fn page_text(lab: &Laboratory) -> String {
    let page = fs::read_to_string(lab.run_directory().join("report.html")).unwrap();
    let parts = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<String>().replace('\u{a0}', " ")
}

fn assert_measured(lab: &Laboratory, output: &Output) {
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(output));
    let records = lab.records();
    assert!(!records.is_empty(), "{}", text(output));
    for record in records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{record:?}");
    }
}

#[test]
fn without_direct_io_the_levels_that_need_it_are_left_out() {
    let lab = Laboratory::new();
    // ext4 that journals its data has no O_DIRECT, and says so.
    let journalled = "truncate -s 8G image && mkfs.ext4 -q image && mount -o loop,data=journal image disk";
    let Some(output) = answer_on(&lab, journalled) else { return };
    assert_measured(&lab, &output);
    for study in ["depth", "device", "memory"] {
        let why = reason(&lab, &output, study);
        if study != "memory" {
            assert_line(
                &why,
                "it needs direct I/O: the kernel says that O_DIRECT is not supported on this file; choose a directory on a disk with --dir",
            );
        }
    }
    let plan = plan(&lab);
    let study = |name: &str| plan.studies.iter().find(|study| study.name == name);
    let commits = study("commit-modes").unwrap();
    assert!(commits.configurations.iter().all(|values| values.is("wal_mode", "buffered")), "{commits:?}");
    assert_eq!(commits.asks.len(), 1, "what is left to ask: {:?}", commits.asks);
    let said = &commits.excluded[0];
    assert!(said.starts_with("wal_mode=direct: direct I/O: "), "{said}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let line = format!("left out of commit-modes: {said}");
    assert!(stderr.lines().any(|printed| printed == line), "{stderr}");
    assert!(page_text(&lab).contains(said.as_str()), "{said}");
    assert!(study("wal-layout").is_some() && study("kv").is_some(), "{}", text(&output));
}

#[test]
fn who_may_not_cap_memory_is_told_what_that_takes() {
    let lab = Laboratory::open_to_all();
    let Some(mut command) = lab.unprivileged(&ANSWER) else { return };
    let output = command.output().unwrap();
    assert_measured(&lab, &output);
    let why = reason(&lab, &output, "memory");
    assert!(why.contains("root") || why.contains("systemd"), "{why}");
    // How much room there is, and whether another user has PostgreSQL, is this machine's business.
    let is_of_machine = |why: &str| why.contains(" of room, ") || why.contains("PostgreSQL");
    let others = plan(&lab).skipped.into_iter().filter(|skipped| !is_of_machine(&skipped.why));
    assert_eq!(others.count(), 1, "{}", text(&output));
    lab.assert_clean();
}

#[test]
fn what_finds_no_room_is_left_out_largest_first() {
    let lab = Laboratory::new();
    let image = "truncate -s 200M image && mkfs.ext4 -q image && mount -o loop image disk";
    let Some(output) = answer_on(&lab, image) else { return };
    assert_measured(&lab, &output);
    for study in ["depth", "kv"] {
        let why = reason(&lab, &output, study);
        assert_line(
            &why,
            "it needs [..] MiB of room, the others 148 MiB, but [..] are available: free space, or choose another directory with --dir",
        );
    }
    assert!(plan(&lab).studies.iter().any(|study| study.name == "commit-modes"), "{}", text(&output));
}

/// "430 522 durable commits/s … fit for etcd" was stated about a tmpfs, with exit code 0.
#[test]
fn memory_is_refused_by_name() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return;
    }
    let program = env!("CARGO_BIN_EXE_syncline");
    let image = "mkdir memory && mount -t tmpfs none memory && truncate -s 64M memory/image && \
                 mkfs.ext4 -q memory/image && mount -o loop memory/image disk";
    let commands =
        ["check --dir disk", "doctor --dir disk", "run --dir disk", "run wal-layout --dir disk --rounds 1"];
    for (place, mount) in [
        (
            "syncline: --dir disk is in memory (tmpfs is a file system in memory): data there does not survive a power loss and is not read from a device; choose a directory on a disk",
            "mount -t tmpfs none disk",
        ),
        (
            "syncline: --dir disk is in memory (loop[..] is a loop device whose file [..] is in memory: tmpfs is a file system in memory): data there does not survive a power loss and is not read from a device; choose a directory on a disk",
            image,
        ),
    ] {
        for arguments in commands {
            let lab = Laboratory::new();
            let script = format!("{mount} && exec {program} {arguments}");
            let mut command = Command::new("unshare");
            let output =
                command.args(["--mount", "sh", "-c", &script]).current_dir(lab.path()).output().unwrap();
            assert_eq!(output.status.code(), Some(3), "{place}: {arguments}: {}", text(&output));
            let stderr = String::from_utf8_lossy(&output.stderr);
            let told: Vec<&str> = stderr.lines().filter(|line| line.starts_with("syncline: ")).collect();
            let [line] = told[..] else { panic!("{place}: {arguments}: {stderr}") };
            assert_line(line, place);
            assert!(!lab.path().join("syncline-runs").exists(), "{arguments}");
        }
    }
}

#[test]
fn where_nothing_finds_room_there_is_no_run() {
    let lab = Laboratory::new();
    let Some(output) =
        answer_on(&lab, "truncate -s 2M image && mkfs.ext4 -q image && mount -o loop image disk")
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: nothing can be measured here; page-cost: it needs 64.0 MiB of room, but [..] are available: free space, or choose another directory with --dir",
    );
    assert!(!lab.run_directory().exists());
}
