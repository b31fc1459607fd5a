//! Which levels an ask compares: each level with the baseline, or, if the ask names references, each level with the
//! reference of its own durability class and the references with each other. Classes come from the records.

use crate::arms::{self, Others, Stratum};
use crate::blocks;
use crate::dependence::{Assessed, Dependences};
use crate::durability::{self, Classes};
use crate::estimate;
use crate::finding::{NoReference, Reason};
use crate::verdict::{AgainstReference, Cell, Estimate};
use model::Value;
use model::durability::DurabilityClass;
use model::plan::{Factor, StudyPlan};
use model::study::Ask;
use stats::contrast::log_ratios;
use std::collections::BTreeMap;

/// The reference level of a durability class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reference<'a> {
    /// The class that its trials declare.
    pub(crate) class: DurabilityClass,
    pub(crate) level: &'a Value,
}

/// The references of an ask, as far as the records show them.
#[derive(Clone, Debug)]
pub(crate) struct References<'a> {
    plan: &'a StudyPlan,
    classes: &'a Classes,
    factor: &'a Factor,
    /// Weakest class first, one for each class.
    known: Vec<Reference<'a>>,
    /// Levels that the ask names as references and that are not, with the reasons.
    pub(crate) missing: Vec<NoReference>,
}

impl<'a> References<'a> {
    /// The references of an ask about this factor; `None` if it names none and compares with the baseline.
    pub(crate) fn for_ask(
        plan: &'a StudyPlan,
        classes: &'a Classes,
        ask: &Ask,
        factor: &'a Factor,
    ) -> Option<Self> {
        if ask.references.is_empty() {
            return None;
        }
        let mut references = Self { plan, classes, factor, known: Vec::new(), missing: Vec::new() };
        for name in &ask.references {
            if let Err(why) = references.admit(name) {
                references.missing.push(why);
            }
        }
        references.known.sort_by_key(|reference| reference.class);
        Some(references)
    }

    fn admit(&mut self, name: &str) -> Result<(), NoReference> {
        let level = self.factor.levels.iter().find(|level| level.to_string() == name);
        let level = level.ok_or_else(|| NoReference::LeftOut(name.to_owned()))?;
        let class = self.class(level)?;
        if let Some(other) = self.known.iter().find(|known| known.class == class) {
            let (level, other) = (level.clone(), other.level.clone());
            return Err(NoReference::SameClass { level, class, other });
        }
        self.known.push(Reference { class, level });
        Ok(())
    }

    /// The class that the trials at this level declare, over every level of the other factors.
    pub(crate) fn class(&self, level: &Value) -> Result<DurabilityClass, NoReference> {
        let at_level = self.plan.configurations.iter().enumerate();
        let at_level = at_level.filter(|(_, values)| values.get(&self.factor.name) == Some(level));
        let found = durability::weakest_first(self.classes, at_level.map(|(index, _)| index));
        match found[..] {
            [class] => Ok(class),
            [] => Err(NoReference::NotMeasured { level: level.clone(), why: None }),
            _ => Err(NoReference::SeveralClasses { level: level.clone(), classes: found }),
        }
    }

    /// Each reference with the reference of the next stronger class.
    pub(crate) fn ladder(&self) -> impl Iterator<Item = (Reference<'a>, Reference<'a>)> {
        self.known.windows(2).map(|pair| (pair[0], pair[1]))
    }

    /// Levels that are not references, each with the reference of its class, or with the reason why there is none.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a Value, Result<&'a Value, NoReference>)> {
        let is_reference = |level: &Value| self.known.iter().any(|known| known.level == level);
        let levels = self.factor.levels.iter().filter(move |level| !is_reference(level));
        levels.map(|level| (level, self.class(level).and_then(|class| self.of_class(level, class))))
    }

    fn of_class(&self, level: &Value, class: DurabilityClass) -> Result<&'a Value, NoReference> {
        let found = self.known.iter().find(|known| known.class == class);
        found.map(|known| known.level).ok_or_else(|| NoReference::ClassWithout {
            level: level.clone(),
            class,
            missing: self.missing.clone(),
        })
    }
}

/// The levels that an ask compares, baseline or reference first.
pub(crate) fn pairs<'a>(plan: &'a StudyPlan, classes: &'a Classes, ask: &Ask) -> Vec<(&'a Value, &'a Value)> {
    let Some(factor) = arms::compared(ask).and_then(|compared| plan.factor(compared)) else {
        return Vec::new();
    };
    if let Some(references) = References::for_ask(plan, classes, ask, factor) {
        let ladder = references.ladder().map(|(weaker, stronger)| (weaker.level, stronger.level));
        let members = references.members().filter_map(|(level, reference)| Some((reference.ok()?, level)));
        return ladder.chain(members).collect();
    }
    let Some(baseline) = arms::baseline_level(plan, factor) else { return Vec::new() };
    factor.levels.iter().filter(|level| *level != baseline).map(|level| (baseline, level)).collect()
}

/// By configuration and metric: the ratio to the reference of its class, for every ask that names references.
pub(crate) fn ratios(
    plan: &StudyPlan,
    cells: &[Cell],
    classes: &Classes,
    dependences: &Dependences,
) -> BTreeMap<usize, BTreeMap<String, AgainstReference>> {
    let mut ratios: BTreeMap<usize, BTreeMap<String, AgainstReference>> = BTreeMap::new();
    for ask in &plan.asks {
        let Some(factor) = plan.factor(&ask.factor) else { continue };
        let Some(references) = References::for_ask(plan, classes, ask, factor) else { continue };
        for metric in &ask.on {
            let mut tell = |configuration: usize, reference: &Value, ratio: Option<Estimate>| {
                let found = AgainstReference { reference: reference.to_string(), ratio };
                ratios.entry(configuration).or_default().insert(metric.clone(), found);
            };
            for Reference { level, .. } in &references.known {
                for stratum in arms::strata(plan, &[(&factor.name, vec![level])], Others::AtBaseline) {
                    stratum.configurations.iter().for_each(|index| tell(*index, level, None));
                }
            }
            for (level, reference) in references.members() {
                let Ok(reference) = reference else { continue };
                for stratum in
                    arms::strata(plan, &[(&factor.name, vec![reference, level])], Others::AtBaseline)
                {
                    if let [theirs, ours] = stratum.configurations[..] {
                        let dependence = dependences.of_metric(metric);
                        let found = ratio(plan, cells, [theirs, ours], metric, dependence);
                        tell(ours, reference, Some(found));
                    }
                }
            }
        }
    }
    ratios
}

/// A metric of the second configuration against the first, paired within rounds, with a descriptive interval.
pub(crate) fn ratio(
    plan: &StudyPlan,
    cells: &[Cell],
    arms: [usize; 2],
    metric: &str,
    dependence: Assessed,
) -> Estimate {
    let stratum = Stratum { label: String::new(), configurations: arms.to_vec() };
    let paired = blocks::complete(plan, cells, vec![stratum], metric).and_then(|block| {
        let pairs: Vec<(f64, f64)> =
            block.cell(0).iter().filter_map(|round| Some((round[0], *round.get(1)?))).collect();
        log_ratios(&pairs).map_err(Reason::from)
    });
    match paired {
        Ok(logs) => estimate::ratio(&logs, dependence.correlation()),
        Err(why) => Estimate { point: None, interval: None, level: None, reason: Some(why.to_string()) },
    }
}
