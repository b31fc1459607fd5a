//! Settings of a server as a parameter of a workload: which of them can change anything in a configuration.

use model::study::ARM_FACTOR;
use model::{Configuration, Settings};

/// Names and values of the settings that can change something: the server is started with these. `why_none` has the
/// reason why a setting changes nothing.
pub(crate) fn with_effect<'s>(
    settings: &'s Settings,
    why_none: impl Fn(&str) -> Option<&'static str> + 's,
) -> impl Iterator<Item = (&'s str, &'s str)> {
    settings.iter().filter(move |(name, _)| why_none(name).is_none())
}

/// The others: names, and why they change nothing. To measure them would prove nothing.
pub(crate) fn without_effect<'s>(
    settings: &'s Settings,
    why_none: impl Fn(&str) -> Option<&'static str> + 's,
) -> impl Iterator<Item = (&'s str, &'static str)> {
    settings.iter().filter_map(move |(name, _)| Some((name, why_none(name)?)))
}

/// Requires that some setting has an effect, if there are any. Among others that do, one without is left out, and the
/// record says so. An arm may have no other: it is what another arm with more settings is compared with.
///
/// # Errors
/// The first setting, and why it changes nothing.
pub(crate) fn require_effect(
    configuration: &Configuration,
    settings: &Settings,
    why_none: impl Fn(&str) -> Option<&'static str>,
) -> Result<(), String> {
    if configuration.get(ARM_FACTOR).is_some() || with_effect(settings, &why_none).next().is_some() {
        return Ok(());
    }
    match without_effect(settings, &why_none).next() {
        Some((name, why)) => Err(format!("settings: {name} changes nothing: {why}")),
        None => Ok(()),
    }
}
