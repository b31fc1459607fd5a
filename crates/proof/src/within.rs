//! The part of a question that the machine, the budget and the user's server let be measured.

use crate::change::Change;
use crate::design::{Asked, Design};
use crate::load::Load;
use crate::unmeasured::{Limits, Obstacle, Unmeasured};
use std::collections::BTreeMap;

impl Design {
    /// The same question without what cannot be measured; `limits` tells the limits of a question. A change that asks
    /// for the largest pool, and under whose loads nothing can be measured, goes first: the tables of what is left are
    /// smaller then.
    ///
    /// # Errors
    /// What `limits` failed with.
    pub fn fitting<E>(self, limits: impl Fn(&Self) -> Result<Limits, E>) -> Result<Self, E> {
        let mut design = self;
        loop {
            let found = limits(&design)?;
            let largest = design.with_largest_pool().cloned();
            let hopeless = largest.and_then(|change| Some((design.prevented(&change, &found)?, change)));
            match hopeless {
                Some((obstacle, change)) => design = design.without(change, obstacle),
                None => return Ok(design.within(&found)),
            }
        }
    }

    /// Why nothing can be measured of a change under any of its loads; `None` if something can, or if it has no load.
    fn prevented(&self, change: &Change, limits: &Limits) -> Option<Obstacle> {
        let obstacles = self.loads(&change.name).into_iter().map(|load| limits.of_load(load).cloned());
        obstacles.collect::<Option<Vec<Obstacle>>>()?.into_iter().next()
    }

    /// The same question without a change.
    fn without(mut self, change: Change, obstacle: Obstacle) -> Self {
        if let Asked::Changes(changes) | Asked::Race(changes) = &mut self.asked {
            changes.retain(|other| *other != change);
        }
        self.unmeasured.push(Unmeasured { obstacle, loads: Vec::new(), changes: vec![change] });
        self
    }

    /// The same question without what cannot be measured within these limits, which is written down. The number of
    /// comparisons follows from what is left. Arms that the user names stay whole.
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Self {
        let before = self.unmeasured.iter().map(|found| (found.obstacle.clone(), found.clone()));
        let mut unmeasured: BTreeMap<Obstacle, Unmeasured> = before.collect();
        let mut of = |obstacle: &Obstacle, load: Option<Load>, change: Option<Change>| {
            let found = unmeasured.entry(obstacle.clone()).or_insert_with(|| Unmeasured {
                obstacle: obstacle.clone(),
                loads: Vec::new(),
                changes: Vec::new(),
            });
            found.loads.extend(load);
            found.changes.extend(change);
        };
        let obstacle_of = |load: Load| limits.of_load(load).cloned();
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
            match self.prevented(&change, limits) {
                Some(obstacle) => {
                    of(&obstacle, None, Some(change));
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
