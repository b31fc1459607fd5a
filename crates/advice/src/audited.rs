//! Applies the audits to what was measured.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::evidence::Used;
use crate::expiry::Expiry;
use crate::measured_on::{OfItself, measured_on};
use crate::no_advice::{NoAdvice, Why, Withheld};
use crate::weighed::Weighed;
use model::run::Run;
use verdict::{Audit, Basis, Status, StudyVerdict, failed_for, unproven};

/// A failed audit withholds the advice that rests on it. So does an audit that could not be carried out, if the figures
/// that the rule used require it. A warning limits the advice.
pub(crate) fn audited(
    run: &Run,
    used: &[Used<'_>],
    of_itself: &[OfItself],
    weighed: Weighed,
) -> Result<Weighed, NoAdvice> {
    let mut caveats = weighed.caveats.clone();
    let mut limit = |caveat: Caveat| {
        if !caveats.contains(&caveat) {
            caveats.push(caveat);
        }
    };
    for Used { study, basis, caveats } in used {
        if let Some(audit) = failed_for(&study.audits, basis).next() {
            let cause = Cause::AuditFailed {
                study: study.name.clone(),
                audit: audit.name.clone(),
                summary: audit.summary.clone(),
            };
            return Err(withheld(Why::AuditFailed, cause, audit, study));
        }
        if let Some(audit) = unproven(&study.audits, basis).next() {
            let cause = Cause::NotProven { study: study.name.clone(), question: audit.open_question() };
            return Err(withheld(Why::NotProven, cause, audit, study));
        }
        caveats.iter().cloned().for_each(&mut limit);
        let limits = |audit: &&Audit| {
            audit.status == Status::Warn && basis.bearing(&audit.name).is_some() && audit.concerns(basis)
        };
        for audit in study.audits.iter().filter(limits) {
            limit(Caveat::Warning {
                study: study.name.clone(),
                audit: audit.name.clone(),
                summary: audit.summary.clone(),
            });
        }
    }
    let (audits, unchecked) = vouching(used);
    let studies: Vec<&str> = weighed.grounds.iter().map(|ground| ground.study.as_str()).collect();
    let expires = Expiry::for_studies(run, &studies);
    let measured_on = measured_on(run, used, of_itself);
    Ok(Weighed { measured_on, audits, unchecked, caveats, expires, ..weighed })
}

fn withheld(why: Why, cause: Cause, audit: &Audit, study: &StudyVerdict) -> NoAdvice {
    let audit = Withheld { audit: audit.name.clone(), study: study.name.clone() };
    NoAdvice { audit: Some(Box::new(audit)), ..NoAdvice::because(why, cause) }
}

/// The audits that passed for everything that was used, and those that could not be carried out for a part of it.
fn vouching(used: &[Used<'_>]) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<&str> = Vec::new();
    for required in used.iter().flat_map(|Used { basis, .. }| &basis.requires) {
        if !names.contains(&required.audit.as_str()) {
            names.push(&required.audit);
        }
    }
    let ended = |name: &str, is: &dyn Fn(&Audit, &Basis) -> bool| {
        let mut leaning = used.iter().filter(|used| used.basis.bearing(name).is_some());
        leaning.all(|Used { study, basis, .. }| {
            study.audits.iter().find(|audit| audit.name == name).is_some_and(|audit| is(audit, basis))
        })
    };
    let has_passed = |audit: &Audit, basis: &Basis| audit.status == Status::Pass && !audit.is_open(basis);
    let is_closed = |audit: &Audit, basis: &Basis| !audit.is_open(basis);
    let listed = |wanted: &dyn Fn(&str) -> bool| {
        names.iter().filter(|name| wanted(name)).map(|name| (*name).to_owned()).collect()
    };
    (listed(&|name| ended(name, &has_passed)), listed(&|name| !ended(name, &is_closed)))
}
