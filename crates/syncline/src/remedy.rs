//! Which option of the command line mends what a library refuses. Libraries name what is wrong; this is the one place
//! that names options for it.

use lab::launcher::RankError;
use lab::run_directory::RunError;
use lab::shared_plan::{NoTurns, Refused};
use std::any::Any;
use std::fmt::Display;
use tables::ReadError;
use verdict::compare::Refusal;

/// The error in words, and behind a semicolon the option that mends it, if one does.
pub(crate) fn told<E: Display + Any>(error: &E) -> String {
    match of(error) {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    }
}

/// The option that mends an error.
fn of(error: &dyn Any) -> Option<String> {
    let ours = error.downcast_ref().and_then(of_run_directory);
    let ours = ours
        .or_else(|| error.downcast_ref().and_then(of_rank))
        .or_else(|| error.downcast_ref().and_then(of_shared_plan))
        .or_else(|| error.downcast_ref().and_then(of_comparison))
        .or_else(|| error.downcast_ref().and_then(of_published));
    #[cfg(feature = "postgresql")]
    let ours = ours.or_else(|| error.downcast_ref().and_then(postgresql::of_server));
    ours
}

fn of_run_directory(error: &RunError) -> Option<String> {
    match error {
        RunError::NotARun { .. } => Some(
            "syncline run creates run directories below syncline-runs, or where its option --out names one"
                .to_owned(),
        ),
        RunError::Unbegun { path } => Some(format!("start it again with --out {}", path.display())),
        RunError::Occupied { path } => Some(format!("use another --out, or --resume {}", path.display())),
        RunError::NotEmpty { .. } => Some("use another --out".to_owned()),
        RunError::Io { .. } | RunError::InUse { .. } | RunError::Newer { .. } | RunError::Foreign { .. } => {
            None
        }
    }
}

fn of_rank(error: &RankError) -> Option<String> {
    match error {
        RankError::NotANumber { .. } | RankError::Contradiction { .. } => {
            Some("--rank and --of count more than variables".to_owned())
        }
        RankError::NoRank { .. } => Some("--of needs --rank".to_owned()),
        RankError::Beyond { .. } | RankError::NotOfMpi { .. } | RankError::Alone => None,
    }
}

fn of_shared_plan(error: &Refused) -> Option<String> {
    match error {
        Refused::NoTurns { why, .. } => match why {
            NoTurns::NotWanted => Some("leave out --interleave off".to_owned()),
            NoTurns::Impossible | NoTurns::Compared => Some("leave out --shared".to_owned()),
            NoTurns::DoNotFit(_) => None,
        },
        Refused::NotShared { .. } => Some("add --shared".to_owned()),
        Refused::Ranks { .. } => None,
    }
}

fn of_comparison(error: &Refusal) -> Option<String> {
    if let Refusal::NoStudyInCommon { .. } = error {
        return Some("syncline run STUDY --dir DIRECTORY measures a study of A on B's disk".to_owned());
    }
    let allowed: Vec<String> =
        error.knobs().into_iter().map(|name| format!("--allow-different {name}")).collect();
    (!allowed.is_empty()).then(|| format!("to compare them anyway: {}", allowed.join(" ")))
}

fn of_published(error: &ReadError) -> Option<String> {
    error.needs_role.then(|| "--column NAME=ROLE does that".to_owned())
}

/// What mends errors of PostgreSQL, in a build that has it.
#[cfg(feature = "postgresql")]
mod postgresql {
    use postgresql::{Place, PostgresqlError, ServerRefusal};

    const PROGRAMS: &str = "--pg-bin DIR names programs";
    const PROGRAMS_OR_SERVER: &str = "--pg-bin DIR names programs, --dsn a server";

    pub(super) fn of_server(error: &PostgresqlError) -> Option<String> {
        let told = match error {
            PostgresqlError::NoArchive { .. } | PostgresqlError::Download { .. } => PROGRAMS_OR_SERVER,
            PostgresqlError::Checksum { .. }
            | PostgresqlError::Changed { .. }
            | PostgresqlError::NoCacheDirectory
            | PostgresqlError::NotPrograms { .. }
            | PostgresqlError::Unreachable { place: Place::Programs, .. } => PROGRAMS,
            PostgresqlError::Unreachable { place: Place::Clusters, .. } => "--dir names another place",
            PostgresqlError::Connect { .. } => "--dsn or --dsn-file names it",
            PostgresqlError::Refused(refusal) => return of_refusal(refusal),
            PostgresqlError::File { .. }
            | PostgresqlError::Kernel(_)
            | PostgresqlError::Initialise { .. }
            | PostgresqlError::Start { .. }
            | PostgresqlError::ServerGone { .. }
            | PostgresqlError::Statement { .. }
            | PostgresqlError::Plan(_)
            | PostgresqlError::Unsupported(_) => return None,
        };
        Some(told.to_owned())
    }

    fn of_refusal(refusal: &ServerRefusal) -> Option<String> {
        let told = match refusal {
            ServerRefusal::Busy { .. } => "--allow-busy allows it",
            ServerRefusal::NotReloadable { .. } => "leave out --dsn",
            ServerRefusal::LeftOver { .. } => "syncline prove --undo PROOF undoes it",
            ServerRefusal::Standby
            | ServerRefusal::Unknown { .. }
            | ServerRefusal::NotDurable { .. }
            | ServerRefusal::Privilege { .. }
            | ServerRefusal::UnreadableFiles { .. }
            | ServerRefusal::NotInJournal { .. }
            | ServerRefusal::NotUndone { .. }
            | ServerRefusal::Another { .. }
            | ServerRefusal::NoReload { .. } => return None,
        };
        Some(told.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_library_gets_the_option_that_mends_it() {
        let occupied = RunError::Occupied { path: "here".into() };
        assert!(told(&occupied).ends_with("; use another --out, or --resume here"));
        let no_rank = RankError::NoRank { size: 4 };
        assert!(told(&no_rank).ends_with("; --of needs --rank"));
        let not_shared = Refused::NotShared { study: "depth".to_owned() };
        assert!(told(&not_shared).ends_with("; add --shared"));
        let unread = tables::read("a", b"a,b\nx,y\n", &tables::Mapping::default()).unwrap_err();
        assert!(told(&unread).ends_with("; --column NAME=ROLE does that"), "{}", told(&unread));
    }

    #[cfg(feature = "postgresql")]
    #[test]
    fn a_refusal_inside_another_error_gets_its_option_too() {
        let busy = ::postgresql::PostgresqlError::from(::postgresql::ServerRefusal::Busy { sessions: 2 });
        assert!(told(&busy).ends_with("; --allow-busy allows it"));
    }

    #[test]
    fn another_error_is_told_as_it_is() {
        assert_eq!(told(&"no".to_owned()), "no");
        assert_eq!(told(&RankError::Alone), RankError::Alone.to_string());
    }
}
