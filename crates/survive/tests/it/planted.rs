//! The planted truth: a server whose flushes do nothing breaks every promise of power, and the same server with flushes
//! does not.

use super::{crashed, named};
use server::{Client, Home, Programs, Promise, Server, ServerError};
use std::path::{Path, PathBuf};
use std::process::Command;
use survive::Standing;

/// A server that runs below a library which makes flushes do nothing, as libeatmydata does.
struct WithoutFlushes {
    server: &'static dyn Server,
    library: PathBuf,
}

impl Server for WithoutFlushes {
    fn name(&self) -> &'static str {
        self.server.name()
    }

    fn title(&self) -> &'static str {
        self.server.title()
    }

    fn promises(&self) -> Vec<Promise> {
        self.server.promises()
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        self.server.find(trees)
    }

    fn initialise(&self, programs: &Programs, home: &Home) -> Result<(), ServerError> {
        self.server.initialise(programs, home)
    }

    fn configure(&self, home: &Home, settings: &[(&str, &str)]) -> Result<(), ServerError> {
        self.server.configure(home, settings)
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = self.server.command(programs, home, settings);
        command.env("LD_PRELOAD", &self.library);
        command
    }

    fn death_signal(&self) -> disk::kernel::child::DeathSignal {
        self.server.death_signal()
    }

    fn stop_signal(&self) -> rustix::process::Signal {
        self.server.stop_signal()
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        self.server.connect(home)
    }

    fn is_complaint(&self, line: &str) -> bool {
        self.server.is_complaint(line)
    }
}

/// A library in which flushes succeed and do nothing; `None` without a C compiler.
fn eat_my_data(folder: &Path) -> Option<PathBuf> {
    let source = folder.join("flushes.c");
    let functions =
        ["fsync(int f)", "fdatasync(int f)", "sync_file_range(int f, long o, long n, unsigned g)"];
    let text: String = functions.map(|of| format!("int {of} {{ return 0; }}\n")).concat();
    std::fs::write(&source, text).expect("written");
    let library = folder.join("flushes.so");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    if !compile.status().is_ok_and(|status| status.success()) {
        skip::because("no C compiler");
        return None;
    }
    Some(library)
}

#[test]
fn a_server_that_does_not_flush_breaks_its_promise() {
    let place = super::place();
    let Some(library) = eat_my_data(place.path()) else { return };
    for name in ["valkey", "postgresql"] {
        let planted = WithoutFlushes { server: named(name), library: library.clone() };
        let Some(report) = crashed(&planted, &planted.promises()[0], 2) else { continue };
        assert_eq!(report.standing(), Standing::Broken, "{report:#?}");
        assert_eq!((report.power_loss.kept, report.kill.kept), (0, 2), "{report:#?}");
    }
}
