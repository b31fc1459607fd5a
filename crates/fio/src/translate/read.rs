//! The options in force in one section, read by type; an error carries the option's own line.

use super::refusal::{Answer, Refusal};
use crate::job::{JobOption, Section};
use crate::{options, quantity};
use model::Nanos;
use std::collections::BTreeMap;

/// The options that apply to a section, by their first name: its own over those of `[global]`, later over earlier.
pub(super) type Settings<'a> = BTreeMap<&'static str, &'a JobOption>;

pub(super) struct Options<'a> {
    pub(super) section: &'a Section,
    pub(super) settings: Settings<'a>,
    /// Sections that run beside each other with these same options; 1 for a section by itself.
    pub(super) copies: u64,
    /// Jobs of the copies beside this section's own.
    pub(super) jobs_of_others: u64,
    /// Whether each of the copies names a file of its own.
    pub(super) files_differ: bool,
    /// When the section and each of its copies begin, seconds.
    pub(super) begins_s: Vec<f64>,
}

/// Puts one more option in force. Names that nobody knows have been refused before.
pub(super) fn insert<'a>(settings: &mut Settings<'a>, setting: &'a JobOption) {
    if let Some(known) = options::known(&setting.name) {
        settings.insert(known.names[0], setting);
    }
}

impl Options<'_> {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.settings.get(name)?.value.as_deref()
    }

    pub(super) fn size(&self, name: &str) -> Answer<Option<u64>> {
        let Some(zones) = self.text(name).and_then(|text| text.trim().strip_suffix(['z', 'Z'])) else {
            return self.parsed(name, quantity::parse_size);
        };
        // In zones of zonesize.
        match (quantity::parse_count(zones.trim()), self.parsed("zonesize", quantity::parse_size)?) {
            (Ok(zones), Some(zone)) if zones.checked_mul(zone).is_some_and(|bytes| bytes < 1 << 62) => {
                Ok(Some(zones * zone))
            }
            (Ok(_), Some(_)) => self.refuse(name, format!("option \"{name}\": too large a size")),
            (Ok(_), None) => {
                let what =
                    format!("{name}={zones}z counts zones, and the target is never opened: add zonesize=");
                self.refuse(name, what)
            }
            (Err(why), _) => self.refuse(name, format!("option \"{name}\": {why}")),
        }
    }

    pub(super) fn count(&self, name: &str) -> Answer<Option<u64>> {
        self.parsed(name, quantity::parse_count)
    }

    pub(super) fn time(&self, name: &str) -> Answer<Option<Nanos>> {
        self.parsed(name, quantity::parse_time)
    }

    /// A switch, which is on if it stands without a value.
    pub(super) fn switch(&self, name: &str) -> Answer<Option<bool>> {
        match self.settings.get(name) {
            Some(JobOption { value: None, .. }) => Ok(Some(true)),
            Some(_) => self.parsed(name, quantity::parse_switch),
            None => Ok(None),
        }
    }

    /// The line of an option in force, or of the section: of two options the later line counts.
    pub(super) fn line(&self, name: &str) -> usize {
        self.settings.get(name).map_or(self.section.line, |setting| setting.line)
    }

    /// A refusal at an option's line.
    pub(super) fn refuse<T>(&self, name: &str, what: impl Into<String>) -> Answer<T> {
        Err(Refusal { line: self.line(name), what: what.into() })
    }

    /// Whether the section waits for those before it. The section's own translation refuses any other value.
    pub(super) fn waits(&self) -> bool {
        self.switch("stonewall").ok().flatten().unwrap_or(false)
    }

    /// The jobs of all copies.
    pub(super) fn jobs(&self) -> Answer<u64> {
        let own = self.count("numjobs")?.unwrap_or(1);
        match own.checked_add(self.jobs_of_others).filter(|jobs| *jobs < 1 << 32) {
            Some(_) if own == 0 => self.refuse("numjobs", "numjobs=0 runs nothing; take 1 or more"),
            Some(jobs) => Ok(jobs),
            None => self.refuse("numjobs", "numjobs is too large"),
        }
    }

    /// The remark on options that have no effect.
    pub(super) fn remarks(&self) -> Vec<String> {
        let remarks = self
            .settings
            .values()
            .filter_map(|setting| options::check(&setting.name, setting.value.as_deref()).ok().flatten());
        remarks.map(str::to_owned).collect()
    }

    fn parsed<T>(&self, name: &str, parse: fn(&str) -> Result<T, String>) -> Answer<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match parse(text) {
            Ok(value) => Ok(Some(value)),
            Err(why) => self.refuse(name, format!("option \"{name}\": {why}")),
        }
    }
}
