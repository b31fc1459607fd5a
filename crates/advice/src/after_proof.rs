//! What a proof on the database makes of a candidate.

use crate::decide::Held;
use crate::decision::{Decision, Recommendation};
use crate::effect::{Effect, Standing};
use crate::measured_on::MeasuredOn;
use crate::setting::Setting;

impl Setting {
    /// The same after a proof on the database compared its candidate with the value in use: a change if it is better there, and
    /// withdrawn if it is not. A proof that decides nothing, or is about other values, changes nothing.
    #[must_use]
    pub fn after_proof(&self, database: &str, effect: &Effect) -> Self {
        let held = Held::new(self, database, self.in_use.value());
        let (Decision::Candidate(found), Ok(weighed)) = (&self.decision, &self.weighed) else {
            return self.clone();
        };
        if !held.is_same(&effect.value, &found.value) || !held.is_in_use(&effect.over) {
            return self.clone();
        }
        let proven = |found: Recommendation| {
            Box::new(Recommendation {
                measured_on: MeasuredOn::Database,
                estimate: None,
                needs: None,
                ..found
            })
        };
        let decision = match effect.standing() {
            Standing::Better => Decision::ChangeTo(proven(Recommendation {
                effects: vec![effect.clone()],
                ..(**found).clone()
            })),
            Standing::Worse | Standing::Equal => {
                Decision::Keep(proven(held.kept(weighed, std::slice::from_ref(effect))))
            }
            Standing::Open => return self.clone(),
        };
        Self { decision, ..self.clone() }
    }
}
