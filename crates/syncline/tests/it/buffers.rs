//! The memory behind the buffers and the ages of files, through the whole program: asked for, had, recorded.

use crate::laboratory;

use laboratory::{Laboratory, WITHOUT_WAITING, text};
use model::BufferMemory;
use model::trial::{Measurement, TrialOutcome, TrialRecord};
use std::fs;

const MIB: u64 = 1 << 20;

/// One round of arms that take no time.
fn run(workload: &str, fixed: &str, arms: &[&str]) -> Vec<TrialRecord> {
    let lab = Laboratory::new();
    let arms: Vec<String> = arms
        .iter()
        .enumerate()
        .map(|(index, arm)| format!("[[arm]]\nname = \"arm {index}\"\n{arm}\n"))
        .collect();
    let study = format!(
        "question = \"q\"\nworkload = \"{workload}\"\n[fixed]\n{fixed}\n{}[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n",
        arms.concat()
    );
    fs::write(lab.path().join("study.toml"), study).unwrap();
    // In turns, operations while an arm settles do not count.
    let arguments = ["run", "study.toml", "--dir", "disk", "--out", "run", "--interleave", "off"];
    let output = lab.syncline(&arguments).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.records()
}

fn measurement(record: &TrialRecord) -> Option<&Measurement> {
    match &record.outcome {
        TrialOutcome::Ok => record.measurement.as_ref(),
        TrialOutcome::Unsupported(why) if record.values.is("buffer_pages", "huge") => {
            skip::because(why);
            None
        }
        other => panic!("{}: {other:?}", record.values),
    }
}

fn memory(measurement: &Measurement) -> BufferMemory {
    let buffers = measurement.buffers.as_ref().expect("these buffers are Syncline's own");
    *buffers.value().unwrap_or_else(|| panic!("{buffers:?}"))
}

/// The buffers of every workload were huge pages, and nobody knew.
#[test]
fn every_workload_has_the_buffer_pages_that_it_was_asked_for() {
    const PAGES: [&str; 2] = ["buffer_pages = \"small\"", "buffer_pages = \"huge\""];
    for (workload, fixed, resident_bytes_min) in [
        (
            "device",
            "size = \"4MiB\"\nbs = \"64KiB\"\niodepth = 4\nnumber_ios = 20\nruntime = \"0s\"",
            MIB / 4,
        ),
        (
            "commit",
            "data_size = \"4MiB\"\nwal_size = \"1MiB\"\ngroups = 20\nruntime = \"0s\"\nread_depth = 4",
            4 * 4096,
        ),
        ("append", "entries = 50", 4096),
        ("pool", "blocks = 256", 2 * MIB),
        ("scan", "files = 2\nfile_size = \"2MiB\"\npasses = 1\nbuffers = \"pooled\"", MIB),
        ("scan", "files = 2\nfile_size = \"2MiB\"\npasses = 1\nbuffers = \"fresh\"", MIB),
    ] {
        for record in run(workload, fixed, &PAGES) {
            let Some(measurement) = measurement(&record) else { continue };
            let memory = memory(measurement);
            assert!(memory.resident_bytes >= resident_bytes_min, "{workload} {}: {memory:?}", record.values);
            if record.values.is("buffer_pages", "small") {
                assert_eq!(memory.huge_bytes, 0, "{workload} {}: {memory:?}", record.values);
            } else {
                // The kernel decides how many of them it finds; whole ones prove the request.
                assert!(memory.resident_bytes >= 2 * MIB, "{workload} {}: {memory:?}", record.values);
            }
        }
    }
}

#[test]
fn buffers_that_are_not_ours_are_not_told_of() {
    for record in run("kv", "keys = 200\nphase_runtime = \"5ms\"\nengine = \"fjall\"", &["threads = 1"]) {
        assert!(measurement(&record).unwrap().buffers.is_none());
    }
    for record in run("scan", "files = 2\nfile_size = \"1MiB\"\npasses = 1", &["buffers = \"malloc\""]) {
        assert_eq!(
            memory(measurement(&record).unwrap()).huge_bytes,
            0,
            "small where the allocator decides too"
        );
    }
}

/// A ring with everything registered was the only one there was.
#[test]
fn a_ring_reads_the_same_registered_and_not() {
    let fixed = "size = \"4MiB\"\niodepth = 4\nnumber_ios = 50\nruntime = \"0s\"";
    for record in run("device", fixed, &["registered = true", "registered = false"]) {
        assert!(measurement(&record).unwrap().phases[0].operations >= 50);
    }
}

/// Nothing said whether what was read had been written a moment ago.
#[test]
fn the_age_of_every_file_is_recorded_and_can_be_asked_for() {
    let fixed = "size = \"1MiB\"\nnumber_ios = 5\nruntime = \"0s\"";
    for record in run("device", fixed, &["age = \"0s\"", "age = \"300ms\""]) {
        let age = measurement(&record).unwrap().files[0].age_s.as_ref().unwrap();
        let asked = record.values.duration("age").unwrap().seconds();
        assert!(age.value().is_some_and(|age| *age >= asked), "{age:?} and {asked} s were asked for");
    }
}
