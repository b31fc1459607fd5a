//! The arguments of `audit`.

use super::format::ResultFormat;
use super::origin::Origin;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_long_help = roles())]
pub(crate) struct AuditArguments {
    /// A table or a page with tables (CSV, Markdown, HTML, text from a terminal), output of fio, pg_test_fsync,
    /// pgbench, db_bench, sysbench, kbench or JMH, or a run directory; - reads standard input.
    pub file: PathBuf,
    /// The role of a column that Syncline guesses wrongly. NAME is the column's header. May be repeated.
    #[arg(long, value_name = "NAME=ROLE", add = Origin::Defaults)]
    pub column: Vec<String>,
    /// Roles of columns in a list, or ROLE:VALUE for a value that holds in every row, such as in_flight:32 or
    /// memory_bytes:64GiB; decimal:comma or decimal:point if the numbers do not show their decimal mark.
    #[arg(long, value_name = "ROLE=COLUMN,…", default_value = "", hide_default_value = true, add = Origin::Defaults)]
    pub columns: String,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true, add = Origin::Defaults)]
    pub format: ResultFormat,
}

/// The roles of columns, and the checks that need them, for the help text.
fn roles() -> String {
    let roles = tables::role_help();
    let width = roles.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = roles.iter().map(|(name, help)| format!("  {name:width$}  {help}\n"));
    let roles = format!("Roles:\n{}", lines.collect::<String>());
    let checks = tables::check_help();
    let width = checks.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = checks.iter().map(|(name, needs)| format!("  {name:width$}  {needs}\n"));
    format!("{roles}\nChecks and the roles they need:\n{}", lines.collect::<String>())
}
