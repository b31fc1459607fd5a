//! What a proof on the database makes of a candidate.

use crate::cause::Cause;
use crate::decide::{Held, decided};
use crate::decision::{Decision, Recommendation};
use crate::effect::{Effect, Standing};
use crate::measured_on::MeasuredOn;
use crate::setting::Setting;
use crate::weighed::Weighed;

impl Setting {
    /// The same after a proof on the database compared its candidate with the value in use: a change if it is better
    /// there, and withdrawn if it is not. A proof that decides nothing, or is about other values, changes nothing.
    #[must_use]
    pub fn after_proof(&self, database: &str, effect: &Effect) -> Self {
        Self { proven: Some(effect.clone()), ..self.clone() }.settled(database)
    }

    /// The same after its proof, if the proof is about its candidate and the value in use.
    pub(crate) fn settled(self, database: &str) -> Self {
        match self.decision_after_proof(database) {
            Some(decision) => Self { decision, ..self },
            None => self,
        }
    }

    /// `None` if no proof decides it.
    fn decision_after_proof(&self, database: &str) -> Option<Decision> {
        let effect = self.proven.as_ref()?;
        let held = Held::new(self, database, &self.in_use);
        let Ok(weighed) = &self.weighed else { return None };
        let found = self.to_be_proven(weighed)?;
        if !held.is_same(&effect.value, &found.value) || !held.is_in_use(&effect.over) {
            return None;
        }
        let proven = |found: Recommendation| {
            Box::new(Recommendation {
                measured_on: MeasuredOn::Database,
                estimate: None,
                needs: None,
                ..found
            })
        };
        match effect.standing() {
            Standing::Better => {
                Some(Decision::ChangeTo(proven(Recommendation { effects: vec![effect.clone()], ..found })))
            }
            Standing::Worse | Standing::Equal => {
                Some(Decision::Keep(proven(held.kept(weighed, std::slice::from_ref(effect)))))
            }
            Standing::Open => None,
        }
    }

    /// What a proof of its advice compares with the value in use: a candidate, or a value to be tried.
    fn to_be_proven(&self, weighed: &Weighed) -> Option<Recommendation> {
        match &self.decision {
            Decision::Candidate(found) => Some((**found).clone()),
            Decision::Undecided(none) => {
                let Cause::Untried { value, .. } = &*none.cause else { return None };
                Some(decided(weighed, value.clone(), Vec::new()))
            }
            Decision::ChangeTo(_)
            | Decision::Keep(_)
            | Decision::Judged(_)
            | Decision::DoesNotApply(_)
            | Decision::Withheld(_) => None,
        }
    }
}
