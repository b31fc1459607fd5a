//! The list of disks to measure again: a line each, for a shell loop, with the command that repeats the disk's first run.

use crate::failure::Failure;
use crate::repeat;
use fleet::{Again, DiskResult, Role, Statement, remeasure};
use lab::run_directory::RunFiles;
use model::figure::count;
use model::printable;
use std::fmt::Write as _;
use std::path::Path;

/// The list as tab-separated text: role, host, command.
pub(super) fn plan(statement: &Statement, seed: u64) -> Result<String, Failure> {
    let again = remeasure(statement, seed);
    let of = |role| again.disks.iter().filter(|again| again.role == role).count();
    let (suspects, controls) = (of(Role::Suspect), of(Role::Control));
    let mut text = format!(
        "# syncline fleet: {} and {} to measure again, in random order (seed {seed}).\n\
         # Measure them on one day, then run syncline fleet on the old and the new runs together.\n\
         # role\thost\tcommand\n",
        count(suspects, "suspect"),
        count(controls, "random control")
    );
    for Again { disk, role } in &again.disks {
        let result = &statement.disks[*disk];
        let role = match role {
            Role::Suspect => "suspect",
            Role::Control => "control",
        };
        if !is_name(&result.disk.host) {
            let host = printable(&result.disk.host);
            return Err(Failure::Runtime(format!(
                "host {host}: a shell's command cannot hold its name: remove its runs"
            )));
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{role}\t{}\t{}", plain(&result.disk.host), command(result, seed)?);
    }
    Ok(text)
}

/// The command that measures a disk as its first run did, in another random order.
fn command(result: &DiskResult, seed: u64) -> Result<String, Failure> {
    let Some(first) = result.runs.first() else { return Ok(String::new()) };
    let mut run =
        RunFiles::open(Path::new(&first.run)).and_then(|files| files.run()).map_err(Failure::runtime)?;
    run.plan.seed = run.plan.seed.wrapping_add(seed);
    let directory = repeat::quoted(&result.disk.directory);
    let lines = repeat::commands(&run.plan).lines.into_iter().map(|line| format!("{line} --dir {directory}"));
    Ok(plain(&lines.collect::<Vec<_>>().join(" && ")))
}

/// Whether a host's name has nothing that means more to a shell or to ssh: a record may come from anywhere.
fn is_name(host: &str) -> bool {
    !host.starts_with('-') && host.chars().all(|c| c.is_ascii_alphanumeric() || "._-:".contains(c))
}

/// A field of the list: a name in a record may hold a tab or a line break.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}
