//! What the tests of this crate share: a directory on the real file system, and processes of their own.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod stage;

use disk::work_directory::WorkDirectory;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names the test whose body a process is to run.
const BODY: &str = "SYNCLINE_TEST_BODY";
/// A path handed to that process.
const PATH: &str = "SYNCLINE_TEST_PATH";
/// On no machine does anything here take this long, however busy it is: it hangs.
const PATIENCE: Duration = Duration::from_mins(5);
/// A helper that waits to be killed waits longer than anybody for its end.
pub(crate) const UNTIL_KILLED: Duration = Duration::from_mins(30);

/// A fresh directory on the file system that the build is on, not on a tmpfs.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("disk-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .expect("target is writable")
}

/// A fresh work directory in such a directory: files are made nowhere else.
pub(crate) fn work() -> WorkDirectory {
    WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("target is writable")
}

/// Runs a test's body in a process of its own, in a private mount namespace, because mounts belong to processes.
/// `test` is the test's own path, `module::name`. `body` is given a scratch directory.
pub(crate) fn alone(test: &str, body: impl FnOnce(&Path)) {
    if std::env::var_os(BODY).is_some_and(|name| name == test) {
        body(&path_of_parent());
        return;
    }
    let directory = scratch();
    let output = private(command(test, directory.path())).output().expect("starts");
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    assert!(said.contains("running 1 test"), "no test is called {test}");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} failed in its own process: {complaint}");
}

/// A helper test (`#[ignore]`d, so that it never runs by itself) in a process of its own, its output piped.
pub(crate) fn helper(test: &str, path: &Path) -> Command {
    let mut command = command(test, path);
    command.arg("--ignored").stdout(Stdio::piped());
    command
}

/// Lets a command run in a private mount namespace.
pub(crate) fn private(mut command: Command) -> Command {
    // SAFETY: runs between fork and exec, where the child has one thread: what `private_mounts` asks for. It
    // allocates, which glibc allows there (its allocator's locks are reset by fork), and touches no other lock.
    unsafe {
        command.pre_exec(|| disk::kernel::scheduling::private_mounts().map_err(std::io::Error::other));
    }
    command
}

/// What follows a word in the output of a helper. The output is read on in the background, so that the helper can
/// go on printing.
pub(crate) fn answer(child: &mut Child, word: &str) -> String {
    let mut output = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let found = output.find_map(|line| Some(line.rsplit_once(word)?.1.to_owned()));
    std::thread::spawn(move || output.for_each(drop));
    found.unwrap_or_else(|| panic!("the helper does not say \"{word}\""))
}

/// Inside a started process: the path that its parent gave. `None` if somebody ran the helper by hand.
pub(crate) fn path_of_parent() -> std::path::PathBuf {
    std::env::var_os(PATH).map(Into::into).unwrap_or_default()
}

fn command(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("linux has /proc/self/exe"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(BODY, test).env(PATH, path);
    command
}

/// The reason to skip a test that mounts, if there is one.
pub(crate) fn cannot_mount(programs: &[&str]) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("needs root".to_owned());
    }
    if !Path::new("/dev/loop-control").exists() {
        return Some("needs loop devices".to_owned());
    }
    let missing = |program: &&&str| {
        !["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
            .iter()
            .any(|place| Path::new(place).join(program).exists())
    };
    programs.iter().find(missing).map(|program| format!("needs {program}"))
}

/// Waits until something holds: whether it does in the end.
pub(crate) fn until(holds: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > PATIENCE {
            return false;
        }
        // What is waited for is the state of other processes' files, mounts and groups, which no event announces.
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Tries a check that noise from other processes can spoil, at most `attempts` times.
pub(crate) fn retry(attempts: usize, mut check: impl FnMut() -> Result<(), String>) {
    for attempt in 1.. {
        match check() {
            Ok(()) => return,
            Err(why) if attempt == attempts => panic!("{why}, {attempts} times"),
            Err(why) => println!("again: {why}"),
        }
    }
}
