//! No advice stands against a finding of the same run.

use super::{every_rule_that_speaks, log, names, times};
use crate::{Cause, Decision, advise};
use model::study::AskKind;
use synthetic::ask;
use verdict::finding::Outcome;
use verdict::{Answer, Verdict, analyse};

/// A finding about the levels that a rule compares, in the same metric, was reversed: a run that proves both says
/// nothing.
#[test]
fn a_finding_that_proves_the_opposite_leaves_nothing_to_advise() {
    let study = log()
        .vary("sync", names(&["fdatasync", "dsync"]))
        .rate(times("sync", &[("dsync", 1.3)]))
        .asks(vec![ask(AskKind::Compare, "sync", &["commits_per_s"])]);
    let run = study.run();
    let mut verdict = analyse(&run, &|_| None);
    let decision = |verdict: &Verdict| advise(&run, verdict)[0].settings[0].decision.clone();
    assert!(matches!(decision(&verdict), Decision::Candidate(_)));
    let [finding] = &mut verdict.studies[0].findings[..] else { panic!("{:?}", verdict.studies[0].findings) };
    assert_eq!(finding.answer(), Answer::Different);
    finding.ratio = finding.ratio.as_ref().map(verdict::Estimate::reversed);
    let Decision::Undecided(none) = decision(&verdict) else { panic!() };
    assert!(matches!(*none.cause, Cause::AgainstFinding { .. }), "{:?}", none.cause);
    // A finding that proves nothing stands against nothing.
    verdict.studies[0].findings[0].outcome = Outcome::Undecided;
    assert!(matches!(decision(&verdict), Decision::Candidate(_)));
}

/// Every rule that changes something on a run whose truth is known, once more with every finding about its parameters
/// reversed.
#[test]
fn no_rule_stands_against_a_finding() {
    // The value of the one follows from a search for a depth; findings compare the file systems of the other with the
    // host's.
    const NOT_IN_FINDINGS: &[&str] = &["effective_io_concurrency", "filesystem"];
    let mut refused = 0;
    for (setting, fragment, study) in every_rule_that_speaks() {
        let factors: Vec<String> = study.plan().factors.iter().map(|factor| factor.name.clone()).collect();
        let metrics: &[&str] = match study.plan().workload.as_str() {
            "commit" => &["commits_per_s"],
            "append" => &["entries_per_s"],
            "kv" => &["hit_operations_per_s", "load_and_drain_operations_per_s"],
            "device" | "scan" => &["bandwidth_bytes_per_s"],
            _ => continue,
        };
        let asks = factors
            .iter()
            .filter(|factor| *factor != "arm")
            .map(|factor| ask(AskKind::Compare, factor, metrics));
        let asks = asks.collect();
        let study = study.asks(asks);
        let run = study.run();
        let mut verdict = analyse(&run, &|_| None);
        let decided = |verdict: &Verdict| {
            let advice =
                advise(&run, verdict).into_iter().find(|advice| advice.fragment == fragment).unwrap();
            advice.settings.into_iter().find(|found| found.name == setting).unwrap().decision
        };
        let is_another =
            |decision: &Decision| matches!(decision, Decision::ChangeTo(_) | Decision::Candidate(_));
        let before = decided(&verdict);
        let is_of_effects = before.recommended().is_some_and(|found| !found.effects.is_empty());
        let is_compared = !NOT_IN_FINDINGS.contains(&setting) && is_another(&before) && is_of_effects;
        for finding in verdict.studies.iter_mut().flat_map(|study| &mut study.findings) {
            finding.ratio = finding.ratio.as_ref().map(verdict::Estimate::reversed);
        }
        if is_compared {
            let after = decided(&verdict);
            assert!(!is_another(&after), "{setting}: {after:?}");
            refused += 1;
        }
    }
    assert!(refused >= 7, "{refused}");
}
