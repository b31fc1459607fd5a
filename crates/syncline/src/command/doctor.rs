//! `syncline doctor`: what about this machine and disk would distort a measurement, and what it means.

mod check;
pub(crate) mod container;
mod disk_below;
mod load;
mod processors;

use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::Failure;
use crate::output;
use crate::premises;
use crate::requirements::{in_memory, require_place};
use check::{Check, Sign, check};
use disk::backend::BackendKind;
use disk::work_directory::WorkDirectory;
use model::figure::counted;
use model::host::HostFacts;
use model::medium::Medium;
#[cfg(feature = "postgresql")]
use postgresql::{Cluster, Installation, PostgresqlError, RELEASE};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Columns of the text in a file.
const WIDTH: usize = 100;

/// Looks, prints, changes nothing: its probe files are in a work directory of its own, which it removes.
pub(crate) fn run(directory: &Path, format: ResultFormat) -> Result<ExitCode, Failure> {
    require_place(directory)?;
    let work = WorkDirectory::create(directory).map_err(Failure::runtime)?;
    let placement = disk::placement::placement(work.path());
    let host = lab::host::facts();
    let space = disk::files::space_available(work.path()).map_err(Failure::runtime)?;
    let sections: [(&str, Vec<Check>); 4] = [
        ("disk", disk_below::of_disk(&placement, space)),
        ("processors", processors::of_processors(&host, &placement)),
        ("permissions", of_permissions(&host)),
        ("servers", std::iter::once(of_postgresql()).chain(of_servers_place(directory)).collect()),
    ];
    premises::remove(work);
    let code = match format {
        ResultFormat::Text => output::print_words(&text(&host, &sections), WIDTH)?,
        ResultFormat::Json => {
            let sections: BTreeMap<&str, &[Check]> =
                sections.iter().map(|(title, checks)| (*title, checks.as_slice())).collect();
            document::print(&serde_json::json!({ "host": host, "placement": placement, "checks": sections }))?
        }
    };
    match placement.medium() {
        Medium::Memory(what) => Err(in_memory("--dir", &directory.display().to_string(), &what)),
        Medium::Unseen { .. } | Medium::Device => Ok(code),
    }
}

fn text(host: &HostFacts, sections: &[(&str, Vec<Check>)]) -> String {
    format!(
        "{} · {} · Linux {}\n{}\n{}\n",
        host.name,
        host.distribution,
        host.kernel,
        in_words(sections),
        verdict(sections)
    )
}

/// Every section with its checks.
fn in_words(sections: &[(&str, Vec<Check>)]) -> String {
    let mut text = String::new();
    for (title, checks) in sections {
        let _ = writeln!(text, "\n{title}");
        for check in checks {
            let _ = writeln!(text, "  {} {}\n       {}", check.sign.mark(), check.fact, check.meaning);
        }
    }
    text
}

/// Whether a measurement here can be believed, as far as this machine decides it.
fn verdict(sections: &[(&str, Vec<Check>)]) -> String {
    let all = || sections.iter().flat_map(|(_, checks)| checks);
    let of = |sign: Sign| all().filter(move |check| check.sign == sign);
    let bad: Vec<&str> = of(Sign::Bad).map(|check| check.fact.as_str()).collect();
    let notes = counted(of(Sign::Note).count(), "note names", "notes name");
    match &bad[..] {
        [] => format!("Nothing here prevents a measurement. {notes} what affects its figures."),
        bad => format!("Mend first: {}. {notes} what else affects figures.", bad.join("; ")),
    }
}

fn of_permissions(host: &HostFacts) -> Vec<Check> {
    let mut checks = vec![if host.root {
        check(Sign::Good, "root", "loop file systems, memory caps and SCHED_FIFO are available")
    } else {
        check(
            Sign::Note,
            "not root",
            "everything but loop file systems works; memory caps need a delegated control group",
        )
    }];
    checks.push(match BackendKind::Uring.supported() {
        Ok(()) => check(Sign::Good, "io_uring works", "ioengine = uring is available"),
        Err(why) => check(
            Sign::Bad,
            format!("no io_uring: {why}"),
            "ioengine = psync replaces it with one operation in flight; configurations with more cannot be measured",
        ),
    });
    checks.push(match disk::cgroup::cap_method() {
        Ok(method) => {
            check(Sign::Good, format!("memory can be capped: {method:?}"), "memory_cap is available")
        }
        Err(error) => {
            check(Sign::Note, format!("memory cannot be capped: {error}"), "memory_cap is not available")
        }
    });
    checks.push(match fs::read_to_string("/proc/pressure/io") {
        Ok(_) => check(
            Sign::Good,
            "pressure stall information",
            "stalls by other tenants are recorded with every trial",
        ),
        Err(_) => {
            check(Sign::Note, "no pressure stall information", "stalls by other tenants cannot be measured")
        }
    });
    checks
}

#[cfg(not(feature = "postgresql"))]
fn of_servers_place(_: &Path) -> Option<Check> {
    None
}

/// PostgreSQL refuses to run as root, so root's server has another user, who may not get to the directory.
#[cfg(feature = "postgresql")]
fn of_servers_place(directory: &Path) -> Option<Check> {
    const MEANING: &str = "studies of PostgreSQL and proofs cannot start their server here: choose another directory \
        with --dir, or let that user through with chmod o+x";
    let fact = match Cluster::require_place(directory).err()? {
        PostgresqlError::Unreachable { user, blocked, .. } => {
            format!("{} is closed to {user}, the user of root's PostgreSQL", blocked.display())
        }
        why => why.to_string(),
    };
    Some(check(Sign::Note, fact, MEANING))
}

#[cfg(not(feature = "postgresql"))]
fn of_postgresql() -> Check {
    check(Sign::Note, trial::NO_POSTGRESQL, "subject = postgres cannot be measured")
}

/// Looks into the cache only: what is not there yet is downloaded by the first run that needs it.
#[cfg(feature = "postgresql")]
fn of_postgresql() -> Check {
    const MEANING: &str = "subject = postgres uses it, unless --pg-bin or --dsn name another one";
    match Installation::cached() {
        Ok(Some(found)) => {
            let from = found.programs().display();
            check(Sign::Good, format!("PostgreSQL {} in {from}", found.version()), MEANING)
        }
        Ok(None) if RELEASE.archive().is_some() => check(
            Sign::Note,
            format!("PostgreSQL {} is not downloaded yet", RELEASE.version),
            "the first run with subject = postgres downloads it (15 MB), unless --pg-bin or --dsn name one",
        ),
        Ok(None) => check(
            Sign::Note,
            "no PostgreSQL can be downloaded for this architecture",
            "subject = postgres needs --pg-bin or --dsn",
        ),
        Err(error) => check(Sign::Bad, error.to_string(), "subject = postgres needs --pg-bin or --dsn"),
    }
}
