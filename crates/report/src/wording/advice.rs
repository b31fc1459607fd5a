//! An advice in words: what was measured, what limits it, why there is none.

mod cause;
mod caveat;
mod statement;

pub use cause::cause;
pub(crate) use caveat::caveat;
pub use statement::measured;
pub(crate) use statement::{times_that_of, times_the_metric};

use advice::current::Now;
use advice::{Changed, DefaultValue, Loss, What};
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
