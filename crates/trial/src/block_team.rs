//! A team of workloads on block backends, one thread and one backend each; the kernel's counters are read before and
//! after.

use crate::cache;
use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::team::{Ran, Team};
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::{FileTable, FileTableError};
use driver::{DriveError, Driver, Workload};
use model::mechanism::Measured;
use model::{BlockKind, BlockOp, BufferMemory, IoMode};
use std::io;
use std::path::Path;

/// The name of the phase that is measured, if it is the only one.
pub(crate) const ONLY_PHASE: &str = "measure";

/// The members' backends, files and buffers.
pub(crate) struct BlockTeam<'a> {
    /// Where the files are.
    pub(crate) site: &'a Site,
    /// The backend that performs the operations of each member.
    pub(crate) kinds: Vec<BackendKind>,
    /// One for each member.
    pub(crate) setups: Vec<Setup>,
    /// The first member's CPU; the others take the following ones.
    pub(crate) first_cpu: Option<usize>,
    /// The parameter to lower when the disk is full.
    pub(crate) size_parameter: &'static str,
}

impl BlockTeam<'_> {
    /// Drives one workload per setup to its end.
    pub(crate) fn run<W>(&self, workloads: Vec<W>) -> Result<Ran<W>, Refusal>
    where
        W: Workload<Op = BlockOp> + Send,
    {
        self.run_in_turns(workloads, None)
    }

    /// The same by turns, if there is a line to the lab that orders them.
    pub(crate) fn run_in_turns<W>(
        &self,
        workloads: Vec<W>,
        line: Option<&TurnChannel>,
    ) -> Result<Ran<W>, Refusal>
    where
        W: Workload<Op = BlockOp> + Send,
    {
        for kind in &self.kinds {
            kind.supported().map_err(|why| Refusal::Unsupported(why.to_string()))?;
        }
        let clock = self.setups.first().map(|setup| setup.clock);
        let clock = clock.ok_or_else(|| Refusal::Failed("a team needs a member".to_owned()))?;
        let team = Team {
            site: self.site,
            device: self.site.device(),
            first_cpu: self.first_cpu,
            clock,
            pages: || cache::pages(self.site),
            server: None,
            turns: line.map(|line| (line, ONLY_PHASE)),
        };
        let ran = team
            .run(workloads, |member| self.backend(member))
            .map_err(|error| explain(&error, self.site.directory(), self.size_parameter))?;
        Ok(Ran { buffers: Some(self.buffer_memory()), ..ran })
    }

    /// The memory of all members' buffers together.
    fn buffer_memory(&self) -> Measured<BufferMemory> {
        let mut sum = BufferMemory::default();
        for setup in &self.setups {
            match setup.arena.memory() {
                Measured::Value(memory) => sum = sum.plus(memory),
                unknown @ Measured::Unsupported { .. } => return unknown,
            }
        }
        Measured::Value(sum)
    }

    fn backend(&self, member: usize) -> io::Result<(AnyBackend, Vec<String>)> {
        let backend = self.kinds[member].build(&self.setups[member])?;
        let notes = backend.notes().to_vec();
        Ok((backend, notes))
    }

    /// The overhead in nanoseconds per operation of workload, driver and histograms, on a backend that does nothing.
    /// The workload must end by itself.
    pub(crate) fn overhead<W>(&self, workload: W) -> Measured<f64>
    where
        W: Workload<Op = BlockOp>,
    {
        let Some(setup) = self.setups.first() else { return Measured::unsupported("the team is empty") };
        let driven = BackendKind::Null
            .build(setup)
            .map_err(DriveError::from)
            .and_then(|backend| Driver::new(workload, backend, setup.clock).run());
        driven.map(|driven| driven.ns_per_operation()).into()
    }
}

/// Checks once the smallest step that a workload takes in a file, because the kernel does not check every operation.
pub(crate) fn check_alignment(
    table: &FileTable,
    site: &Site,
    file: u16,
    step: u32,
    kind: BlockKind,
) -> Result<(), Refusal> {
    let Ok(alignment) = site.direct() else { return Ok(()) };
    let is_direct = table.get(file).is_some_and(|open| open.mode == IoMode::Direct);
    if alignment.writes_buffered && is_direct && kind != BlockKind::Read {
        return Err(Refusal::Unsupported(format!(
            "{}: this file system takes O_DIRECT writes and passes them through the page cache",
            site.directory().display()
        )));
    }
    let operation = BlockOp { id: 0, kind, file, offset: u64::from(step), length: step, buffer: step };
    table
        .check_alignment(alignment.offset_bytes as u32, alignment.memory_bytes as u32, &operation)
        .map_err(refuse)
}

/// The refusal for a file that could not be opened.
pub(crate) fn refuse(error: FileTableError) -> Refusal {
    match error {
        FileTableError::DirectUnsupported { .. } | FileTableError::Misaligned { .. } => {
            Refusal::Unsupported(error.to_string())
        }
        other => Refusal::failed(other),
    }
}

/// The refusal for buffers that could not be allocated.
pub(crate) fn buffers_refused(error: io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::Unsupported => Refusal::Unsupported(error.to_string()),
        _ => Refusal::failed(error),
    }
}

/// The kernel's error, with the files' paths and the remedy.
fn explain(error: &DriveError, directory: &Path, size_parameter: &str) -> Refusal {
    let (DriveError::Operation { source, .. } | DriveError::Backend(source)) = error;
    let advice = match source.kind() {
        io::ErrorKind::StorageFull => format!("free space or take a smaller {size_parameter}"),
        io::ErrorKind::FileTooLarge => {
            format!("raise the file-size limit (ulimit -f), or take a smaller {size_parameter}")
        }
        io::ErrorKind::Unsupported => {
            return Refusal::Unsupported(format!("{}: {error}", directory.display()));
        }
        _ if source.raw_os_error() == Some(5) => {
            "the device reports an I/O error: look at dmesg and the drive's health".to_owned()
        }
        _ => "look at dmesg".to_owned(),
    };
    Refusal::Failed(format!("{}: {error}; {advice}", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_operation_names_the_place_the_operation_and_the_way_out() {
        for (errno, way_out) in [
            (28, "free space or take a smaller wal_size"),
            (5, "the device reports an I/O error: look at dmesg and the drive's health"),
            (22, "look at dmesg"),
        ] {
            let operation = "write of 512 bytes at offset 0 of file 1".to_owned();
            let error = DriveError::Operation { operation, source: io::Error::from_raw_os_error(errno) };
            let Refusal::Failed(why) = explain(&error, Path::new("/data/x"), "wal_size") else {
                panic!("{errno} is a failure")
            };
            assert_eq!(why, format!("/data/x: {error}; {way_out}"));
        }
        let unsupported = DriveError::Backend(io::Error::from_raw_os_error(95));
        assert!(matches!(explain(&unsupported, Path::new("/data/x"), "size"), Refusal::Unsupported(_)));
    }
}
