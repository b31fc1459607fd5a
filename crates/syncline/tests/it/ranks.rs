//! What a launcher starts: each rank has a run directory of its own, named after rank and host.

use crate::laboratory::{Laboratory, refuses, root, text};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const USAGE: i32 = 2;
const AUDIT_FAILED: i32 = 3;
const UNDECIDED: i32 = 98;

/// No launcher of this machine's counts.
fn cleared(command: &mut Command) -> &mut Command {
    for variable in [
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "PMI_RANK",
        "PMI_SIZE",
        "PMIX_RANK",
        "SLURM_STEP_ID",
        "SLURM_PROCID",
        "JOB_COMPLETION_INDEX",
    ] {
        command.env_remove(variable);
    }
    command
}

fn run_as(lab: &Laboratory, variables: &[(&str, &str)], more: &[&str]) -> Output {
    let mut command = lab.run(&["--rounds", "1", "--interleave", "off"]);
    let output = cleared(&mut command).args(more).envs(variables.iter().copied()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    output
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[test]
fn ranks_have_directories_of_their_own_and_record_their_rank() {
    let lab = Laboratory::new();
    for rank in ["9", "10"] {
        let output = run_as(&lab, &[("OMPI_COMM_WORLD_RANK", rank), ("OMPI_COMM_WORLD_SIZE", "11")], &[]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let first = printed.lines().next().unwrap();
        assert!(first.starts_with(&format!("rank {rank} of 11 on {}", host())), "{printed}");
        assert!(printed.lines().count() <= 4, "a line, and where the files are: {printed}");
    }
    // The same rank again does not take over what is there.
    run_as(&lab, &[("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "9"), ("SLURM_NTASKS", "11")], &[]);
    run_as(&lab, &[("JOB_COMPLETION_INDEX", "3")], &["--of", "11"]);
    let of = |rank: &str| format!("rank-{rank}-{}", host());
    let expected = [of("03"), of("09"), format!("{}-2", of("09")), of("10")];
    assert_eq!(names(&lab.run_directory()), expected);
    let plan = fs::read_to_string(lab.run_directory().join(of("10")).join("plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["rank"], json!({ "rank": 10, "size": 11 }));

    let report = lab.run_directory().join(of("10"));
    let output = lab.syncline(&["report"]).arg(report).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).lines().count() > 5, "a report is whole");
}

#[test]
fn a_rank_that_does_not_exist_is_one_line() {
    let lab = Laboratory::new();
    let mut command = lab.run(&["--rank", "4", "--of", "4"]);
    refuses(
        &lab,
        cleared(&mut command),
        USAGE,
        "rank 4 of 4 does not exist: the first rank is 0, so the last one is below 4",
    );
    let mut command = lab.run(&[]);
    let command = cleared(&mut command).env("PMI_RANK", "1").env("OMPI_COMM_WORLD_RANK", "2");
    refuses(
        &lab,
        command,
        USAGE,
        "OMPI_COMM_WORLD_RANK is 2 and PMI_RANK is 1: the variables of the launcher contradict each other; --rank and --of count more than variables",
    );
}

/// A program of this name that is found first.
fn program(lab: &Laboratory, name: &str, script: &str) {
    let path = lab.path().join("bin").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Another rank measured the same storage at the same time: alone, the remaining trials would be of something else.
#[test]
fn a_shared_run_is_not_resumed() {
    let lab = Laboratory::new();
    run_as(&lab, &[], &["--rank", "0", "--of", "2"]);
    let directory = lab.run_directory().join(format!("rank-0-{}", host()));
    let file = directory.join("plan.json");
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    plan["rank"]["is_shared"] = json!(true);
    fs::write(file, plan.to_string()).unwrap();
    let mut resumed = lab.syncline(&["run", "--resume", directory.to_str().unwrap()]);
    refuses(
        &lab,
        cleared(&mut resumed),
        USAGE,
        "[dir]/run/rank-0-[..] is of a shared run, which is not resumed: start it again",
    );
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_shared_run_needs_a_build_with_mpi() {
    let lab = Laboratory::new();
    let mut command = lab.syncline(&["run", "tiny.toml", "--dir", "disk", "--out", "run", "--shared"]);
    refuses(
        &lab,
        cleared(&mut command),
        USAGE,
        "MPI is not built in, which --shared needs: build with `make build WITH=mpi` or `cargo build --features mpi`",
    );
}

/// Runs an example with a launcher that starts two ranks one after another, and a check that takes a moment.
fn example(lab: &Laboratory, file: &str, arguments: &[&str]) -> Output {
    let real = env!("CARGO_BIN_EXE_syncline");
    let study = lab.path().join("tiny.toml");
    let short = format!(
        "[ \"$1\" = check ] || exec '{real}' \"$@\"\nshift\nexec '{real}' run '{}' --rounds 1 --budget 1h --interleave off \"$@\"\n",
        study.display()
    );
    program(lab, "syncline", &short);
    let started = "while case \"$1\" in --hostfile|--map-by|--bind-to) shift 2;; --*) shift;; *) false;; esac; do :; done\n";
    let of = |variables: &str| {
        format!("{started}for rank in 0 1; do {variables} \"$@\" || code=$?; done\nexit ${{code:-0}}\n")
    };
    program(lab, "mpirun", &of("env OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2"));
    program(lab, "srun", &of("env SLURM_STEP_ID=0 SLURM_PROCID=$rank SLURM_NTASKS=2"));
    let path = format!("{}:{}", lab.path().join("bin").display(), std::env::var("PATH").unwrap());
    let script = root().join("examples/fleet").join(file);
    let mut command = Command::new("bash");
    cleared(&mut command)
        .arg(script)
        .args(arguments)
        .current_dir(lab.path())
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn the_scripts_of_the_examples_start_ranks_and_compare_them() {
    for (file, arguments) in
        [("mpirun.sh", &["hosts", "disk", "fleet"][..]), ("slurm.sbatch", &["disk", "fleet"][..])]
    {
        let lab = Laboratory::new();
        let output = example(&lab, file, arguments);
        // Two disks are too few to judge.
        assert_eq!(output.status.code(), Some(UNDECIDED), "{file}: {}", text(&output));
        let expected = [
            "again.tsv".to_owned(),
            "fleet.html".to_owned(),
            format!("rank-0-{}", host()),
            format!("rank-1-{}", host()),
        ];
        assert_eq!(names(&lab.path().join("fleet")), expected, "{file}");
        let usage = example(&lab, file, &[]);
        assert_eq!(usage.status.code(), Some(USAGE), "{file}");
        let stderr = String::from_utf8_lossy(&usage.stderr);
        assert!(stderr.lines().any(|line| line.starts_with("usage: ")), "{file}: {stderr}");
    }
}

/// The Job, against what its API accepts of the fields that it uses.
#[test]
fn the_kubernetes_job_is_valid() {
    let manifest = root().join("examples/fleet/kubernetes.yaml");
    let script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let output = Command::new("python3").args(["-c", script]).arg(manifest).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        skip::because("python3 with yaml is not installed");
        return;
    };
    let job: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("fleet/job.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&job).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let spec = &job["spec"];
    assert_eq!(spec["completions"], spec["parallelism"], "all pods run at once");
    let command = spec.pointer("/template/spec/containers/0/args/0").unwrap().as_str().unwrap();
    assert!(command.contains(&format!(" --of {} ", spec["completions"])), "{command}");
    let labels = spec.pointer("/template/metadata/labels").unwrap();
    let apart = spec
        .pointer("/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0");
    let apart = apart.unwrap();
    assert_eq!(apart["topologyKey"], "kubernetes.io/hostname");
    assert_eq!(&apart["labelSelector"]["matchLabels"], labels, "a pod on each node, and not two");
}
