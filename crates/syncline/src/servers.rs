//! Where the PostgreSQL server of a run comes from: the user's, or one of our own. Found out before the first trial.

use crate::failure::Failure;
use model::Configuration;
use model::plan::StudyPlan;
use model::trial::ServerSource;
use model::units::MIB;
use postgresql::{Cluster, Installation, PostgresqlError, Session, Target, Version};
use std::path::Path;

/// Bytes of a page of PostgreSQL's.
const PAGE_BYTES: f64 = 8192.0;

/// What the command line says of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// `--pg-bin`.
    pub(crate) programs: Option<&'a Path>,
    /// `--dsn`.
    pub(crate) dsn: Option<&'a str>,
}

/// Finds the server for those configurations that drive one. What the user names has to be there; where they name nothing and
/// nothing can be had, those configurations are recorded as unsupported, unless there are no others.
pub(crate) fn find(
    plans: &[StudyPlan],
    wanted: Wanted<'_>,
    directory: &Path,
) -> Result<Option<ServerSource>, Failure> {
    let configurations: Vec<&Configuration> = plans.iter().flat_map(|plan| &plan.configurations).collect();
    let driven: Vec<&Configuration> =
        configurations.iter().copied().filter(|values| values.is("subject", "postgres")).collect();
    if driven.is_empty() {
        return if wanted.programs.is_some() || wanted.dsn.is_some() {
            let why = "no configuration has subject = postgres: leave --pg-bin and --dsn out, or add --vary subject=postgres";
            Err(Failure::Usage(why.to_owned()))
        } else {
            Ok(None)
        };
    }
    require_memory(&driven, lab::host::memory_available_bytes())?;
    let found = match (wanted.programs, wanted.dsn) {
        (_, Some(dsn)) => {
            let session = Session::open(&Target::Dsn(dsn)).map_err(Failure::runtime)?;
            announce(session.version(), "the server that --dsn names");
            return Ok(Some(ServerSource::Dsn(dsn.to_owned())));
        }
        (Some(programs), None) => Installation::at(programs).map_err(Failure::usage)?,
        (None, None) => match Installation::cached_or_downloaded(|what| eprintln!("{what}")) {
            Ok(installation) => installation,
            Err(why) => return without(&why, driven.len(), configurations.len()).map(Some),
        },
    };
    if let Err(why) = Cluster::require_place(directory) {
        return without(&why, driven.len(), configurations.len()).map(Some);
    }
    announce(found.version(), &found.programs().display().to_string());
    Ok(Some(ServerSource::Programs(found.programs().to_owned())))
}

fn without(why: &PostgresqlError, driven: usize, all: usize) -> Result<ServerSource, Failure> {
    if driven == all {
        return Err(Failure::runtime(why));
    }
    eprintln!("{why}; {driven} of {all} configurations are recorded as unsupported");
    Ok(ServerSource::Absent(why.to_string()))
}

/// An old server is measured; what it cannot tell is said before the first trial.
fn announce(version: Version, from: &str) {
    if version < Version::LOCAL_IO_TIMING {
        eprintln!(
            "PostgreSQL {version} ({from}) does not time writes of temporary tables: page_write_us and what rests on it are \
             recorded as unsupported; 17 and later have them"
        );
    }
}

/// Buffers that do not fit into memory would swap, or end the server in the middle: refused by arithmetic. A page that is not
/// in the pool is in the page cache, which gives way.
fn require_memory(driven: &[&Configuration], available: Option<u64>) -> Result<(), Failure> {
    let pages = |values: &Configuration| {
        let blocks = values.count("blocks").ok()?;
        Some(blocks as f64 * values.number("headroom").unwrap_or(1.0))
    };
    let needed = driven.iter().filter_map(|values| pages(values)).fold(0.0, f64::max) * PAGE_BYTES;
    let Some(available) = available else { return Ok(()) };
    if needed <= available as f64 {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "blocks × headroom of subject = postgres need buffers of {:.0} MiB, and {} MiB of memory are available: lower blocks or \
         headroom",
        needed / MIB as f64,
        available / MIB
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Value;

    #[test]
    fn buffers_that_do_not_fit_into_memory_are_refused_by_arithmetic() {
        let mut values = Configuration::default();
        values.0.insert("blocks".to_owned(), Value::Count(131_072));
        values.0.insert("headroom".to_owned(), Value::Number(1.5));
        assert!(require_memory(&[&values], Some(2 << 30)).is_ok());
        let Err(Failure::Usage(why)) = require_memory(&[&values], Some(1 << 30)) else {
            panic!("it does not fit")
        };
        assert!(
            why.contains("1536 MiB") && why.contains("1024 MiB") && why.contains("lower blocks"),
            "{why}"
        );
    }
}
