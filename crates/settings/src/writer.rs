//! Writes a settings file in its database's own syntax. Text from outside is in comments of one line each or in a
//! value, without control characters, so it cannot end them.

use super::etcd_environment;
use super::syntax::Syntax;
use model::printable;
use page::terminal::wrap;
use std::fmt::Write as _;

/// Columns of a comment.
const WIDTH: usize = 96;

pub struct Writer {
    syntax: Syntax,
    text: String,
}

impl Writer {
    pub fn new(syntax: Syntax) -> Self {
        Self { syntax, text: String::new() }
    }

    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    pub fn comment(&mut self, sentence: &str) {
        for line in wrap(&printable(sentence), WIDTH) {
            self.line(&format!("{} {line}", self.mark()));
        }
    }

    pub fn setting(&mut self, name: &str, value: &str) {
        self.line(&self.assigned(name, value));
    }

    /// The same as a comment: without its mark, the line sets it.
    pub fn setting_as_comment(&mut self, name: &str, value: &str) {
        self.line(&format!("{} {}", self.mark(), self.assigned(name, value).trim_start()));
    }

    /// What a comment begins with.
    fn mark(&self) -> &'static str {
        match self.syntax {
            Syntax::SqlitePragmas => "--",
            Syntax::PostgresqlConf
            | Syntax::MysqlOptions
            | Syntax::MariadbOptions
            | Syntax::RocksdbOptions
            | Syntax::EtcdEnvironment
            | Syntax::Text => "#",
        }
    }

    fn assigned(&self, name: &str, value: &str) -> String {
        let (name, plain) = (printable(name), printable(value));
        match self.syntax {
            Syntax::PostgresqlConf => format!("{name} = {}", quoted(&plain.replace('\\', "\\\\"))),
            Syntax::MysqlOptions | Syntax::MariadbOptions => format!("{name} = {plain}"),
            Syntax::RocksdbOptions => format!("  {name}={}", plain.replace('#', "\\#")),
            Syntax::SqlitePragmas => format!("PRAGMA {name} = {};", quoted(&plain)),
            Syntax::EtcdEnvironment => {
                format!("{}={}", etcd_environment::variable(&name), quoted(&plain.replace('\'', "")))
            }
            Syntax::Text => format!("{name}: {plain}"),
        }
    }

    /// What must come before the settings.
    pub fn opening(&mut self) {
        match self.syntax {
            Syntax::MysqlOptions => self.line("[mysqld]"),
            Syntax::MariadbOptions => self.line("[mariadbd]"),
            // The parser requires a version: one that has all of these options, and whose default recovery mode leaves
            // recycle_log_file_num as it is (6.8 to 9.0 reset it, and 9.3 mends what 9.1 and 9.2 broke). An option that
            // is not set has its default.
            Syntax::RocksdbOptions => {
                for line in
                    ["[Version]", "  rocksdb_version=9.3.0", "  options_file_version=1.1", "[DBOptions]"]
                {
                    self.line(line);
                }
            }
            Syntax::PostgresqlConf | Syntax::SqlitePragmas | Syntax::EtcdEnvironment | Syntax::Text => {}
        }
    }

    /// The text, with what must come after the settings.
    pub fn closed(mut self) -> String {
        if self.syntax == Syntax::RocksdbOptions {
            self.line("[CFOptions \"default\"]");
        }
        self.text
    }

    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }
}

/// Quotes around what is not a plain word or number.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "''"))
}
