//! Changes that leave their arm as it is.

use crate::change::Change;
use crate::design::{Asked, Design};

impl Design {
    /// Refuses a change with which an arm has the same levels as without it: its trials would compare an arm with
    /// itself, and call harmless what was never applied. Servers are compared as they are named, also with themselves.
    ///
    /// # Errors
    /// The change, as a clause.
    pub fn require_effect(&self) -> Result<(), String> {
        let levels = self.database.levels;
        let is_idle = |change: &Change| match &self.asked {
            Asked::Changes(changes) => {
                let others = changes.iter().filter(|other| other.name != change.name);
                levels(&self.current.with_all(others)) == levels(&self.current.with_all(changes))
            }
            Asked::Race(_) => levels(&self.current) == levels(&self.current.with(change)),
            Asked::Servers(_) => false,
        };
        match self.changes().iter().find(|change| is_idle(change)) {
            Some(Change { name, value, .. }) => Err(format!(
                "{name} = {value} changes nothing in a {} of the proof, so there is nothing to measure: leave it out",
                self.database.instance
            )),
            None => Ok(()),
        }
    }
}
