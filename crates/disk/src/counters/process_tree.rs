//! What a process and its children have moved to and from devices: a server's, which is not this process.

use model::mechanism::Measured;
use procfs::process::Process;

/// Bytes read from devices and written to them by the process and by its children that are alive (`proc_pid_io(5)`).
/// What children did that have ended is not in it.
pub fn moved_bytes(process: u32) -> Measured<u64> {
    moved(process.cast_signed()).map_err(|error| format!("/proc/{process}/io: {error}")).into()
}

fn moved(process: i32) -> procfs::ProcResult<u64> {
    let parent = Process::new(process)?;
    let children = parent.task_main_thread()?.children()?;
    let mut bytes = of_process(&parent)?;
    for child in children {
        // One that has ended meanwhile is not alive.
        bytes += Process::new(child.cast_signed()).and_then(|child| of_process(&child)).unwrap_or(0);
    }
    Ok(bytes)
}

fn of_process(process: &Process) -> procfs::ProcResult<u64> {
    process.io().map(|io| io.read_bytes + io.write_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn what_a_child_writes_counts() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("made");
        // A process, whose child writes 256 KiB with the device's own speed and waits.
        let script = "(dd if=/dev/zero of=\"$1\" bs=4096 count=64 2>/dev/null; echo; exec sleep 60) & wait";
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(directory.path().join("written"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        process.stdout.take().expect("a pipe").read_exact(&mut [0]).expect("has written");
        let before = moved_bytes(process.id());
        assert!(before.value().is_some() || before.reason().is_some());
        println!("{before:?}");
        process.kill().expect("is ours");
        process.wait().expect("ends");
        assert!(moved_bytes(u32::MAX / 2).value().is_none(), "nobody has that number");
    }
}
