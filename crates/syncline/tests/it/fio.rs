//! fio's job files through the whole program: run, refused, reported as fio does, exported and run again.

use crate::laboratory;

use laboratory::{Laboratory, fio, prints, refuses, root, text};
use model::Configuration;
use model::plan::Plan;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

const USAGE: i32 = 2;
const RUNTIME: i32 = 1;

const JOB: &str = "\
[global]
size=8m
bs=4k
number_ios=200
[random reads]
rw=randread
direct=1
ioengine=io_uring
iodepth=8
[log]
stonewall
rw=write
fdatasync=10
end_fsync=1
";

/// `syncline fio JOB --dir disk --out run …`, whose measurement must not fail; an audit may, on a busy machine.
fn run(lab: &Laboratory, job: &str, out: &str, more: &[&str]) -> Output {
    fs::write(lab.path().join("job.fio"), job).unwrap();
    let mut command = lab.syncline(&["fio", "job.fio", "--dir", "disk", "--out", out]);
    let output = command.args(more).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.assert_clean();
    output
}

/// What a run's first study measured, whatever its arms are called.
fn configurations(run: &Path) -> Vec<Configuration> {
    let plan: Plan = serde_json::from_str(&fs::read_to_string(run.join("plan.json")).unwrap()).unwrap();
    let mut configurations = plan.studies[0].configurations.clone();
    for values in &mut configurations {
        values.0.remove("arm");
    }
    configurations
}

fn exported(lab: &Laboratory, run: &str) -> String {
    let output = lab.syncline(&["export", run, "--format", "fio"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_job_file_runs_and_is_summed_up() {
    let lab = Laboratory::new();
    let output = run(&lab, JOB, "run", &["--rounds", "2"]);
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    // A job that syncs shows what its syncs took: no completion latency holds it.
    for expected in ["random reads", "log", "IOPS", "sync", "report.html"] {
        assert!(summary.contains(expected), "{expected}: {summary}");
    }
    // If a job means something slightly different here, the job's output states it.
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(remarks.contains("[log] the file is full of data before it is written"), "{remarks}");
    let records = lab.records();
    assert_eq!(records.len(), 2 * 3, "every job once in each round, and the first against itself");
    assert!(records.iter().all(|record| !record.warmup), "fio has no warm-up round");
    for record in &records {
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        let syncs = if record.values.is("arm", "log") { 21 } else { 0 };
        assert_eq!(phase.counted_operations(), 200 + syncs, "{}", record.values);
    }
}

#[test]
fn its_json_is_read_as_fios_is() {
    let lab = Laboratory::new();
    let output = run(&lab, JOB, "run", &["--format", "json"]);
    let read = fio::json::read(&output.stdout).unwrap();
    assert_eq!((read.jobs.len(), read.version.starts_with("syncline-")), (2, true));
    let job = |name: &str| read.jobs.iter().find(|job| job.name == name).unwrap();
    let reads = job("random reads").read.as_ref().unwrap();
    assert_eq!((reads.operations, job("random reads").iodepth()), (Some(200), Some(8)));
    assert!(reads.iops.unwrap() > 0.0 && reads.completion.as_ref().unwrap().mean_ns.unwrap() > 0.0);
    let log = job("log");
    assert_eq!(log.write.as_ref().unwrap().bytes, Some(200 * 4096));
    assert_eq!((log.read.is_none(), log.sync.as_ref().unwrap().operations), (true, Some(21)));

    // What scripts reach for: fio has every direction in every job, whether or not it was used.
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    for job in 0..2 {
        let used = if json["jobs"][job]["jobname"] == "log" { "write" } else { "read" };
        for direction in ["read", "write", "trim"] {
            for key in ["iops", "bw", "bw_bytes", "total_ios", "clat_ns/N", "clat_ns/mean", "lat_ns/mean"] {
                let pointer = format!("/jobs/{job}/{direction}/{key}");
                let figure = json.pointer(&pointer).unwrap_or_else(|| panic!("no {pointer}: {json:#}"));
                assert_eq!(
                    figure.as_f64().is_some_and(|figure| figure > 0.0),
                    direction == used,
                    "{pointer}"
                );
            }
        }
        assert!(json.pointer(&format!("/jobs/{job}/job options/rw")).is_some_and(Value::is_string));
    }
}

/// The export of a run is a job file that fio takes, and that means the same configurations here.
/// Three unlike sections beside each other: each has its own entry, and what one wrote is compared with its file.
#[test]
fn unlike_sections_have_entries_of_their_own() {
    let lab = Laboratory::new();
    let job = "[global]\nsize=4m\nnumber_ios=300\n[log]\nrw=write\nverify=crc32c\n[point reads]\nrw=randread\nbs=8k\n\
               [backward]\nrw=read:-8k\n";
    let output = run(&lab, job, "run", &["--format", "json"]);
    let read = fio::json::read(&output.stdout).unwrap();
    let names: Vec<&str> = read.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["log", "point-reads", "backward"]);
    assert!(read.jobs[0].write.as_ref().unwrap().operations.unwrap() > 0 && read.jobs[0].read.is_none());
    for record in lab.records() {
        let measurement = record.measurement.as_ref().unwrap();
        assert!(measurement.notes.iter().any(|note| note.starts_with("verify: ")), "{:?}", measurement.notes);
    }
}

#[test]
fn an_exported_run_is_a_job_file_for_fio_and_for_syncline() {
    let lab = Laboratory::new();
    run(&lab, JOB, "run", &[]);
    let job = exported(&lab, "run");
    fs::write(lab.path().join("exported.fio"), &job).unwrap();
    if let Some(parsed) = fio(&lab, &["--parse-only", "exported.fio"]) {
        assert!(parsed.status.success(), "{job}\n{}", text(&parsed));
    }
    run(&lab, &job, "again", &[]);
    assert_eq!(configurations(&lab.path().join("again")), configurations(&lab.run_directory()), "{job}");
}

#[test]
fn a_study_of_factors_is_exported_section_by_section() {
    let lab = Laboratory::new();
    let arguments = "run device --dir disk --out run --rounds 1 --vary rw=randwrite,read --fix size=8MiB \
                     --fix number_ios=50 --fix runtime=0s --fix numjobs=2";
    let output = lab.syncline(&arguments.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let job = exported(&lab, "run");
    fs::write(lab.path().join("exported.fio"), &job).unwrap();
    if let Some(parsed) = fio(&lab, &["--parse-only", "exported.fio"]) {
        assert!(parsed.status.success(), "{job}\n{}", text(&parsed));
    }
    run(&lab, &job, "again", &[]);
    let mut before = configurations(&lab.run_directory());
    // Reads have nothing to sync, so fio is not asked to.
    for values in before.iter_mut().filter(|values| values.is("rw", "read")) {
        values.0.insert("end_fsync".to_owned(), model::Value::Flag(false));
    }
    assert_eq!(configurations(&lab.path().join("again")), before, "{job}");
}

#[test]
fn a_run_without_a_device_study_is_no_job() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let mut export = lab.syncline(&["export", "run", "--format", "fio"]);
    refuses(
        &lab,
        &mut export,
        RUNTIME,
        "this run has no study of the workload device, which is the only one that fio can repeat",
    );
}

/// `syncline fio` of this job is refused with these beginnings of lines, and leaves nothing behind.
#[track_caller]
fn check_refused(lab: &Laboratory, job: &str, beginnings: &[&str]) {
    fs::write(lab.path().join("job.fio"), job).unwrap();
    let output = lab.syncline(&["fio", "job.fio", "--dir", "disk", "--out", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
    for beginning in beginnings {
        prints(lab, &output, &format!("[..]{beginning}[..]"));
    }
    lab.assert_clean();
    assert!(!lab.run_directory().exists(), "{job}");
}

#[test]
fn every_option_that_is_not_done_as_fio_does_it_is_named_with_its_line() {
    let lab = Laboratory::new();
    check_refused(
        &lab,
        "[global]\nsize=8m\nfdp=1\n[x]\nrw=randrw\nzonemode=zbd\nmax_latency=1ms\npercentage_random=5\n",
        &[
            "job.fio:3: option \"fdp=1\" is not supported",
            "job.fio:6: zonemode=zbd: reads meet the write pointers",
            "job.fio:7: option \"max_latency\" is not supported",
            "job.fio:8: option \"percentage_random=5\" is not supported",
        ],
    );
    check_refused(
        &lab,
        "[x]\nsize=8m\nioengin=psync\n",
        &["job.fio:3: option \"ioengin\" is not supported; did you mean \"ioengine\"?"],
    );
    check_refused(&lab, "[x]\nsize=8m\nioengine=spdk\n", &["job.fio:3: ioengine=spdk is not supported"]);
    check_refused(&lab, "[x]\nsize=8m\nbs=banana\n", &["job.fio:3: option \"bs\": \"banana\""]);
    check_refused(&lab, "size=8m\n[x]\n", &["job.fio:1: option \"size\" is before the first [section]"]);
    check_refused(&lab, "", &["job.fio:1: names no job"]);
    check_refused(
        &lab,
        "[x]\nsize=8m\n[y]\nsize=8m\ninvalidate=0\n",
        &["job.fio:3: [y] would run beside [x], and cannot: their cache differs; add stonewall"],
    );
    let mut missing = lab.syncline(&["fio", "missing.fio", "--dir", "disk"]);
    refuses(
        &lab,
        &mut missing,
        USAGE,
        "missing.fio: cannot read the job file: No such file or directory (os error 2)",
    );
    fs::write(lab.path().join("job.fio"), [0xff, 0xfe, 0x00, b'\n']).unwrap();
    refuses(&lab, &mut lab.syncline(&["fio", "job.fio"]), USAGE, "job.fio:1: not UTF-8 text: not a job file");
}

#[test]
fn what_syncline_did_not_make_is_not_measured() {
    let lab = Laboratory::new();
    let mine = lab.path().join("mine.data");
    fs::write(&mine, "mine").unwrap();
    check_refused(
        &lab,
        "[x]\nrw=randwrite\nsize=1m\nfilename=disk\n",
        &["job.fio:4: filename=disk names an existing directory; give directory=disk"],
    );
    let names = [
        "mine.data",
        mine.to_str().unwrap(),
        "./disk/../mine.data",
        "/dev/surely-not-there",
        "/dev/null",
        "free.data",
    ];
    let section = |(index, name): (usize, &&str)| format!("[job{index}]\nfilename={name}\n");
    let sections: String = names.iter().enumerate().map(section).collect();
    let job = format!("[global]\nsize=1m\nrw=randwrite\nnumber_ios=2\nstonewall\n{sections}");
    let output = run(&lab, &job, "run", &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    for expected in [
        "[job0] mine.data is there and is left alone",
        "[job2] ./disk/../mine.data is there and is left alone",
        "[job4] /dev/null is never opened: a file",
        "[job5] instead of free.data a file is made",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    assert!(!lab.path().join("free.data").exists() && !Path::new("/dev/surely-not-there").exists());
}

/// A job file as people write it: for a device, with the engine of their kernel, with what is common in another file,
/// and two jobs beside each other.
#[test]
fn a_job_file_as_it_is_written_runs() {
    let lab = Laboratory::new();
    let common =
        "randrepeat=0\nverify=0\nioengine=libaio\ndirect=1\ngtod_reduce=1\ntime_based\nruntime=15s\n";
    fs::create_dir(lab.path().join("jobs")).unwrap();
    fs::write(lab.path().join("jobs/common.fio"), common).unwrap();
    let job = "[global]\ninclude common.fio\nfilename=/dev/nvme9n9\ndirectory=${UNSET}\nsize=${UNSET}\nbs=${BLOCK}\nwrite_bw_log=${OUTPUT}\n\
               [reads]\nrw=randread\niodepth=4\n[writes]\nrw=randwrite\niodepth=8\nnumjobs=2\nrate=,1m\n";
    fs::write(lab.path().join("jobs/job.fio"), job).unwrap();
    let arguments = "fio jobs/job.fio --dir disk --out run --size 4m --runtime 200ms --format json";
    let mut command = lab.syncline(&arguments.split(' ').collect::<Vec<_>>());
    let output = command.env("BLOCK", "4k").output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    for expected in [
        "${BLOCK} is taken from the environment",
        "ioengine=libaio runs on io_uring",
        "/dev/nvme9n9 is never opened",
        "rate is 256 operations a second",
        "no log is written",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let read = fio::json::read(&output.stdout).unwrap();
    let told: Vec<_> = read
        .jobs
        .iter()
        .map(|job| (job.iodepth(), job.numjobs(), job.read.is_some(), job.write.is_some()))
        .collect();
    assert_eq!(told, [(Some(8), Some(2), false, true), (Some(4), Some(1), true, false)]);
    let reads = read.jobs[1].read.as_ref().unwrap();
    assert!(reads.operations.unwrap() > 0 && reads.iops.unwrap() > 0.0);
    // Two jobs with 256 arrivals a second each, for a fifth of a second.
    let writes = read.jobs[0].write.as_ref().unwrap().operations.unwrap();
    assert!((40..250).contains(&writes), "{writes}");

    // What it is exported to is the same job again.
    let job = exported(&lab, "run");
    run(&lab, &job, "again", &[]);
    assert_eq!(configurations(&lab.path().join("again")), configurations(&lab.run_directory()), "{job}");
}

#[test]
fn options_behind_two_dashes_are_a_job() {
    let lab = Laboratory::new();
    let arguments =
        "fio --dir disk --out run -- --name=quick -rw randread --size=1m --number_ios=20 --direct=1";
    let output = lab.syncline(&arguments.split(' ').collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let values = &configurations(&lab.run_directory())[0];
    assert!(values.is("rw", "randread") && values.is("mode", "direct"), "{values}");

    let mut nothing = lab.syncline(&["fio", "--dir", "disk"]);
    refuses(&lab, &mut nothing, USAGE, "the following required arguments were not provided:");
    let mut wrong = lab.syncline(&["fio", "--dir", "disk", "--", "--name=a", "--rw=raed", "--size=1m"]);
    refuses(&lab, &mut wrong, USAGE, "command line:2: unknown pattern \"raed\"; did you mean \"read\"?");
}

#[test]
fn the_example_is_a_job_for_both() {
    let lab = Laboratory::new();
    let example = root().join("examples/randread.fio");
    if let Some(parsed) = fio(&lab, &["--parse-only", example.to_str().unwrap()]) {
        assert!(parsed.status.success(), "{}", text(&parsed));
    }
    let file = fio::job::parse("randread.fio", &fs::read(&example).unwrap(), &fio::job::no_include);
    let jobs = fio::translate::translate(&file, |_| fio::translate::Existing::Nothing).unwrap();
    let value = |name: &str| {
        let found = jobs[0].values.iter().find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.as_str()).unwrap()
    };
    let expected = [
        ("rw", "randread"),
        ("mode", "direct"),
        ("ioengine", "uring"),
        ("iodepth", "32"),
        ("size", "1GiB"),
        ("runtime", "10s"),
        ("number_ios", "0"),
    ];
    for (parameter, level) in expected {
        assert_eq!(value(parameter), level, "{parameter}");
    }
}
