//! Whether ranks can run a plan together. Pure.

use model::plan::{Plan, Resource, Shortage, StudyPlan, Turns};

/// Why a plan cannot run on several ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A trial takes no turns and does not wait for an order to begin, so ranks cannot start it together.
    #[error(
        "{study} on shared storage: the trials of {} take no turns, so their ranks would not start together: {}",
        configuration(.label), no_turns(*.why)
    )]
    NoTurns {
        study: String,
        /// The configuration's levels; empty if nothing varies.
        label: String,
        why: NoTurns,
    },
    /// A number of ranks, in a run that is not shared.
    #[error("{study}: ranks measure together only in a shared run, which mpirun starts")]
    NotShared { study: String },
    /// A number of ranks that there are not.
    #[error(
        "{study}: the study needs {ranks} ranks, and the launch has {size}: start more, or name 1 to {size}"
    )]
    Ranks {
        study: String,
        /// What the study needs.
        ranks: u64,
        size: u32,
    },
}

/// Why trials take no turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTurns {
    /// The user wants none.
    NotWanted,
    /// Not even two trials fit into the machine.
    DoNotFit(Shortage),
    /// Their workload cannot.
    Impossible,
    /// They are compared with trials that cannot.
    Compared,
}

impl NoTurns {
    /// Why the trials of this configuration take none.
    fn of(study: &StudyPlan, configuration: usize) -> Self {
        match study.turns {
            Turns::Off => Self::NotWanted,
            Turns::DoNotFit(shortage) => Self::DoNotFit(shortage),
            Turns::Auto | Turns::Every(_) if study.alone.contains(&configuration) => Self::Compared,
            Turns::Auto | Turns::Every(_) => Self::Impossible,
        }
    }
}

fn configuration(label: &str) -> String {
    if label.is_empty() { "its configuration".to_owned() } else { label.to_owned() }
}

fn no_turns(why: NoTurns) -> String {
    match why {
        NoTurns::NotWanted => "turns are switched off".to_owned(),
        NoTurns::DoNotFit(Shortage { short, needed, available }) => {
            let (unit, remedy) = match short {
                Resource::Memory => ("bytes of memory", "measure less data"),
                Resource::Room => ("bytes of room", "free space"),
                Resource::LockedMemory => ("bytes of locked memory", "raise the limit (ulimit -l)"),
                Resource::OpenFiles => ("open files", "raise the limit (ulimit -n)"),
            };
            format!("all of a round need {needed} {unit}, and there are {available}: vary less, or {remedy}")
        }
        NoTurns::Impossible => {
            "their workload cannot stop in between: each rank can only run it for itself".to_owned()
        }
        NoTurns::Compared => {
            "they are compared with trials that cannot: vary less, or let each rank run it for itself"
                .to_owned()
        }
    }
}

/// Whether a run that is not shared can run the plan.
///
/// # Errors
/// [`Refused::NotShared`] for the first configuration that is for a number of ranks.
pub fn check_not_shared(studies: &[StudyPlan]) -> Result<(), Refused> {
    let asked = |study: &&StudyPlan| study.descriptions.iter().any(|description| description.ranks.is_some());
    let study = studies.iter().find(asked);
    study.map_or(Ok(()), |study| Err(Refused::NotShared { study: study.name.clone() }))
}

/// Whether this number of ranks can run the plan together.
///
/// # Errors
/// [`Refused`] for the first configuration that they cannot run.
pub fn check(plan: &Plan, size: u32) -> Result<(), Refused> {
    for study in &plan.studies {
        for configuration in 0..study.configurations.len() {
            let description = study.description(configuration);
            let waits = description.is_some_and(|description| description.turns.begins_when_told);
            if !study.takes_turns(configuration) && !waits {
                let why = NoTurns::of(study, configuration);
                let label = study.label(configuration);
                return Err(Refused::NoTurns { study: study.name.clone(), label, why });
            }
            let asked = description.and_then(|description| description.ranks);
            if let Some(ranks) = asked.filter(|ranks| *ranks == 0 || *ranks > u64::from(size)) {
                return Err(Refused::Ranks { study: study.name.clone(), ranks, size });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::description::Interleaving;
    use model::{Configuration, Description};

    fn plan(descriptions: Vec<Description>, turns: Turns) -> Plan {
        let study = StudyPlan {
            name: "depth".to_owned(),
            workload: "toy".to_owned(),
            profile: "quick".to_owned(),
            configurations: vec![Configuration::default(); descriptions.len()],
            descriptions,
            rounds: 6,
            turns,
            ..StudyPlan::default()
        };
        Plan { directory: "/mnt/volume".into(), seed: 7, studies: vec![study], ..Plan::default() }
    }

    fn described(ranks: Option<u64>) -> Description {
        Description { turns: Interleaving::of(true), ranks, ..Description::default() }
    }

    #[test]
    fn more_ranks_than_there_are_are_refused() {
        let plan = plan(vec![described(Some(2)), described(None), described(Some(8))], Turns::Auto);
        assert_eq!(check(&plan, 8), Ok(()));
        assert_eq!(check(&plan, 4), Err(Refused::Ranks { study: "depth".to_owned(), ranks: 8, size: 4 }));
        assert_eq!(check_not_shared(&plan.studies), Err(Refused::NotShared { study: "depth".to_owned() }));
    }

    #[test]
    fn no_rank_at_all_is_no_level() {
        let refused = check(&plan(vec![described(Some(0))], Turns::Auto), 4);
        assert_eq!(refused, Err(Refused::Ranks { study: "depth".to_owned(), ranks: 0, size: 4 }));
    }

    #[test]
    fn trials_that_take_no_turns_are_refused_with_the_reason() {
        let no_turns = |why| Err(Refused::NoTurns { study: "depth".to_owned(), label: String::new(), why });
        let load = Description::default();
        assert_eq!(check(&plan(vec![described(None), load], Turns::Auto), 4), no_turns(NoTurns::Impossible));
        assert_eq!(check(&plan(vec![described(None)], Turns::Off), 4), no_turns(NoTurns::NotWanted));
        let shortage = Shortage { short: Resource::OpenFiles, needed: 67, available: 64 };
        let without_room = plan(vec![described(None)], Turns::DoNotFit(shortage));
        assert_eq!(check(&without_room, 4), no_turns(NoTurns::DoNotFit(shortage)));
        let mut compared = plan(vec![described(None)], Turns::Auto);
        compared.studies[0].alone = vec![0];
        assert_eq!(check(&compared, 4), no_turns(NoTurns::Compared));
    }

    /// An object store: nobody sees what its cache holds, so its trials take no turns.
    #[test]
    fn trials_that_begin_when_told_take_no_turns_and_are_not_refused() {
        let remote = Description {
            turns: Interleaving { begins_when_told: true, ..Interleaving::default() },
            ranks: Some(2),
            ..Description::default()
        };
        for turns in [Turns::Auto, Turns::Off] {
            let plan = plan(vec![remote.clone()], turns);
            assert_eq!(check(&plan, 2), Ok(()));
            assert!(matches!(check(&plan, 1), Err(Refused::Ranks { ranks: 2, .. })));
        }
    }

    #[test]
    fn a_plan_without_ranks_is_for_every_run() {
        let plan = plan(vec![described(None)], Turns::Auto);
        assert_eq!((check_not_shared(&plan.studies), check(&plan, 1)), (Ok(()), Ok(())));
    }
}
