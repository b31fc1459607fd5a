//! What the load of a database does with its files.

use crate::layout::Role;
use crate::observation::Observation;
use model::LoadPart;
use std::collections::BTreeSet;

impl Observation {
    /// What a database that was recognised by its files does at least [`LoadPart::PER_S_MIN`] times a second.
    pub fn load_parts(&self, database: &str) -> BTreeSet<LoadPart> {
        let mut parts = BTreeSet::new();
        for of in self.roles.iter().filter(|of| of.database == database) {
            let rates = match of.role {
                // A write that is durable when it returns needs no sync.
                Role::Log => vec![
                    (
                        LoadPart::LogSyncs,
                        of.syncs_per_s + self.syncs.durable_writes_per_s.min(of.writes_per_s),
                    ),
                    (LoadPart::LogWrites, of.writes_per_s),
                ],
                Role::Data => {
                    vec![(LoadPart::DataReads, of.reads_per_s), (LoadPart::DataWrites, of.writes_per_s)]
                }
                Role::Temporary => vec![(LoadPart::TemporaryFiles, of.reads_per_s + of.writes_per_s)],
                Role::Other => Vec::new(),
            };
            let enough = rates.into_iter().filter(|(_, rate)| *rate >= LoadPart::PER_S_MIN);
            parts.extend(enough.map(|(part, _)| part));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{RoleFigures, SyncFigures};

    fn seen(roles: &[(Role, [f64; 3])], durable_writes_per_s: f64) -> Observation {
        let figures = |(role, [reads_per_s, writes_per_s, syncs_per_s]): &(Role, [f64; 3])| RoleFigures {
            database: "PostgreSQL".to_owned(),
            role: *role,
            files: 1,
            reads_per_s: *reads_per_s,
            bytes_read_per_s: 0.0,
            writes_per_s: *writes_per_s,
            bytes_written_per_s: 0.0,
            syncs_per_s: *syncs_per_s,
        };
        Observation {
            roles: roles.iter().map(figures).collect(),
            syncs: SyncFigures { durable_writes_per_s, ..SyncFigures::default() },
            ..Observation::default()
        }
    }

    #[track_caller]
    fn check(of: &Observation, expected: &[LoadPart]) {
        assert_eq!(of.load_parts("PostgreSQL"), expected.iter().copied().collect());
        assert!(of.load_parts("SQLite").is_empty());
    }

    /// A server without writes still writes its log now and then.
    #[test]
    fn what_comes_less_than_once_a_second_is_no_part_of_the_load() {
        let roles =
            [(Role::Data, [900.0, 0.3, 0.1]), (Role::Log, [0.0, 0.1, 0.1]), (Role::Other, [50.0, 9.0, 9.0])];
        check(&seen(&roles, 0.0), &[LoadPart::DataReads]);
        let temporary = [(Role::Temporary, [0.6, 0.6, 0.0])];
        check(&seen(&temporary, 0.0), &[LoadPart::TemporaryFiles]);
    }

    #[test]
    fn commits_without_a_sync_are_syncs() {
        let roles = [(Role::Log, [0.0, 200.0, 0.0])];
        check(&seen(&roles, 0.0), &[LoadPart::LogWrites]);
        check(&seen(&roles, 200.0), &[LoadPart::LogSyncs, LoadPart::LogWrites]);
    }
}
