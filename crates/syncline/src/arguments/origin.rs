//! Where the value of an option may come from. Each option declares it, with `add = Origin::…`; one that does not is
//! refused in a file of defaults, and a test fails.

use clap::Arg;
use clap::builder::ArgExt;

/// Where the value of an option may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The command line or a file of defaults.
    ///
    /// `--dir` is one of these: below it Syncline writes to a fresh directory of its own, and changes nothing else.
    /// `--current` is another: the file is read, and only settings that Syncline knows are used.
    Defaults,
    /// The same, and it names parameters: those that name a place or settings of a server have to be typed.
    Parameters,
    /// The command line alone.
    Typed(Because),
}

impl ArgExt for Origin {}

/// Why an option has to be typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// The author of the file could have the caller, or root, run a program.
    RunsPrograms,
    /// The author of the file could get a password.
    NamesServer,
    /// A server would be changed that the user did not mean.
    ChangesServer,
    /// A file of the user's could be overwritten.
    NamesOutput,
    /// What is refused for a reason would be done unseen.
    LiftsRefusal,
    /// It has a meaning only for the run that is typed.
    ConcernsThisRun,
}

impl Because {
    /// As a clause.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::RunsPrograms => "it names programs that run",
            Self::NamesServer => "it names a server, which may get a password",
            Self::ChangesServer => "it changes a server",
            Self::NamesOutput => "it names what is written",
            Self::LiftsRefusal => "it permits what Syncline refuses otherwise",
            Self::ConcernsThisRun => "it concerns one run",
        }
    }
}

/// What an option declares; clap's own options, `--help` and `--version`, have to be typed.
pub(crate) fn of(option: &Arg) -> Origin {
    option.get::<Origin>().copied().unwrap_or(Origin::Typed(Because::ConcernsThisRun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::{ArgAction, CommandFactory};

    /// A list of what has to be typed, kept elsewhere, did not know `--pg-bin`, `--dsn`, `--html` and eight others.
    #[test]
    fn every_option_of_every_command_declares_its_origin() {
        let program = Arguments::command();
        let commands: Vec<_> = std::iter::once(&program).chain(program.get_subcommands()).collect();
        assert!(commands.len() > 10);
        for command in commands {
            for option in command.get_arguments().filter(|option| option.get_long().is_some()) {
                let is_own = !matches!(
                    option.get_action(),
                    ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
                );
                let is_declared = option.get::<Origin>().is_some();
                assert_eq!(is_declared, is_own, "{} --{}", command.get_name(), option.get_id());
            }
        }
    }

    /// One option of several commands would be refused for one and taken for another.
    #[test]
    fn an_option_of_several_commands_has_one_origin() {
        let program = Arguments::command();
        let all: Vec<&Arg> = program.get_subcommands().flat_map(clap::Command::get_arguments).collect();
        for option in &all {
            let same = all
                .iter()
                .filter(|other| option.get_long().is_some() && other.get_long() == option.get_long());
            for other in same {
                assert_eq!(of(option), of(other), "{:?}", option.get_long());
            }
        }
    }
}
