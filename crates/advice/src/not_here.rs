//! Settings that a database lacks, or ignores.

use crate::cause::Cause;
use crate::no_advice::{NoAdvice, Why};
use crate::rule::Database;
use crate::setting::Setting;
use settings::Release;

impl Setting {
    /// Why it is not advised for a release of a database; `None` if it may be.
    pub(crate) fn lacking(&self, database: &str, release: &Release) -> Option<NoAdvice> {
        let (program, versions) = (program(database), self.versions);
        let cause = match release {
            Release::Of(version) if !versions.has(version) => Cause::NotInVersion { program, versions },
            Release::Unknown if !versions.are_all() => Cause::VersionUnknown { program, versions },
            Release::Of(_) | Release::Unknown | Release::Any => return None,
        };
        Some(NoAdvice::because(Why::DoesNotApply, cause))
    }
}

/// The reason for a setting that a database ignores, because another one has this value.
pub(crate) fn overridden(database: &str, (setting, value): (&str, &str)) -> NoAdvice {
    let (program, setting, value) = (program(database), setting.to_owned(), value.to_owned());
    NoAdvice::because(Why::DoesNotApply, Cause::Overridden { program, setting, value })
}

fn program(database: &str) -> &'static str {
    Database::named(database).map_or("", |database| database.program)
}
