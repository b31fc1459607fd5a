//! The transactions workload on servers of Syncline's own.
//!
//! A trial starts a server on its own copy of a cluster that is loaded once for a run. It reads back every setting that
//! its configuration names, brings the server into the state that all arms begin in ([`start`]), and lets the clients
//! work.

#[cfg(feature = "postgresql")]
mod arms;
#[cfg(feature = "postgresql")]
mod client;
#[cfg(feature = "postgresql")]
mod cycles;
#[cfg(feature = "postgresql")]
mod postgres;
#[cfg(feature = "postgresql")]
mod scratch;
#[cfg(feature = "postgresql")]
mod start;
#[cfg(feature = "postgresql")]
mod wal;

#[cfg(feature = "postgresql")]
pub(crate) use with_postgres::{condition, measure};
#[cfg(not(feature = "postgresql"))]
pub(crate) use without_postgres::{condition, measure};

/// Why the user's server cannot be measured.
pub const NEEDS_OWN_SERVERS: &str = "the workload transactions changes settings that need a restart: it runs on \
                                     servers of Syncline's own, not on the user's";

#[cfg(feature = "postgresql")]
mod with_postgres {
    //! A trial on a server of Syncline's own, or in the scratch database of a proof on the user's server.

    use super::scratch::Scratch;
    use super::{postgres, scratch};
    use crate::line::TurnChannel;
    use crate::outcome::SubjectMeasurement;
    use crate::refusal::Refusal;
    use crate::site::Site;
    use model::trial::{ServerSource, TrialSpec};

    pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
        match &spec.server {
            Some(ServerSource::Scratch { dsn, journal, .. }) => scratch::condition(spec, dsn, journal),
            Some(
                ServerSource::Programs(_)
                | ServerSource::Dsn(_)
                | ServerSource::Servers(_)
                | ServerSource::Absent(_),
            )
            | None => postgres::condition(site, spec),
        }
    }

    pub(crate) fn measure(
        site: &Site,
        spec: &TrialSpec,
        line: Option<&TurnChannel>,
    ) -> Result<SubjectMeasurement, Refusal> {
        match &spec.server {
            // The arms share one server, so their trials run one after another.
            Some(ServerSource::Scratch { dsn, journal, is_shared }) => {
                scratch::measure(site, spec, &Scratch { dsn, journal, is_shared: *is_shared })
            }
            Some(
                ServerSource::Programs(_)
                | ServerSource::Dsn(_)
                | ServerSource::Servers(_)
                | ServerSource::Absent(_),
            )
            | None => postgres::measure(site, spec, line),
        }
    }
}

#[cfg(not(feature = "postgresql"))]
mod without_postgres {
    //! A build without PostgreSQL: a trial says how to get one that has it.

    use crate::line::TurnChannel;
    use crate::outcome::SubjectMeasurement;
    use crate::pool::NO_POSTGRESQL;
    use crate::refusal::Refusal;
    use crate::site::Site;
    use model::trial::TrialSpec;

    pub(crate) fn condition(_: &Site, _: &TrialSpec) -> Result<(), Refusal> {
        Err(Refusal::Unsupported(NO_POSTGRESQL.to_owned()))
    }

    pub(crate) fn measure(
        _: &Site,
        _: &TrialSpec,
        _: Option<&TurnChannel>,
    ) -> Result<SubjectMeasurement, Refusal> {
        Err(Refusal::Unsupported(NO_POSTGRESQL.to_owned()))
    }
}
