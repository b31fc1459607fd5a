//! The rank of this process, as its launcher reports it in variables. A pure function of them and of two options.
//!
//! Launchers nest: under Slurm, `mpirun` starts one daemon on each node by `srun`, so what the daemon starts has the
//! variables of both, and only those of MPI number the processes. So the innermost launcher counts: MPI (PMI, PMIx)
//! before Slurm before Kubernetes. Variables of the same world must agree.
//!
//! Slurm sets some of its variables in the shell of `sbatch` and `salloc` too, which runs once whatever `--ntasks` is.
//! Such a shell has no step, or a step with one task (srun(1), "OUTPUT ENVIRONMENT VARIABLES").

use model::rank::Rank;

/// What the command line says about the rank; it is preferred to every variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The rank of this process.
    pub rank: Option<u32>,
    /// The number of processes.
    pub of: Option<u32>,
}

/// Why a rank is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    /// A variable holds something else.
    #[error("the variable {variable} is {value:?}, which is not a number from 0: unset it")]
    NotANumber { variable: &'static str, value: String },
    /// Two variables of one world have different values.
    #[error("{} is {} and {} is {}: the variables of the launcher contradict each \
        other", .one.0, .one.1, .other.0, .other.1)]
    Contradiction {
        /// Name and value of the first.
        one: (&'static str, u32),
        /// Name and value of the other.
        other: (&'static str, u32),
    },
    /// There are too few processes for this rank.
    #[error("rank {rank} of {size} does not exist: the first rank is 0, so the last one is below {size}")]
    Beyond {
        rank: u32,
        /// The number of processes.
        size: u32,
    },
    /// The launcher and the MPI library of this build do not work together: to MPI, each process may be alone.
    #[error(
        "the launcher started this process as rank {}{}, and to MPI it is rank {rank} of {size}: start it by the \
         mpirun of the MPI library that Syncline was built with, or by srun \
         --mpi=pmix", .reported.rank, of_size(.reported.size)
    )]
    NotOfMpi {
        /// What the launcher reports.
        reported: Rank,
        rank: u32,
        /// How many ranks there are to MPI.
        size: u32,
    },
    /// One process shares its storage with nobody.
    #[error(
        "MPI started one rank, and a shared run needs at least two: start it by mpirun -n 2, or by srun --mpi=pmix -n 2"
    )]
    Alone,
    /// A size without a rank.
    #[error("one of {size} processes, and no launcher's variable has the rank of this one")]
    NoRank {
        /// The number of processes.
        size: u32,
    },
}

/// The variables of one launcher: the rank, and the sizes of the world, the most specific first.
struct World {
    rank: &'static str,
    sizes: &'static [&'static str],
}

/// Open MPI, MPICH and others by PMI, and PMIx, which has no variable for the size. One process may have several of
/// them, with equal values.
const MPI: [World; 3] = [
    World { rank: "OMPI_COMM_WORLD_RANK", sizes: &["OMPI_COMM_WORLD_SIZE"] },
    World { rank: "PMI_RANK", sizes: &["PMI_SIZE"] },
    World { rank: "PMIX_RANK", sizes: &["PMIX_SIZE"] },
];
const SLURM: World = World { rank: "SLURM_PROCID", sizes: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"] };
/// Set for what `srun` starts; a batch script has none.
const SLURM_STEP: &str = "SLURM_STEP_ID";
/// An indexed Job does not report its number of completions.
const KUBERNETES: World = World { rank: "JOB_COMPLETION_INDEX", sizes: &[] };

/// The rank of this process; `None` if it was started alone.
///
/// `variable` looks an environment variable up.
///
/// # Errors
/// [`RankError`] if the variables contradict each other, or if there is no such rank.
pub fn rank(asked: Asked, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Rank>, RankError> {
    let found = match asked.rank {
        Some(rank) => Some(Rank::new(rank, None)),
        None => reported(variable)?,
    };
    let rank = match (found, asked.of) {
        (Some(found), of) => Rank { size: of.or(found.size), ..found },
        (None, Some(size)) => return Err(RankError::NoRank { size }),
        (None, None) => return Ok(None),
    };
    match rank.size {
        Some(size) if rank.rank >= size => Err(RankError::Beyond { rank: rank.rank, size }),
        // A launcher that started one process started it alone.
        Some(1) if asked == Asked::default() => Ok(None),
        Some(_) | None => Ok(Some(rank)),
    }
}

/// Whether the rank that MPI gives to this process is that of the launcher, and one of several. A process that the MPI
/// library cannot connect with the others is rank 0 of 1: each would measure, and believe that it is alone.
///
/// # Errors
/// [`RankError::NotOfMpi`] or [`RankError::Alone`].
pub fn check_mpi(reported: Option<Rank>, rank: u32, size: u32) -> Result<(), RankError> {
    let is_other = |reported: &Rank| reported.rank != rank || reported.size.is_some_and(|of| of != size);
    match reported.filter(is_other) {
        Some(reported) => Err(RankError::NotOfMpi { reported, rank, size }),
        None if size < 2 => Err(RankError::Alone),
        None => Ok(()),
    }
}

fn of_size(size: Option<u32>) -> String {
    size.map_or_else(String::new, |size| format!(" of {size}"))
}

/// What the innermost launcher reports.
fn reported(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Rank>, RankError> {
    let slurm = if variable(SLURM_STEP).is_some() { in_world(&SLURM, variable)? } else { None };
    if let Some(mpi) = in_mpi(variable)? {
        // `srun --mpi=pmix` sets PMIx's rank, and Slurm's size.
        let size = slurm.filter(|slurm| slurm.rank == mpi.rank).and_then(|slurm| slurm.size);
        return Ok(Some(Rank { size: mpi.size.or(size), ..mpi }));
    }
    if slurm.is_some() {
        return Ok(slurm);
    }
    in_world(&KUBERNETES, variable)
}

/// What the variables of MPI report, if they agree.
fn in_mpi(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Rank>, RankError> {
    let (mut ranks, mut sizes) = (Vec::new(), Vec::new());
    for World { rank, sizes: names } in MPI {
        let Some(found) = number(rank, variable)? else { continue };
        ranks.push((rank, found));
        for name in names {
            sizes.extend(number(name, variable)?.map(|size| (*name, size)));
        }
    }
    let rank = agreed(&ranks)?;
    let size = agreed(&sizes)?;
    Ok(rank.map(|rank| Rank::new(rank, size)))
}

fn in_world(world: &World, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Rank>, RankError> {
    let Some(rank) = number(world.rank, variable)? else { return Ok(None) };
    for name in world.sizes {
        if let Some(size) = number(name, variable)? {
            return Ok(Some(Rank::new(rank, Some(size))));
        }
    }
    Ok(Some(Rank::new(rank, None)))
}

fn number(name: &'static str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<u32>, RankError> {
    let Some(value) = variable(name) else { return Ok(None) };
    match value.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(RankError::NotANumber { variable: name, value }),
    }
}

/// The one value that all have; `None` if there is none.
fn agreed(values: &[(&'static str, u32)]) -> Result<Option<u32>, RankError> {
    let Some((first, rest)) = values.split_first() else { return Ok(None) };
    match rest.iter().find(|other| other.1 != first.1) {
        Some(other) => Err(RankError::Contradiction { one: *first, other: *other }),
        None => Ok(Some(first.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(asked: Asked, variables: &[(&str, &str)]) -> Result<Option<Rank>, RankError> {
        let look_up = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        rank(asked, &look_up)
    }

    fn alone(variables: &[(&str, &str)]) -> Result<Option<Rank>, RankError> {
        found(Asked::default(), variables)
    }

    const fn of(rank: u32, size: u32) -> Rank {
        Rank::new(rank, Some(size))
    }

    #[test]
    fn every_launcher_is_understood() {
        assert_eq!(
            alone(&[("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "8")]),
            Ok(Some(of(3, 8)))
        );
        assert_eq!(alone(&[("PMI_RANK", "3"), ("PMI_SIZE", "8")]), Ok(Some(of(3, 8))));
        assert_eq!(alone(&[("PMIX_RANK", "3")]), Ok(Some(Rank::new(3, None))));
        let srun = [("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "3"), ("SLURM_NTASKS", "8")];
        assert_eq!(alone(&srun), Ok(Some(of(3, 8))));
        assert_eq!(alone(&[("JOB_COMPLETION_INDEX", "3")]), Ok(Some(Rank::new(3, None))));
        assert_eq!(alone(&[]), Ok(None));
    }

    /// A batch script with `--ntasks=8` runs once, on the first node, with SLURM_PROCID=0 and SLURM_NTASKS=8.
    #[test]
    fn the_shell_of_an_allocation_is_not_a_rank() {
        assert_eq!(alone(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), Ok(None));
        let interactive = [
            ("SLURM_STEP_ID", "4294967290"),
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_NUM_TASKS", "1"),
            ("SLURM_NTASKS", "8"),
        ];
        assert_eq!(alone(&interactive), Ok(None));
        assert_eq!(alone(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")]), Ok(None));
    }

    /// Under Slurm, mpirun's daemons are tasks of a step; what they start has the daemon's SLURM_PROCID.
    #[test]
    fn the_innermost_launcher_counts() {
        let daemon = [("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2")];
        let mpi = [("OMPI_COMM_WORLD_RANK", "5"), ("OMPI_COMM_WORLD_SIZE", "8"), ("PMIX_RANK", "5")];
        assert_eq!(alone(&[&daemon[..], &mpi[..]].concat()), Ok(Some(of(5, 8))));
        let pmix = [("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "5"), ("SLURM_NTASKS", "8"), ("PMIX_RANK", "5")];
        assert_eq!(alone(&pmix), Ok(Some(of(5, 8))));
    }

    /// `srun` without `--mpi=pmix` started eight runs, each of which was rank 0 of 1 and disturbed the others.
    #[test]
    fn a_rank_that_mpi_does_not_know_is_refused() {
        let singleton = check_mpi(Some(of(3, 8)), 0, 1);
        assert_eq!(singleton, Err(RankError::NotOfMpi { reported: of(3, 8), rank: 0, size: 1 }));
        assert!(check_mpi(Some(of(0, 8)), 0, 1).is_err());
        assert!(check_mpi(Some(Rank::new(1, None)), 0, 8).is_err());
        assert_eq!(check_mpi(None, 0, 1), Err(RankError::Alone));
        for reported in [None, Some(of(3, 8)), Some(Rank::new(3, None))] {
            assert_eq!(check_mpi(reported, 3, 8), Ok(()));
        }
    }

    #[test]
    fn options_are_preferred_to_variables() {
        let spoiled = [("OMPI_COMM_WORLD_RANK", "three"), ("PMI_RANK", "2")];
        assert_eq!(found(Asked { rank: Some(1), of: Some(4) }, &spoiled), Ok(Some(of(1, 4))));
        assert_eq!(found(Asked { rank: Some(0), of: Some(1) }, &[]), Ok(Some(of(0, 1))));
        let index = [("JOB_COMPLETION_INDEX", "3")];
        assert_eq!(found(Asked { rank: None, of: Some(4) }, &index), Ok(Some(of(3, 4))));
    }

    #[test]
    fn what_cannot_be_is_one_line() {
        let spoiled: [(Asked, &[(&str, &str)]); 5] = [
            (Asked::default(), &[("OMPI_COMM_WORLD_RANK", "1"), ("PMI_RANK", "2")]),
            (Asked::default(), &[("PMI_RANK", "8"), ("PMI_SIZE", "8")]),
            (Asked::default(), &[("PMI_RANK", "")]),
            (Asked { rank: Some(4), of: Some(4) }, &[]),
            (Asked { rank: None, of: Some(4) }, &[]),
        ];
        let refusals = spoiled.map(|(asked, variables)| found(asked, variables).unwrap_err());
        assert_eq!(
            refusals,
            [
                RankError::Contradiction { one: ("OMPI_COMM_WORLD_RANK", 1), other: ("PMI_RANK", 2) },
                RankError::Beyond { rank: 8, size: 8 },
                RankError::NotANumber { variable: "PMI_RANK", value: String::new() },
                RankError::Beyond { rank: 4, size: 4 },
                RankError::NoRank { size: 4 },
            ]
        );
        for refusal in refusals {
            assert!(!refusal.to_string().contains('\n'), "{refusal}");
        }
    }
}
