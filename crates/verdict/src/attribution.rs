//! Which answers an audit affects. An answer rests on metrics of configurations, which require audits; an audit's
//! outcome is about some configurations. Asks state which metrics of which configurations they use
//! (`asks::Hypothesis`), and so does the crate `advice`. Audits state what they support and what they found
//! (`audits::Check`, `audits::Judgement`). Only this module has the rule between them.
//!
//! A failed audit invalidates every answer from the configurations that it is about. An audit that could not be carried
//! out invalidates the answers that require it: not assessable is not passed.

use crate::audits;
use crate::basis::{Basis, Bearing};
use crate::finding::Finding;
use crate::verdict::{Audit, Cell, Status, StudyVerdict};
use model::plan::StudyPlan;

impl Basis {
    /// The basis for these metrics of these configurations, in any order and with repeats. The required audits follow
    /// from them, so no caller can leave one out.
    pub fn new(
        plan: &StudyPlan,
        cells: &[Cell],
        configurations: impl IntoIterator<Item = usize>,
        parameters: Vec<String>,
        metrics: &[&str],
    ) -> Self {
        let mut configurations: Vec<usize> = configurations.into_iter().collect();
        configurations.sort_unstable();
        configurations.dedup();
        let requires = audits::requirements(plan, cells, &configurations, &parameters, metrics);
        Self { configurations, parameters, requires }
    }
}

impl Audit {
    /// Whether its outcome affects an answer with this basis.
    pub fn concerns(&self, basis: &Basis) -> bool {
        self.about.iter().any(|reach| reach.meets(basis))
    }

    /// Whether it left a question open that an answer with this basis depends on.
    pub fn is_open(&self, basis: &Basis) -> bool {
        let leans = basis.requires.iter().filter(|required| required.audit == self.name);
        leans.flat_map(|required| &required.configurations).any(|index| self.unassessed.contains(index))
    }

    /// Why it proves nothing for an answer that requires it: `audit volatile-cache could not be carried out here:
    /// nothing …`.
    pub fn open_question(&self) -> String {
        match self.status {
            Status::NotAssessable => {
                format!("audit {} could not be carried out here: {}", self.name, self.summary)
            }
            Status::Fail | Status::Warn | Status::Pass | Status::NotApplicable => format!(
                "audit {} could not be carried out for every configuration that this rests on.",
                self.name
            ),
        }
    }
}

/// The failed audits that an answer with this basis rests on; with any of them it is not reliable.
pub fn failed_for<'a>(audits: &'a [Audit], basis: &Basis) -> impl Iterator<Item = &'a Audit> {
    audits.iter().filter(move |audit| audit.status == Status::Fail && audit.concerns(basis))
}

/// The audits that an answer with this basis requires and that could not be carried out there. Without them the answer
/// is not proven. A failed audit is not one of these.
pub fn unproven<'a>(audits: &'a [Audit], basis: &Basis) -> impl Iterator<Item = &'a Audit> {
    audits.iter().filter(move |audit| {
        let has_failed = audit.status == Status::Fail && audit.concerns(basis);
        let is_required = basis.bearing(&audit.name) == Some(Bearing::Required);
        is_required && !has_failed && audit.is_open(basis)
    })
}

impl StudyVerdict {
    /// The failed audits that a finding of this study rests on; empty if it is reliable.
    pub fn failed_for<'a>(&'a self, finding: &'a Finding) -> impl Iterator<Item = &'a Audit> {
        failed_for(&self.audits, &finding.rests_on)
    }

    /// The audits that a finding of this study requires and that could not be carried out.
    pub fn unproven<'a>(&'a self, finding: &'a Finding) -> impl Iterator<Item = &'a Audit> {
        unproven(&self.audits, &finding.rests_on)
    }

    /// Whether a configuration's acknowledged writes may be called durable: it declares that, and every audit that this
    /// requires passed. Its speed does not matter here.
    pub fn is_durable(&self, plan: &StudyPlan, configuration: usize) -> bool {
        let Some(requires) = audits::requirements_of_promise(plan, &self.cells, configuration) else {
            return false;
        };
        let basis = Basis { configurations: vec![configuration], parameters: Vec::new(), requires };
        let bears = |audit: &Audit| basis.bearing(&audit.name).is_some();
        let is_refuted = failed_for(&self.audits, &basis).any(bears);
        !is_refuted && unproven(&self.audits, &basis).next().is_none()
    }

    /// The basis of one metric of one configuration by itself.
    pub fn basis(&self, plan: &StudyPlan, configuration: usize, metric: &str) -> Basis {
        Basis::new(plan, &self.cells, [configuration], Vec::new(), &[metric])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::{Requirement, Scope};

    fn basis(configurations: &[usize], parameters: &[&str]) -> Basis {
        let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
        Basis { configurations: configurations.to_vec(), parameters, requires: Vec::new() }
    }

    fn audit(name: &str, status: Status, about: Vec<Scope>, unassessed: &[usize]) -> Audit {
        Audit {
            name: name.to_owned(),
            status,
            summary: String::new(),
            evidence: Vec::new(),
            advice: String::new(),
            about,
            unassessed: unassessed.to_vec(),
        }
    }

    fn requiring(bearing: Bearing) -> Basis {
        let requirement = Requirement { audit: "cold-cache".to_owned(), bearing, configurations: vec![1, 2] };
        Basis { requires: vec![requirement], ..basis(&[1, 2], &[]) }
    }

    #[test]
    fn what_could_not_be_carried_out_is_not_passed() {
        let names = |found: &Audit, basis: &Basis| unproven(std::slice::from_ref(found), basis).count();
        let open = audit("cold-cache", Status::NotAssessable, Vec::new(), &[2]);
        assert_eq!(names(&open, &requiring(Bearing::Required)), 1);
        // A warning reports it there; nothing else follows.
        assert_eq!(names(&open, &requiring(Bearing::Limiting)), 0);
        // Passed for other configurations, but not assessed for this one.
        assert_eq!(
            names(&audit("cold-cache", Status::Pass, Vec::new(), &[2]), &requiring(Bearing::Required)),
            1
        );
        assert_eq!(
            names(&audit("cold-cache", Status::Pass, Vec::new(), &[3]), &requiring(Bearing::Required)),
            0
        );
        // A failure is reported as a failure.
        let failed = audit("cold-cache", Status::Fail, vec![Scope::Configurations(vec![1])], &[2]);
        assert_eq!(names(&failed, &requiring(Bearing::Required)), 0);
        assert_eq!(failed_for(std::slice::from_ref(&failed), &requiring(Bearing::Required)).count(), 1);
    }

    fn effect(parameter: &str, configurations: &[usize]) -> Scope {
        Scope::Effect { parameter: parameter.to_owned(), configurations: configurations.to_vec() }
    }

    #[test]
    fn an_answer_falls_with_what_it_rests_on_and_with_nothing_else() {
        let ours = basis(&[1, 3], &["mode"]);
        for (reach, meets) in [
            (Scope::Study, true),
            (Scope::Configurations(vec![0, 3]), true),
            (Scope::Configurations(vec![0, 2]), false),
            (Scope::Configurations(Vec::new()), false),
            (effect("mode", &[1]), true),
            // The parameter belongs to another question.
            (effect("mode", &[0, 2]), false),
            // This answer holds its levels fixed.
            (effect("memory_cap", &[1, 3]), false),
        ] {
            assert_eq!(reach.meets(&ours), meets, "{reach:?}");
        }
    }

    #[test]
    fn what_claims_nothing_rests_on_nothing() {
        let nothing = basis(&[], &["mode"]);
        for reach in [Scope::Study, Scope::Configurations(vec![0]), effect("mode", &[0])] {
            assert!(!reach.meets(&nothing), "{reach:?}");
        }
    }

    #[test]
    fn only_a_failed_audit_takes_an_answer_away() {
        let audits = [
            audit(
                "here",
                Status::Fail,
                vec![Scope::Configurations(vec![5]), Scope::Configurations(vec![1])],
                &[],
            ),
            audit("elsewhere", Status::Fail, vec![Scope::Configurations(vec![5])], &[]),
            audit("warned", Status::Warn, vec![Scope::Study], &[]),
            audit("passed", Status::Pass, Vec::new(), &[]),
        ];
        let ours = basis(&[1], &[]);
        let names: Vec<&str> = failed_for(&audits, &ours).map(|audit| audit.name.as_str()).collect();
        assert_eq!(names, ["here"]);
    }
}
