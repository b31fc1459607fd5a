//! The options of every command.

use clap::{Args, ValueEnum};

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArguments {
    /// Print only results and errors: no progress and no remarks.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print each trial when it ends, its outcome and where its time went, and which files of defaults were read.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to colour standard output: auto, always or never. auto colours a terminal, and honours NO_COLOR, CLICOLOR,
    /// CLICOLOR_FORCE and TERM=dumb.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Coloring::Auto, hide_possible_values = true)]
    pub color: Coloring,
    /// Ignore the files with defaults: syncline.toml in the current directory and in ~/.config/syncline.
    #[arg(long, global = true)]
    pub no_defaults: bool,
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
