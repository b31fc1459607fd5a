//! An advice in words: what was measured, what limits it, why there is none.

mod cause;
mod caveat;
mod decision;
mod statement;

pub use cause::cause;
pub(crate) use caveat::caveat;
pub(crate) use decision::{candidates, gain, lost, needed, proving, reason};
pub use statement::measured;

use advice::{Changed, DefaultValue, Loss, Now, Setting, TakesEffect, Versions, What};
use model::units::format_significant;

/// What a value loses: a clause.
pub(crate) fn loss(loss: &Loss) -> String {
    match loss {
        Loss::EntriesInKill(most) => format!(
            "acknowledged writes if the process dies: up to {} entries in one kill here",
            format_significant(*most)
        ),
        Loss::Note(clause) => (*clause).to_owned(),
    }
}

/// `18 and later`, `16 and earlier`, `16 to 17`: the versions that have a setting.
pub fn versions(versions: Versions) -> String {
    match (versions.since, versions.until) {
        (None, None) => "of any number".to_owned(),
        (Some(since), None) => format!("{since} and later"),
        (None, Some(until)) => format!("{until} and earlier"),
        (Some(since), Some(until)) => format!("{since} to {until}"),
    }
}

/// The name of a setting, with the versions that have it if not all have: `io_method (18 and later)`.
pub(crate) fn with_versions(setting: &Setting) -> String {
    if setting.versions.are_all() {
        return setting.name.clone();
    }
    format!("{} ({})", setting.name, versions(setting.versions))
}

/// `4.0 by default`.
pub(crate) fn default(value: DefaultValue) -> String {
    match value {
        DefaultValue::Always(value) => format!("{value} by default"),
        DefaultValue::Since { version, value, before } => {
            format!("{value} by default since version {version}, {before} before it")
        }
        DefaultValue::None(clause) => clause.to_owned(),
    }
}

/// What a setting is now: `4.0`, or `not set, so 4.0 by default`.
pub(crate) fn now(now: &Now) -> String {
    match now {
        Now::Set(value) => value.clone(),
        Now::Default(value) => format!("not set, so {}", default(*value)),
    }
}

/// `the kernel was 6.17.0 and is 6.18.0`: why an advice has expired.
pub fn changed(changed: &Changed) -> String {
    let what = match changed.what {
        What::Kernel => "the kernel",
        What::Device => "the device",
        What::FileSystem => "the file system",
        What::Memory => "the memory",
    };
    format!("{what} was {} and is {}", changed.then, changed.now)
}

/// `after a restart`: when a new value takes effect.
pub(crate) fn takes_effect(takes_effect: TakesEffect) -> &'static str {
    match takes_effect {
        TakesEffect::Restart => "after a restart",
        TakesEffect::Reload => "after a reload of the configuration",
        TakesEffect::Session => "in each session that sets it",
        TakesEffect::SuperuserSession => "in each session of a superuser that sets it, or after a reload",
        TakesEffect::AtCreation => "only if it is set when the database is created",
        TakesEffect::AtOpen => "when the database is opened",
        TakesEffect::AtOnce => "at once",
        TakesEffect::Never => "",
    }
}
