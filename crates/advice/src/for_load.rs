//! An advice limited to what matters for a load: a setting that acts on nothing that the load does is left out.

use crate::setting::{Advice, Setting};
use crate::to_do::to_do;
use model::LoadPart;
use page::{Block, Section};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An advice limited to what matters for a load.
#[derive(Clone, Debug, Serialize)]
pub struct ForLoad {
    /// With the settings that matter.
    #[serde(flatten)]
    pub advice: Advice,
    pub left_out: Vec<LeftOut>,
}

/// A setting that does not matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub setting: String,
    /// The load has none of these.
    pub acts_on: &'static [LoadPart],
}

impl Advice {
    /// The same for a load of these parts. What is computed follows from the machine, so it is left out.
    pub fn for_load(&self, load: &BTreeSet<LoadPart>) -> ForLoad {
        let matters = |setting: &Setting| setting.acts_on.iter().any(|part| load.contains(part));
        let (settings, others): (Vec<Setting>, Vec<Setting>) =
            self.settings.iter().cloned().partition(matters);
        let left_out =
            others.into_iter().map(|setting| LeftOut { setting: setting.name, acts_on: setting.acts_on });
        ForLoad {
            left_out: left_out.collect(),
            advice: Self { settings, computed: Vec::new(), ..self.clone() },
        }
    }
}

impl ForLoad {
    /// `Left out of PostgreSQL 15–18, because the load has less than 1/s of what they act on: commit_delay (…).`
    fn note(&self) -> Option<Block> {
        let mut by_parts: BTreeMap<&[LoadPart], Vec<&str>> = BTreeMap::new();
        for LeftOut { setting, acts_on } in &self.left_out {
            by_parts.entry(acts_on).or_default().push(setting);
        }
        let group = |(parts, settings): (&[LoadPart], Vec<&str>)| {
            let parts: Vec<&str> = parts.iter().map(|part| part.name()).collect();
            format!("{} ({})", settings.join(", "), parts.join(", "))
        };
        let groups: Vec<String> = by_parts.into_iter().map(group).collect();
        (!groups.is_empty()).then(|| {
            Block::note(format!(
                "Left out of {}, because the load has less than {}/s of what they act on: {}.",
                self.advice.database,
                LoadPart::PER_S_MIN,
                groups.join("; ")
            ))
        })
    }
}

/// What follows for the settings that matter, and what was left out; `None` without advice.
pub fn for_load(limited: &[ForLoad]) -> Option<Section> {
    let advice: Vec<Advice> = limited.iter().map(|of| of.advice.clone()).collect();
    let mut section = to_do(&advice)?;
    section.blocks.extend(limited.iter().filter_map(ForLoad::note));
    Some(Section { heading: "Settings that matter for this load".into(), short: None, ..section })
}
