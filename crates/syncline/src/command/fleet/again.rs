//! The list of disks to measure again, for a shell loop: a line for each command that repeats a first measurement of a
//! disk.

use crate::failure::Failure;
use crate::repeat;
use fleet::{Again, CONTROLS_MIN, DiskResult, Role, RunOfDisk, RunUse, Statement, remeasure};
use lab::run_directory::RunFiles;
use model::figure::count;
use model::printable;
use report::Repeat;
use std::fmt::Write as _;
use std::path::Path;

/// The list as tab-separated text: role, host, name of the run, command.
pub(super) fn plan(statement: &Statement, seed: u64) -> Result<String, Failure> {
    let again = remeasure(statement, seed);
    let of = |role| again.disks.iter().filter(|again| again.role == role).count();
    let (firsts, suspects, controls) = (of(Role::First), of(Role::Suspect), of(Role::Control));
    let mut text = match again.disks.len() {
        0 => "# syncline fleet: nothing to measure again.\n".to_owned(),
        _ => format!(
            "# syncline fleet: {} and {} to measure again, in random order (seed {seed}).\n\
             # Measure them on one day, then run syncline fleet on the old and the new runs together.\n",
            count(suspects, "suspect"),
            count(controls, "random control")
        ),
    };
    // Writing to a String cannot fail.
    if firsts > 0 {
        let _ =
            writeln!(text, "# {} with a failed audit: the new run replaces it.", count(firsts, "first run"));
    }
    for disk in &again.without_controls {
        let name = &statement.disks[*disk].disk;
        let _ = writeln!(
            text,
            "# {}: a second run would prove nothing. It needs {CONTROLS_MIN} controls, and fewer disks of its stratum \
             are within the limits.",
            plain(&format!("{}:{}", name.host, name.directory))
        );
    }
    let mut rows = String::new();
    let mut number = 0;
    for Again { disk, role } in &again.disks {
        let result = &statement.disks[*disk];
        let host = name(result)?;
        let (role, option) = match role {
            Role::First => ("first", ""),
            Role::Suspect => ("suspect", " --again"),
            Role::Control => ("control", " --again"),
        };
        let directory = repeat::quoted(&result.disk.directory);
        for repeat in repeats(result, seed)? {
            for remark in &repeat.remarks {
                let _ = writeln!(text, "# {host}: {}", plain(remark));
            }
            for line in &repeat.lines {
                number += 1;
                let command = plain(&format!("{line}{option} --dir {directory}"));
                let _ = writeln!(rows, "{role}\t{host}\t{number:03}-{host}\t{command}");
            }
        }
    }
    Ok(format!("{text}# role\thost\trun\tcommand\n{rows}"))
}

/// The commands of a disk's first runs, in another random order.
fn repeats(result: &DiskResult, seed: u64) -> Result<Vec<Repeat>, Failure> {
    let firsts = result.runs.iter().filter(|run| run.used == RunUse::First);
    let again = |first: &RunOfDisk| {
        let files = RunFiles::open(Path::new(&first.run)).map_err(Failure::runtime)?;
        let mut plan = files.run().map_err(Failure::runtime)?.plan;
        plan.seed = plan.seed.wrapping_add(seed);
        Ok(repeat::commands(&plan))
    };
    firsts.map(again).collect()
}

/// The name of a disk's host, if it has nothing that means more to a shell or to ssh: a record may come from anywhere.
fn name(result: &DiskResult) -> Result<&str, Failure> {
    let host = &result.disk.host;
    if !host.starts_with('-') && host.chars().all(|c| c.is_ascii_alphanumeric() || "._-:".contains(c)) {
        return Ok(host);
    }
    let host = printable(host);
    Err(Failure::Runtime(format!("host {host}: a shell's command cannot hold its name: remove its runs")))
}

/// A field of the list: a name in a record may hold a tab or a line break.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}
