//! A run directory that somebody spoiled: refused in a sentence or analysed and rendered, and never a panic.

use hostile::run::{Files, analyse};
use lab::run_directory::RunFiles;
use model::run::Run;
use std::panic::catch_unwind;
use std::path::PathBuf;
use verdict::Verdict;

const SPOILED: u64 = 60;

fn sound() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds/run")
}

fn analysed() -> (Run, Verdict) {
    let files = RunFiles::open(&sound()).unwrap();
    let run = files.run().unwrap();
    let verdict = verdict::analyse(&run, &|key| files.sidecar(key));
    (run, verdict)
}

#[test]
fn the_run_that_is_spoiled_is_sound() {
    assert!(analyse(&sound(), &analysed()));
}

#[test]
fn a_spoiled_run_directory_is_analysed_or_refused() {
    let (files, sound) = (Files::read(&sound()).unwrap(), analysed());
    let mut analysed = 0;
    for seed in 0..SPOILED {
        let directory = tempfile::tempdir().unwrap();
        let (spoiled, what) = files.spoiled(seed);
        spoiled.write(directory.path()).unwrap();
        let ended = catch_unwind(|| analyse(directory.path(), &sound));
        analysed += u64::from(*ended.as_ref().unwrap_or_else(|_| panic!("seed {seed}: {what}")));
    }
    // Otherwise only readers are tested.
    assert!(analysed > SPOILED / 4, "{analysed} of {SPOILED} could be read");
}
