//! A server whose worker was killed.

use crate::error::PostgresqlError;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// It ends in milliseconds if other programs leave it a CPU and the disk.
const END_LIMIT: Duration = Duration::from_mins(1);
const END_PAUSE: Duration = Duration::from_millis(5);

/// A worker that was killed takes its server with it, but not in the same instant.
pub(crate) fn await_end_of_killed_server(data: &Path) -> Result<(), PostgresqlError> {
    await_end(data, END_LIMIT)
}

fn await_end(data: &Path, limit: Duration) -> Result<(), PostgresqlError> {
    let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else { return Ok(()) };
    let pid = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
    let Some(pid) = pid else { return Ok(()) };
    let started = Instant::now();
    let is_ours = || {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.split(|&byte| byte == 0).any(|word| word == data.as_os_str().as_encoded_bytes())
    };
    while is_ours() {
        if started.elapsed() >= limit {
            let why = format!("process {pid}, the server of an earlier trial, does not end: end it");
            return Err(PostgresqlError::Start { why });
        }
        std::thread::sleep(END_PAUSE);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    /// Once its files were removed below it after ten seconds.
    #[test]
    fn a_server_that_does_not_end_keeps_its_files() {
        let root = tempfile::tempdir().expect("made");
        let data = root.path().join("data");
        assert!(await_end(&data, Duration::ZERO).is_ok(), "there is none");
        fs::create_dir(&data).expect("made");
        // Waits for input that does not come, with the data directory among its arguments.
        let mut command = Command::new("sh");
        command.args(["-c", "echo; read line", "sh"]).arg(&data);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        server.stdout.take().expect("a pipe").read_exact(&mut [0]).expect("is there");
        fs::write(data.join("postmaster.pid"), format!("{}\n", server.id())).expect("written");
        let refused = await_end(&data, Duration::ZERO).expect_err("it is there");
        let PostgresqlError::Start { why } = refused else { panic!("{refused:?}") };
        let process = format!("process {}", server.id());
        assert_eq!(why, format!("{process}, the server of an earlier trial, does not end: end it"));
        drop(server.stdin.take());
        server.wait().expect("ends");
        assert!(await_end(&data, Duration::ZERO).is_ok(), "it has ended");
    }
}
