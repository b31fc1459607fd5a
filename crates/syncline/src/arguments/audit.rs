//! The arguments of `audit`.

use super::format::ResultFormat;
use super::origin::Origin;
use super::values;
use clap::Args;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Columns of the help.
const WIDTH: usize = 100;
const EXIT_CODES: &str = "\
Exit codes:
  0    no check proves a figure wrong; rows may be doubtful
  1    the file cannot be read
  3    a row is not believed, or an audit of a run directory failed";

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_long_help = roles())]
pub(crate) struct AuditArguments {
    /// A table or a page with tables (CSV, Markdown, HTML, text from a terminal), output of fio, pg_test_fsync,
    /// pgbench, db_bench, sysbench, kbench or JMH, or a run directory (latest: the newest one); - reads standard input.
    #[arg(value_parser = values::run())]
    pub file: PathBuf,
    /// The role of a column that Syncline guesses wrongly. NAME is the column's header. May be repeated.
    #[arg(long, value_name = "NAME=ROLE", add = Origin::Defaults)]
    pub column: Vec<String>,
    /// Roles of columns in a list, or ROLE:VALUE for a value that holds in every row, such as in_flight:32 or
    /// memory_bytes:64GiB; decimal:comma or decimal:point if the numbers do not show their decimal mark.
    #[arg(long, value_name = "ROLE=COLUMN,…", default_value = "", hide_default_value = true, add = Origin::Defaults)]
    pub columns: String,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}

/// The roles of columns, and the checks that need them, for the help text.
fn roles() -> String {
    let roles = tables::role_help();
    let roles = listed(roles.iter().map(|(name, help)| (*name, *help)));
    let checks = tables::check_help();
    let checks = listed(checks.iter().map(|(name, needs)| (*name, *needs)));
    format!("{EXIT_CODES}\n\nRoles:\n{roles}\nChecks and the roles they need:\n{checks}")
}

/// Names with what they mean, wrapped below it.
fn listed<'a>(items: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let names = items.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, meaning) in items {
        let lines = page::terminal::wrap(meaning, WIDTH - names - 4);
        for (place, line) in lines.iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            let _ = writeln!(text, "  {name:names$}  {line}");
        }
    }
    text
}
