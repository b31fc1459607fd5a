//! An image: started by docker or podman with this program in it, which looks at itself there. So the runtime's own
//! defaults hold: its seccomp profile, its limits, its mounts.

use crate::arguments::ResultFormat;
use crate::failure::Failure;
use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// The first one that answers is used.
const RUNTIMES: [&str; 2] = ["docker", "podman"];
/// Where the program is mounted.
const PLACE: &str = "/syncline";
/// What the program is linked with in some builds; it looks for that beside itself.
const LIBRARY: &str = "librocksdb.so";

pub(super) fn run(image: &str, format: ResultFormat) -> Result<ExitCode, Failure> {
    if image.is_empty() || image.starts_with('-') {
        return Err(Failure::Usage(format!(
            "--container {image}: it is neither a PID nor the name of an image"
        )));
    }
    let Some(runtime) = RUNTIMES.into_iter().find(|runtime| answers(runtime)) else {
        return Err(Failure::Runtime(format!(
            "neither docker nor podman is here to start {image}: name the PID of a process in a container that runs"
        )));
    };
    let program = env::current_exe().map_err(Failure::runtime)?;
    let mut command = Command::new(runtime);
    // Nothing is downloaded, and nothing stays.
    command.args(["run", "--rm", "--pull=never", "--network=none"]);
    command.arg("--volume").arg(mounted(&program, PLACE));
    let library = program.with_file_name(LIBRARY);
    if library.exists() {
        command.arg("--volume").arg(mounted(&library, &format!("/{LIBRARY}")));
    }
    let form = match format {
        ResultFormat::Text => "text",
        ResultFormat::Json => "json",
    };
    command.args(["--entrypoint", PLACE, image]);
    command.args(["--no-defaults", "doctor", "--container", "self", "--format", form]);
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| Failure::Runtime(format!("{runtime} cannot be started: {error}")))?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::Runtime(format!(
        "{runtime} run {image} failed ({status}): the image has to be on this machine and to have the GNU C library, \
         which Alpine lacks; the PID of a process in a running container works with every image"
    )))
}

fn answers(runtime: &str) -> bool {
    let mut command = Command::new(runtime);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A file of this machine at a place in the container, read only.
fn mounted(file: &Path, place: &str) -> String {
    format!("{}:{place}:ro", file.display())
}
