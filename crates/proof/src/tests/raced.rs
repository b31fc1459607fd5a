//! Whole races of every value that a race can try: `syncline prove --settings all` with made-up servers.

use super::made_up::{Truth, design, has, proven};
use crate::{
    Asked, Change, Claim, Database, Ending, Load, Proof, ProofOutcome, Server, Stage, StageKind, Work,
};
use model::Script;

/// The seeds are fixed, so that these tests pass always or never. Each race has a dozen studies of up to seven arms.
const RACES: u64 = 40;

fn everything() -> Asked {
    Asked::Race(Database::named("postgresql").unwrap().candidates(None, &settings::Release::Any))
}

fn race(scatter: f64, seed: u64, truth: &Truth) -> (Proof, Vec<Stage>) {
    proven(&design(everything()), scatter, seed, truth)
}

fn claims(proof: &Proof) -> impl Iterator<Item = &Claim> {
    let settings = proof.settings.iter().chain(&proof.candidates).map(|found| &found.claim);
    proof.bundle.iter().chain(&proof.mended).chain(settings)
}

#[test]
fn of_races_of_every_value_that_does_nothing_at_most_5_per_cent_claim_something() {
    let wrong = |seed: &u64| {
        let (proof, _) = race(0.02, *seed, &|_, _| 1.0);
        claims(&proof).any(|claim| matches!(claim.outcome, ProofOutcome::Proven | ProofOutcome::Refuted))
    };
    let rate = (1..=RACES).filter(wrong).count() as f64 / RACES as f64;
    println!("false claims: {:.1} %", 100.0 * rate);
    assert!(rate <= 0.05, "{rate}");
}

/// One value is better for commits, one harms single commits, one harms cold scans, and all others do nothing.
fn planted(server: &Server, load: Load) -> f64 {
    let is_scan = matches!(load.work, Work::Transactions(script) if script.scan().is_some());
    let is_insert = load.work == Work::Transactions(Script::Insert);
    let effects = [
        (has(server, "wal_sync_method", "open_datasync") && is_insert, 1.2),
        (has(server, "commit_delay", "100") && load == Load::of(Script::Insert, 1), 0.7),
        (has(server, "io_method", "sync") && is_scan, 0.8),
    ];
    effects.iter().filter(|(acts, _)| *acts).map(|(_, factor)| factor).product()
}

#[test]
fn a_race_of_every_value_finds_the_better_one_and_says_in_which_heat_the_worse_ones_fell() {
    let (proof, stages) = race(0.01, 1, &planted);
    let outcome_of = |name: &str, value: &str| {
        let found = proof.candidates.iter().find(|found| found.name == name && found.value == value);
        &found.unwrap().claim
    };
    for (name, value) in [("commit_delay", "100"), ("io_method", "sync")] {
        let fallen = outcome_of(name, value);
        assert_eq!(fallen.outcome, ProofOutcome::Refuted, "{name}");
        assert_eq!(fallen.decisive().unwrap().stage, StageKind::Heat(1), "{name}");
        let is_it = |key: &crate::stage::ChangeKey| key.name == name && key.value == value;
        assert!(stages[1..].iter().all(|stage| !stage.changes.iter().any(is_it)), "{name} runs no more");
    }
    let better = proof.settings.iter().find(|found| found.name == "wal_sync_method").unwrap();
    assert_eq!((&better.value[..], &better.claim.outcome), ("open_datasync", &ProofOutcome::Proven));
    // What luck picked beside it is not proven.
    let others = proof.settings.iter().filter(|found| found.name != "wal_sync_method");
    for other in others {
        assert_ne!(other.claim.outcome, ProofOutcome::Proven, "{}", other.name);
    }
    let last = stages.last().unwrap().kind;
    assert!(matches!(last, StageKind::Bundle | StageKind::Settings | StageKind::Mended), "{last}");
    assert!(matches!(proof.bundle.unwrap().outcome, ProofOutcome::Proven), "fresh rounds prove the bundle");
    assert_eq!(proof.ending, Ending::Proven);
}

#[test]
fn a_race_tries_every_value_that_a_load_can_show() {
    let Asked::Race(candidates) = everything() else { unreachable!() };
    let is_there = |name: &str| candidates.iter().any(|candidate: &Change| candidate.name == name);
    for name in ["max_wal_size", "wal_compression", "checkpoint_flush_after", "io_method", "wal_sync_method"]
    {
        assert!(is_there(name), "{name}");
    }
    for name in ["checkpoint_timeout", "temp_buffers"] {
        assert!(!is_there(name), "{name}: no load shows what it does");
    }
}
