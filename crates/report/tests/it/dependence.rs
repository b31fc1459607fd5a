//! What the reports say about rounds that repeat each other, and about rounds that may.

use crate::fixture::specimen;
use report::Repeat;
use verdict::Verdict;
use verdict::finding::{Dependence, NoDependence, Remark};

const WORDS: [&str; 3] = ["Dependence", "Neighbouring", "neighbouring"];

/// The lines of the page to publish that are about dependence.
fn lines(verdict: &Verdict) -> Vec<String> {
    let (run, _) = specimen(6);
    let page = report::markdown(&run, verdict, &[], &Repeat::default());
    let about = |line: &&str| WORDS.iter().any(|word| line.contains(word));
    page.lines().filter(about).map(str::to_owned).collect()
}

/// The specimen's verdict with this dependence in the first study, and none found in the others.
fn with(dependence: Dependence) -> Verdict {
    let (_, mut verdict) = specimen(6);
    let none = Dependence::NotFound { lag1: 0.1, detectable: 0.5 };
    for study in &mut verdict.studies {
        study.dependence.values_mut().for_each(|known| *known = none);
    }
    let study = &mut verdict.studies[0];
    let first = study.asked[0].clone();
    study.dependence.insert(first, dependence);
    if let Some((correlation, widened_by)) = dependence.notable() {
        study.findings[0].remarks.push(Remark::DependentRounds { correlation, widened_by });
    }
    verdict
}

#[test]
fn a_dependence_is_reported_where_it_widens_an_interval() {
    let found = Dependence::Found { lag1: 0.824, counted: 0.624, widened_by: 1.93 };
    insta::assert_snapshot!(lines(&with(found)).join("\n"));
}

#[test]
fn too_few_rounds_to_show_one_are_named() {
    let unknown = NoDependence::Undetectable { rounds: 6, arms: 5, detectable: 1.04 };
    insta::assert_snapshot!(lines(&with(Dependence::NotAssessable(unknown))).join("\n"));
}

#[test]
fn none_is_no_news() {
    let none = Dependence::NotFound { lag1: 0.1, detectable: 0.5 };
    let barely = Dependence::Found { lag1: 0.9, counted: 0.03, widened_by: 1.03 };
    assert_eq!(lines(&with(none)), Vec::<String>::new());
    assert_eq!(lines(&with(barely)), Vec::<String>::new());
    assert_eq!(lines(&with(Dependence::NotAssessable(NoDependence::NotAsked))), Vec::<String>::new());
}
