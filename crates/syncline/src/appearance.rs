//! How much a command prints beside its result, and in which form: decided once, from the options of every command, the
//! environment and the terminal.

use crate::arguments::{Coloring, GlobalArguments, Messages};
use rustix::termios::tcgetwinsize;
use std::env;
use std::io::{IsTerminal, stderr, stdout};
use std::os::fd::{AsFd, BorrowedFd};

/// How much is printed beside the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Remarks and progress.
    Normal,
    /// Each trial too.
    Verbose,
}

/// Where progress is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nowhere.
    Hidden,
    /// A line now and then.
    Lines,
    /// A bar that is drawn again and again.
    Bar,
    /// As messages, for the program that started this one; remarks and errors are messages then too.
    Messages,
}

/// What everything that is printed looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// How much is printed beside the result.
    pub(crate) verbosity: Verbosity,
    /// Where progress is drawn, on standard error.
    pub(crate) progress: Progress,
    /// Whether standard output has colours.
    pub(crate) colour: bool,
    /// Columns of the terminal that standard output is; `None` if it is a file or a pipe, whose lines have a fixed
    /// length.
    pub(crate) columns: Option<usize>,
    /// The same for standard error.
    pub(crate) error_columns: Option<usize>,
}

impl Appearance {
    /// Until the command line is read.
    pub(crate) const PLAIN: Self = Self {
        verbosity: Verbosity::Normal,
        progress: Progress::Lines,
        colour: false,
        columns: None,
        error_columns: None,
    };

    /// What these options mean in this process.
    pub(crate) fn new(global: &GlobalArguments) -> Self {
        let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let decided = Self::decide(global, &variable, stdout().is_terminal(), stderr().is_terminal());
        let wide = |terminal: BorrowedFd<'_>| {
            let reported = tcgetwinsize(terminal).ok().map(|size| usize::from(size.ws_col));
            terminal.is_terminal().then(|| columns(reported, &variable)).flatten()
        };
        Self { columns: wide(stdout().as_fd()), error_columns: wide(stderr().as_fd()), ..decided }
    }

    /// Columns of a text that has `usual` ones in a file.
    pub(crate) fn width(&self, usual: usize) -> usize {
        self.columns.unwrap_or(usual)
    }

    fn decide(
        global: &GlobalArguments,
        variable: &dyn Fn(&str) -> Option<String>,
        output_is_terminal: bool,
        errors_are_terminal: bool,
    ) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        let is_dumb = variable("TERM").is_some_and(|name| name == "dumb");
        let progress = match verbosity {
            _ if global.messages == Messages::Json => Progress::Messages,
            Verbosity::Quiet => Progress::Hidden,
            Verbosity::Normal | Verbosity::Verbose if errors_are_terminal && !is_dumb => Progress::Bar,
            Verbosity::Normal | Verbosity::Verbose => Progress::Lines,
        };
        let colour = match global.color {
            Coloring::Always => true,
            Coloring::Never => false,
            Coloring::Auto => is_coloured(variable, is_dumb, output_is_terminal),
        };
        Self { verbosity, progress, colour, columns: None, error_columns: None }
    }
}

/// The columns that a terminal reports, or else the variable `COLUMNS`: a serial line reports none.
fn columns(reported: Option<usize>, variable: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    let stated = || variable("COLUMNS").and_then(|text| text.parse().ok());
    reported.filter(|columns| *columns > 0).or_else(stated).filter(|columns| *columns > 0)
}

/// The conventions of <https://no-color.org> and <https://bixense.com/clicolors>: an empty `NO_COLOR` counts as unset,
/// and it outweighs `CLICOLOR_FORCE`.
fn is_coloured(variable: &dyn Fn(&str) -> Option<String>, is_dumb: bool, output_is_terminal: bool) -> bool {
    if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") {
        return true;
    }
    output_is_terminal && !is_dumb && variable("CLICOLOR").is_none_or(|value| value != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global(quiet: bool, verbose: bool, color: Coloring) -> GlobalArguments {
        GlobalArguments { quiet, verbose, color, no_defaults: false, messages: Messages::Text }
    }

    fn decide(color: Coloring, variables: &[(&str, &str)], is_terminal: bool) -> Appearance {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Appearance::decide(&global(false, false, color), &variable, is_terminal, is_terminal)
    }

    #[test]
    fn colours_follow_the_option_then_the_environment_then_the_terminal() {
        for (color, variables, is_terminal, colour) in [
            (Coloring::Auto, &[][..], true, true),
            (Coloring::Auto, &[], false, false),
            (Coloring::Auto, &[("NO_COLOR", "1")], true, false),
            (Coloring::Auto, &[("NO_COLOR", "")], true, true),
            (Coloring::Auto, &[("CLICOLOR", "0")], true, false),
            (Coloring::Auto, &[("CLICOLOR", "1")], false, false),
            (Coloring::Auto, &[("CLICOLOR_FORCE", "1")], false, true),
            (Coloring::Auto, &[("CLICOLOR_FORCE", "0")], false, false),
            (Coloring::Auto, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false),
            (Coloring::Auto, &[("TERM", "dumb")], true, false),
            (Coloring::Auto, &[("TERM", "xterm-256color")], true, true),
            (Coloring::Always, &[("NO_COLOR", "1"), ("TERM", "dumb")], false, true),
            (Coloring::Never, &[("CLICOLOR_FORCE", "1")], true, false),
        ] {
            let found = decide(color, variables, is_terminal).colour;
            assert_eq!(found, colour, "{color:?} {variables:?} {is_terminal}");
        }
    }

    #[test]
    fn the_terminal_says_how_wide_it_is_and_a_variable_if_it_does_not() {
        let variable = |value: Option<&'static str>| {
            move |name: &str| value.filter(|_| name == "COLUMNS").map(str::to_owned)
        };
        for (reported, stated, expected) in [
            (Some(80), Some("200"), Some(80)),
            (Some(0), Some("200"), Some(200)),
            (None, Some("200"), Some(200)),
            (None, Some("wide"), None),
            (None, Some("0"), None),
            (None, None, None),
        ] {
            assert_eq!(columns(reported, &variable(stated)), expected, "{reported:?} {stated:?}");
        }
        assert_eq!(Appearance::PLAIN.width(110), 110);
        assert_eq!(Appearance { columns: Some(80), ..Appearance::PLAIN }.width(110), 80);
    }

    #[test]
    fn a_bar_is_drawn_on_a_terminal_that_can_redraw_only() {
        assert_eq!(decide(Coloring::Auto, &[("TERM", "xterm")], true).progress, Progress::Bar);
        assert_eq!(decide(Coloring::Auto, &[("NO_COLOR", "1")], true).progress, Progress::Bar);
        assert_eq!(decide(Coloring::Always, &[("TERM", "dumb")], true).progress, Progress::Lines);
        assert_eq!(decide(Coloring::Always, &[("CLICOLOR_FORCE", "1")], false).progress, Progress::Lines);
        let quiet = Appearance::decide(&global(true, false, Coloring::Auto), &|_| None, true, true);
        assert_eq!((quiet.progress, quiet.verbosity), (Progress::Hidden, Verbosity::Quiet));
        let verbose = Appearance::decide(&global(false, true, Coloring::Auto), &|_| None, true, true);
        assert_eq!((verbose.progress, verbose.verbosity), (Progress::Bar, Verbosity::Verbose));
    }
}
