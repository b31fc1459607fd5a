//! The requests workload on servers of Syncline's own.
//!
//! A trial starts a server on its own copy of a data directory that is loaded once for a run. It reads back every
//! setting that its configuration names, lets the clients work for a moment, and measures them.

#[cfg(feature = "servers")]
mod client;
#[cfg(feature = "servers")]
mod loaded;
#[cfg(feature = "servers")]
mod log_cycles;
#[cfg(feature = "servers")]
mod own_server;
#[cfg(feature = "servers")]
mod start;

#[cfg(feature = "servers")]
pub(crate) use own_server::{condition, measure};
#[cfg(not(feature = "servers"))]
pub(crate) use without_servers::{condition, measure};

/// Why a build without clients of other databases measures none.
pub const NO_SERVERS: &str =
    "clients of MariaDB, MySQL and etcd are not built in: build with `cargo build --features survive`";

#[cfg(not(feature = "servers"))]
mod without_servers {
    //! A build without clients of these servers.

    use super::NO_SERVERS;
    use crate::line::TurnChannel;
    use crate::outcome::SubjectMeasurement;
    use crate::refusal::Refusal;
    use crate::site::Site;
    use model::trial::TrialSpec;

    pub(crate) fn condition(_: &Site, _: &TrialSpec) -> Result<(), Refusal> {
        Err(Refusal::Unsupported(NO_SERVERS.to_owned()))
    }

    pub(crate) fn measure(
        _: &Site,
        _: &TrialSpec,
        _: Option<&TurnChannel>,
    ) -> Result<SubjectMeasurement, Refusal> {
        Err(Refusal::Unsupported(NO_SERVERS.to_owned()))
    }
}
