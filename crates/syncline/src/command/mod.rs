//! One file per subcommand.

pub mod completions;
pub mod doctor;
pub mod export;
pub mod report;
pub mod run;
pub mod studies;
pub mod worker;
