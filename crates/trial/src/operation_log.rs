//! Files with logs of operations: one that is replayed, and one that a trial writes.

use crate::refusal::Refusal;
use model::trial::OperationLogFile;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use workload::object::LogFormat;
use workload::object::log::{Journal, LogWriter, Replay};

/// Reads a log that is to be replayed. Only a regular file is opened.
///
/// # Errors
/// One line with the path and what is wrong.
pub fn read_operation_log(path: &Path) -> Result<Replay, String> {
    let open = || -> io::Result<File> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        File::open(path)
    };
    let file =
        open().map_err(|error| format!("{}: cannot read the operation log: {error}", path.display()))?;
    Replay::read(BufReader::new(file)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes what the clients of a trial did into a file of the work directory, which the lab moves into the run.
pub(crate) fn write(
    work_directory: &Path,
    writer: &LogWriter<'_>,
    clients: &[&Journal],
) -> Result<OperationLogFile, Refusal> {
    let extension = match writer.format {
        LogFormat::Csv | LogFormat::Warp => "csv",
        LogFormat::OpLog => "tsv",
    };
    // Trials that take turns write at the same time.
    let name = format!("operations-{}.{extension}", std::process::id());
    let path = work_directory.join(&name);
    let write = || {
        let mut file = BufWriter::new(File::create(&path)?);
        let operations = writer.write(clients, &mut file)?;
        file.flush().map(|()| operations)
    };
    let operations = write().map_err(|error| {
        Refusal::Failed(format!("{}: cannot write the operation log: {error}", path.display()))
    })?;
    let left_out = clients.iter().map(|journal| journal.left_out()).sum();
    Ok(OperationLogFile { name, operations, left_out })
}
