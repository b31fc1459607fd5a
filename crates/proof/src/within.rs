//! The part of a question that a user's server lets be measured.

use crate::change::Change;
use crate::design::{Asked, Design};
use crate::load::Load;
use crate::unmeasured::{Limits, Obstacle, Unmeasured};
use std::collections::BTreeMap;

/// The limits that every user's server has.
const OF_USERS_SERVERS: [Obstacle; 3] = [Obstacle::ColdFiles, Obstacle::Cycles, Obstacle::FreshSegments];

impl Design {
    /// The same question without what the user's server does not let be measured, which is written down. The number of
    /// comparisons follows from what is left. Arms that the user names stay whole.
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Self {
        let mut unmeasured: BTreeMap<Obstacle, Unmeasured> = BTreeMap::new();
        let mut of = |obstacle: &Obstacle, load: Option<Load>, change: Option<Change>| {
            let found = unmeasured.entry(obstacle.clone()).or_insert_with(|| Unmeasured {
                obstacle: obstacle.clone(),
                loads: Vec::new(),
                changes: Vec::new(),
            });
            found.loads.extend(load);
            found.changes.extend(change);
        };
        // What no connection and no right makes possible is the reason if both hold.
        let obstacle_of = |load: Load| {
            OF_USERS_SERVERS.iter().chain(&limits.of_loads).find(|obstacle| obstacle.prevents(load)).cloned()
        };
        let is_settable = |change: &Change| !limits.of_settings.contains_key(&change.name);
        let loads: Vec<Load> = match &self.asked {
            Asked::Changes(changes) | Asked::Race(changes) if !changes.is_empty() => {
                let settable = changes.iter().filter(|change| is_settable(change));
                self.loads_of(settable.map(|change| change.name.as_str()))
            }
            Asked::Changes(_) | Asked::Race(_) | Asked::Servers(_) => self.all_loads(),
        };
        let mut keep = |change: Change| {
            if let Some(obstacle) = limits.of_settings.get(&change.name) {
                of(obstacle, None, Some(change));
                return None;
            }
            let obstacles = self.loads(&change.name).into_iter().map(obstacle_of);
            match obstacles.collect::<Option<Vec<Obstacle>>>().unwrap_or_default().first() {
                Some(obstacle) => {
                    of(obstacle, None, Some(change));
                    None
                }
                None => Some(change),
            }
        };
        let asked = match self.asked.clone() {
            Asked::Changes(changes) => Asked::Changes(changes.into_iter().filter_map(&mut keep).collect()),
            Asked::Race(changes) => Asked::Race(changes.into_iter().filter_map(&mut keep).collect()),
            Asked::Servers(servers) => Asked::Servers(servers),
        };
        for load in loads {
            if let Some(obstacle) = obstacle_of(load) {
                of(&obstacle, Some(load), None);
            }
        }
        self.asked = asked;
        self.unmeasured = unmeasured.into_values().collect();
        self
    }

    /// Whether something is left to measure of a question that had something.
    pub fn has_question(&self) -> bool {
        let is_empty =
            matches!(&self.asked, Asked::Changes(changes) | Asked::Race(changes) if changes.is_empty());
        let has_dropped = self.unmeasured.iter().any(|unmeasured| !unmeasured.changes.is_empty());
        !(self.all_loads().is_empty() || is_empty && has_dropped)
    }

    /// Whether nothing is measured under a load.
    pub(crate) fn is_dropped(&self, load: Load) -> bool {
        self.unmeasured.iter().any(|unmeasured| unmeasured.loads.contains(&load))
    }

    /// The changes that no arm has, each with the reason.
    pub(crate) fn dropped(&self) -> impl Iterator<Item = (&Change, &Obstacle)> {
        self.unmeasured
            .iter()
            .flat_map(|unmeasured| unmeasured.changes.iter().map(|change| (change, &unmeasured.obstacle)))
    }
}
