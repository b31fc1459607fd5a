//! Kinds of jobs beside each other: these jobs, readers beside them (`beside`), or any others (`teams`).

use super::levels::Beside;
use super::parameters::{PARAMETERS, Parameters};
use model::{Configuration, Teams};

/// The group's name of a kind of jobs, and that of the readers beside the first kind.
const NAME: &str = "name";
const BESIDE_NAME: &str = "beside_name";

/// Jobs with equal parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// What each job does by itself.
    pub parameters: Parameters,
    /// The place of its file in [`Parameters::files`].
    pub file: usize,
    /// What it is called; `None` if nobody named it.
    pub name: Option<String>,
}

impl Parameters {
    /// All kinds of jobs, these first.
    pub fn kinds(&self) -> Vec<Kind> {
        let named = |key: &str| Some(self.teams.iter().next()?.value(key)?.to_owned());
        let mut kinds = vec![Kind { parameters: self.alone(), file: 0, name: named(NAME) }];
        kinds.extend(self.readers().map(|parameters| Kind {
            parameters,
            file: usize::from(self.has_own_file_beside()),
            name: named(BESIDE_NAME),
        }));
        kinds.extend(self.others().unwrap_or_default());
        kinds
    }

    /// What each job does by itself, kind by kind.
    pub fn jobs(&self) -> Vec<Self> {
        let jobs = |kind: Kind| vec![kind.parameters.clone(); kind.parameters.numjobs as usize];
        self.kinds().into_iter().flat_map(jobs).collect()
    }

    /// Whether there are jobs of other kinds than these and the readers beside them.
    pub fn has_others(&self) -> bool {
        self.teams.iter().nth(1).is_some()
    }

    /// Sizes of the files that other kinds of jobs have for themselves.
    pub(super) fn other_files(&self) -> impl Iterator<Item = u64> {
        let others = self.others().unwrap_or_default();
        others.into_iter().filter(|kind| kind.file > 0).map(|kind| kind.parameters.size)
    }

    /// The kinds of all groups but the first: these jobs with what the group says. One with a size has its own file.
    ///
    /// # Errors
    /// The first part of a group that is not a parameter of jobs, or not a level of one.
    pub(super) fn others(&self) -> Result<Vec<Kind>, String> {
        let mut files = 0;
        let kind = |team: &model::Team| {
            let mut parameters = self.alone();
            for (name, text) in team.iter().filter(|(name, _)| *name != NAME) {
                parameters.set(name, text)?;
            }
            if self.number_ios == 0 {
                // A ramp and an interval end by time, whatever the job.
                parameters.number_ios = 0;
            }
            let has_own = team.value(PARAMETERS.size.name()).is_some();
            files += usize::from(has_own);
            let name = team.value(NAME).map(str::to_owned);
            Ok(Kind { parameters, file: if has_own { files } else { 0 }, name })
        };
        self.teams.iter().skip(1).map(kind).collect()
    }

    /// These jobs without any beside them.
    #[must_use]
    pub(super) fn alone(&self) -> Self {
        Self { beside: Beside::None, teams: Teams::default(), ..self.clone() }
    }
}

/// Declares the parameters in which kinds of jobs may differ.
macro_rules! of_kinds {
    ($($field:ident)*) => {
        /// The parameters in which kinds of jobs may differ, for translators.
        pub const OF_KINDS: &[&str] = &[$(PARAMETERS.$field.name()),*];

        impl Parameters {
            /// Gives one of them another level.
            fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
                $(if name == PARAMETERS.$field.name() {
                    let value = PARAMETERS.$field.definition().parse(text)?;
                    let values = Configuration([(name.to_owned(), value)].into());
                    self.$field = PARAMETERS.$field.of(&values).ok_or_else(|| format!("{name}={text} is not a level"))?;
                    return Ok(());
                })*
                Err(format!("{name} is not a parameter in which kinds of jobs differ"))
            }
        }
    };
}

of_kinds! {
    rw rwmixread bs bssplit bssplit_writes iodepth numjobs whole_file order hole hole_every ioengine mode size
    number_ios fdatasync advice random_distribution zipf_theta zones zone_size open_zones atomic rate_iops rate_period thinktime
    thinktime_blocks start_delay start_delay_step flow data buffer_compress_percentage verify
}
