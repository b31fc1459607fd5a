//! A promise, and the table of those of one server.

use crate::DurabilityClass;

/// One way in which a server acknowledges a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The settings that make it, as the server names them; it is called by the first one.
    pub settings: Vec<(&'static str, &'static str)>,
    /// What an acknowledged row survives, as the maker says.
    pub class: DurabilityClass,
    /// Where the maker says so.
    pub source: &'static str,
    /// Whether these are the values that the server has if nobody chooses.
    pub is_default: bool,
    /// Whether the maker states that the database starts again and is consistent after a power loss, whatever it has
    /// lost.
    pub recovers: bool,
    /// Whether the maker states that a transaction which a client repeats, because it got no answer, is there once.
    pub deduplicates: bool,
}

impl Promise {
    /// What an acknowledged row survives by these settings, as `source` says.
    pub fn new(
        class: DurabilityClass,
        source: &'static str,
        settings: &[(&'static str, &'static str)],
    ) -> Self {
        let recovers = class == DurabilityClass::Power;
        Self { settings: settings.to_vec(), class, source, is_default: false, recovers, deduplicates: false }
    }

    /// The promise of the values that the server has if nobody chooses.
    #[must_use]
    pub fn by_default(self) -> Self {
        Self { is_default: true, ..self }
    }

    /// The promise of a database that may lose rows and starts again nevertheless.
    #[must_use]
    pub fn recovering(self) -> Self {
        Self { recovers: true, ..self }
    }

    /// The promise of a database that takes a repeated transaction once.
    #[must_use]
    pub fn deduplicating(self) -> Self {
        Self { deduplicates: true, ..self }
    }

    /// `appendfsync = always`.
    pub fn name(&self) -> String {
        self.settings.first().map(|(name, value)| format!("{name} = {value}")).unwrap_or_default()
    }

    /// Whether these settings make it. What nobody has set is as it is by default.
    fn is_made_by<'v>(&self, setting: &impl Fn(&str) -> Option<&'v str>) -> bool {
        self.settings.iter().all(|(name, value)| setting(name).is_some_and(|found| is_same(found, value)))
    }
}

/// The promises of one server.
#[derive(Debug)]
pub struct PromiseTable {
    /// As `--for` names the server.
    pub server: &'static str,
    pub(super) promises: fn() -> Vec<Promise>,
    /// Settings that no promise of the table has, with the values that leave every promise as it is; the first one is
    /// the default.
    pub(super) keeping: &'static [(&'static str, &'static [&'static str])],
}

/// A value of which a table says nothing, so that nobody knows what an acknowledged row survives.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value}: the table of promises does not have this value")]
pub struct Unstated {
    pub name: String,
    pub value: String,
}

impl PromiseTable {
    /// What the server promises by which settings, strongest first.
    pub fn promises(&self) -> Vec<Promise> {
        (self.promises)()
    }

    /// The settings that promises are called by and of which a value weakens the promise: each of their values in the
    /// table, with what an acknowledged row survives by it.
    pub fn deciding(&self) -> impl Iterator<Item = (&'static str, &'static str, DurabilityClass)> {
        let promises = self.promises();
        let called = |promise: &Promise| promise.settings.first().copied();
        let weakening = promises.iter().filter(|promise| promise.class < DurabilityClass::Power);
        let names: Vec<&str> = weakening.filter_map(called).map(|(name, _)| name).collect();
        let of = move |promise: Promise| {
            let (name, value) = called(&promise).filter(|(name, _)| names.contains(name))?;
            Some((name, value, promise.class))
        };
        promises.into_iter().filter_map(of)
    }

    /// What an acknowledged row survives under these settings: the weakest of the promises that they make.
    ///
    /// # Errors
    /// A setting of the table with a value of which it says nothing.
    pub fn class<'v>(&self, setting: impl Fn(&str) -> Option<&'v str>) -> Result<DurabilityClass, Unstated> {
        let promises = self.promises();
        let by_default = |name: &str| {
            let default = promises.iter().filter(|promise| promise.is_default);
            default
                .flat_map(|promise| &promise.settings)
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
        };
        let in_force = |name: &str| setting(name).or_else(|| by_default(name));
        for (name, values) in self.values_of_settings(&promises) {
            let Some(found) = setting(name) else { continue };
            if !values.iter().any(|value| is_same(found, value)) {
                return Err(Unstated { name: name.to_owned(), value: found.to_owned() });
            }
        }
        let made = promises.iter().filter(|promise| promise.is_made_by(&in_force));
        Ok(made.map(|promise| promise.class).min().unwrap_or(DurabilityClass::None))
    }

    /// Whether a promise depends on a setting.
    pub fn has(&self, name: &str) -> bool {
        self.values_of_settings(&self.promises()).iter().any(|(known, _)| *known == name)
    }

    /// Where the maker says what becomes of a row with this value of a setting.
    pub fn source(&self, name: &str, value: &str) -> Option<&'static str> {
        let has = |promise: &Promise| {
            promise.settings.iter().any(|(known, of)| *known == name && is_same(value, of))
        };
        self.promises().iter().find(|promise| has(promise)).map(|promise| promise.source)
    }

    fn values_of_settings(&self, promises: &[Promise]) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut all: Vec<(&'static str, Vec<&'static str>)> =
            self.keeping.iter().map(|(name, values)| (*name, values.to_vec())).collect();
        for (name, value) in promises.iter().flat_map(|promise| &promise.settings) {
            match all.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => values.push(value),
                None => all.push((name, vec![value])),
            }
        }
        all
    }
}

/// Servers take any case of letters, and several words for on and off.
fn is_same(found: &str, value: &str) -> bool {
    let plain = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" => "1".to_owned(),
        "off" | "false" | "no" => "0".to_owned(),
        other => other.to_owned(),
    };
    plain(found) == plain(value)
}
