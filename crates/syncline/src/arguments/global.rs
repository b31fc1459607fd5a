//! The options of every command.

use super::origin::{Because, Origin};
use clap::{Args, ValueEnum};

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// Print only results and errors: no progress and no remarks.
    #[arg(short, long, global = true, conflicts_with = "verbose", add = Origin::Defaults)]
    pub quiet: bool,
    /// Also print each trial when it ends, with its outcome and where its time went.
    #[arg(short, long, global = true, add = Origin::Defaults)]
    pub verbose: bool,
    /// When to colour standard output: auto, always or never. auto colours a terminal, and honours NO_COLOR, CLICOLOR,
    /// CLICOLOR_FORCE and TERM=dumb.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Coloring::Auto,
        hide_possible_values = true, add = Origin::Defaults)]
    pub color: Coloring,
    /// Ignore the files of defaults: syncline.toml in the current directory and in ~/.config/syncline.
    #[arg(long, global = true, add = Origin::Typed(Because::ConcernsThisRun))]
    pub no_defaults: bool,
    /// What standard error has: text for a person, or json, a message a line for the program that started this one.
    #[arg(long, global = true, hide = true, value_name = "FORM", value_enum, default_value_t = Messages::Text,
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub messages: Messages,
}

/// The form of standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Messages {
    /// Text for a person.
    Text,
    /// Each line is a message as JSON.
    Json,
}

/// When standard output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Coloring {
    /// If it is a terminal that shows colours, unless the environment says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
