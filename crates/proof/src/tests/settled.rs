//! What a proof makes of the candidate of an advice.

use super::made_up::{changes, design, has, proven};
use crate::{Asked, FileLine, Load, Proof, ProofOutcome, Server, conclude};
use advice::{Advice, Decision, MeasuredOn, advise};
use model::Value;
use model::mechanism::Measured;
use synthetic::{Synthetic, name};
use verdict::{Answer, analyse};

const SETTING: &str = "wal_sync_method";
const CANDIDATE: &str = "open_datasync";

/// A disk that predicts that a write that is durable by itself is faster than a write and a sync.
fn predicted() -> Vec<Advice> {
    let run = Synthetic::commit()
        .vary("mode", vec![name("buffered")])
        .vary("group_size", vec![Value::Count(1)])
        .vary("sync", vec![name("fdatasync"), name("dsync")])
        .fix("ioengine", name("psync"))
        .fix("read_depth", Value::Count(0))
        .fix("wal_layout", name("prefilled"))
        .edit(|record| {
            let in_flight = if record.values.is("sync", "dsync") { 0.16 } else { 0.8 };
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(in_flight));
        })
        .rate(|values, _| if values.is("sync", "dsync") { 1300.0 } else { 1000.0 })
        .run();
    advise(&run, &analyse(&run, &|_| None))
}

fn decision(advice: &[Advice]) -> &Decision {
    let postgresql = advice.iter().find(|advice| advice.id == "postgresql").unwrap();
    &postgresql.settings.iter().find(|setting| setting.name == SETTING).unwrap().decision
}

/// A proof of this value on servers that have this speed with it.
fn proof(value: &'static str, speed: f64) -> Proof {
    let truth = move |server: &Server, _: Load| if has(server, SETTING, value) { speed } else { 1.0 };
    proven(&design(Asked::Changes(changes(&[(SETTING, value)]))), 0.01, 1, &truth).0
}

fn is_candidate(decision: &Decision) -> bool {
    matches!(decision, Decision::Candidate(found)
        if found.value == CANDIDATE && found.measured_on == MeasuredOn::Disk)
}

#[test]
fn a_proven_candidate_is_a_change() {
    let proof = proof(CANDIDATE, 1.2);
    assert_eq!(proof.settings[0].claim.outcome, ProofOutcome::Proven);
    let advice = predicted();
    assert!(is_candidate(decision(&advice)), "{:?}", decision(&advice));
    let settled = proof.settled(advice);
    let Decision::ChangeTo(found) = decision(&settled) else { panic!("{:?}", decision(&settled)) };
    assert_eq!((found.value.as_str(), found.measured_on), (CANDIDATE, MeasuredOn::Database));
    let [effect] = &found.effects[..] else { panic!("{:?}", found.effects) };
    assert_eq!((effect.value.as_str(), effect.over.as_str()), (CANDIDATE, "fdatasync"));
    assert_eq!(effect.answer, Answer::Different);
    let decisive = proof.settings[0].claim.decisive().unwrap();
    let ratio = decisive.ratio.unwrap();
    assert_eq!(effect.ratio.interval, Some((ratio.low, ratio.high)), "the proof's, not the disk's");
    let (base, other) = decisive.means.unwrap();
    assert_eq!(effect.figures, Some((other, base)), "the figure of the value first");
}

#[test]
fn a_candidate_that_gains_nothing_is_withdrawn() {
    for (speed, outcome, answer) in
        [(0.8, ProofOutcome::Refuted, Answer::Different), (1.0, ProofOutcome::Harmless, Answer::Equivalent)]
    {
        let proof = proof(CANDIDATE, speed);
        assert_eq!(proof.settings[0].claim.outcome, outcome);
        let settled = proof.settled(predicted());
        let Decision::Keep(found) = decision(&settled) else { panic!("{:?}", decision(&settled)) };
        assert_eq!((found.value.as_str(), found.measured_on), ("fdatasync", MeasuredOn::Database));
        assert_eq!(found.effects[0].answer, answer);
    }
}

#[test]
fn a_candidate_that_was_not_decided_remains_one() {
    let undecided = conclude(&design(Asked::Changes(changes(&[(SETTING, CANDIDATE)]))), &[], true);
    let of_another_value = proof("open_sync", 1.2);
    assert_eq!(of_another_value.settings[0].claim.outcome, ProofOutcome::Proven);
    // It is proven only among others that are not: without them nothing is known.
    let mut among_others = proof(CANDIDATE, 1.2);
    among_others.settings[0].line = FileLine::Comment;
    for proof in [undecided, of_another_value, among_others] {
        let settled = proof.settled(predicted());
        assert!(is_candidate(decision(&settled)), "{:?}", decision(&settled));
    }
}

#[test]
fn advice_for_another_database_remains() {
    let advice = predicted();
    let others = |advice: &[Advice]| -> Vec<String> {
        let others = advice.iter().filter(|advice| advice.id != "postgresql");
        others.map(|advice| serde_json::to_string(advice).unwrap()).collect()
    };
    let before = others(&advice);
    assert!(!before.is_empty());
    assert_eq!(others(&proof(CANDIDATE, 1.2).settled(advice)), before);
    let mut of_another = proof(CANDIDATE, 1.2);
    of_another.design.database = crate::Database::named("rocksdb").unwrap();
    assert!(is_candidate(decision(&of_another.settled(predicted()))));
}
