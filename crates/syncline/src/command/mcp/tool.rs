//! The tools: what each takes, as a type whose schema the client gets, and the words of its command.
//!
//! To add one: a file here, with its line in [`TOOLS`]. A word that a client chose is never read as an option: values
//! are joined to their option, and operands stand behind `--`.

mod advise;
mod audit;
mod check;
mod contract;
mod observe;
mod prove;
mod report;
mod run;
#[cfg(feature = "survive")]
mod survive;

pub(super) use contract::{Effect, Place, Tool};

use contract::of;

/// Every tool, in the order in which clients list them.
pub(super) const TOOLS: &[Tool] = &[
    of::<check::Check>(),
    of::<run::Run>(),
    of::<report::Report>(),
    of::<advise::Advise>(),
    of::<prove::Prove>(),
    of::<observe::Observe>(),
    of::<audit::Audit>(),
    #[cfg(feature = "survive")]
    of::<survive::Survive>(),
];

#[cfg(test)]
mod tests;
