//! An advice as the file that its database loads: every setting follows comments with its basis; for the others, comments
//! give the reason.

use crate::settings::Verb;
use crate::terminal::wrap;
use crate::{advised, wording};
use advice::{Advice, Recommendation, Setting, Syntax};
use model::printable;
use model::run::Run;
use std::fmt::Write as _;

/// Columns of a comment.
const WIDTH: usize = 96;

/// The file's text; `None` if nothing is advised.
///
/// Text from the records is in comments of one line each, without control characters, so it cannot end them.
pub fn fragment(run: &Run, advice: &Advice) -> Option<String> {
    advice.advised().next()?;
    let mut file = File { syntax: advice.syntax, text: String::new() };
    file.comment(&format!(
        "{}: settings that follow from Syncline's run of {} on {}.",
        advice.database, run.plan.created_at, run.host.name
    ));
    file.comment("The measurement behind a value is in the comment above it. No value gives up durability.");
    file.opening();
    for (setting, found) in advice.advised() {
        file.gap();
        file.setting(run, setting, found);
    }
    if advice.without().next().is_some() {
        file.gap();
    }
    for (setting, _) in advice.without() {
        let verb = Verb::of(&setting.decision).name();
        file.comment(&format!("{verb} {}: {}.", setting.name, wording::reason(setting)));
    }
    file.closing();
    Some(file.text)
}

struct File {
    syntax: Syntax,
    text: String,
}

impl File {
    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn comment(&mut self, sentence: &str) {
        let mark = match self.syntax {
            Syntax::SqlitePragmas => "--",
            Syntax::PostgresqlConf | Syntax::MysqlOptions | Syntax::RocksdbOptions | Syntax::Text => "#",
        };
        for line in wrap(&printable(sentence), WIDTH) {
            self.line(&format!("{mark} {line}"));
        }
    }

    fn setting(&mut self, run: &Run, setting: &Setting, found: &Recommendation) {
        let value = printable(&found.value);
        let verb = Verb::of(&setting.decision);
        self.comment(&format!("{} {} = {value}: {}.", verb.name(), setting.name, wording::reason(setting)));
        if let Some(measured) = advised::measured(setting, found) {
            self.comment(&format!("Measured: {measured}."));
        }
        self.comment(&format!("From the run of {}, {}.", run.plan.created_at, advised::grounds(found)));
        self.comment(&format!("Audits: {}.", advised::audits(found)));
        self.comment(&format!("Holds for {}.", advised::expiry(&found.expires)));
        for clause in setting.risks.iter().filter(|_| verb == Verb::Change) {
            self.comment(&format!("Risk: {clause}."));
        }
        if let Some(needs) = &found.needs {
            self.comment(&format!("{}.", wording::needed(needs)));
        }
        for caveat in &found.caveats {
            self.comment(&format!("But: {}", wording::caveat(caveat)));
        }
        for other in advised::alternatives(&setting.name, found) {
            self.comment(&format!("Not advised: {other}."));
        }
        // A version may have another default, so a default that is kept is set only if it changed.
        let is_default = verb == Verb::Keep && setting.default.only().is_some();
        if (!found.loadable || is_default) && self.syntax != Syntax::Text {
            self.comment(&format!("{} = {value}", setting.name));
            return;
        }
        let name = &setting.name;
        self.line(&match self.syntax {
            Syntax::PostgresqlConf | Syntax::MysqlOptions => format!("{name} = {value}"),
            Syntax::RocksdbOptions => format!("  {name}={value}"),
            Syntax::SqlitePragmas => format!("PRAGMA {name} = {value};"),
            Syntax::Text => format!("{name}: {value}"),
        });
    }

    /// What must come before the settings.
    fn opening(&mut self) {
        match self.syntax {
            Syntax::MysqlOptions => self.line("[mysqld]"),
            // The parser requires a version: one that has all of these options. An option that is not set has its default.
            Syntax::RocksdbOptions => {
                for line in
                    ["[Version]", "  rocksdb_version=8.0.0", "  options_file_version=1.1", "[DBOptions]"]
                {
                    self.line(line);
                }
            }
            Syntax::PostgresqlConf | Syntax::SqlitePragmas | Syntax::Text => {}
        }
    }

    /// What must come after them.
    fn closing(&mut self) {
        if self.syntax == Syntax::RocksdbOptions {
            self.line("[CFOptions \"default\"]");
        }
    }
}
