//! What a trial finds of the one before: the cluster that was given back, or a fresh copy, and never what was
//! interrupted.

use disk::kernel::scheduling::private_shared_memory;
use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Server, Session, Settings, Target};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// A work directory that an unprivileged user reaches.
struct Site {
    _parent: tempfile::TempDir,
    work: WorkDirectory,
    installation: Installation,
}

impl Site {
    fn new() -> Self {
        let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let work = WorkDirectory::create(parent.path()).unwrap();
        Self { _parent: parent, work, installation }
    }

    /// As a trial does: prepared by one process, started by another.
    fn start(&self) -> Server {
        Cluster::prepare(self.work.path(), &self.installation).unwrap();
        let cluster = Cluster::find(self.work.path(), &self.installation).unwrap();
        let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
        assert!(!self.is_given_back(), "what is in use is not there for another");
        let log = fs::read_to_string(self.work.path().join("postgresql/server.log")).unwrap();
        assert!(!log.contains("not properly shut down"), "begins with crash recovery: {log}");
        server
    }

    fn is_given_back(&self) -> bool {
        self.work.path().join("postgresql/given-back").exists()
    }
}

/// Leaves in a cluster what the next server finds only if it takes that cluster over.
fn leave_a_trace(server: &Server) {
    let mut session = Session::open(&Target::Own(server)).unwrap();
    session.execute("leave a trace", "CREATE TABLE trace ()").unwrap();
}

fn finds_the_trace(server: &Server) -> bool {
    let mut session = Session::open(&Target::Own(server)).unwrap();
    session.figure("look for the trace", "SELECT count(*) FROM pg_class WHERE relname = 'trace'").unwrap() > 0
}

fn kill(server: &mut Server) {
    kill_process(Pid::from_raw(server.id().cast_signed()).unwrap(), Signal::KILL).unwrap();
    while !server.has_ended() {
        std::thread::yield_now();
    }
}

#[test]
fn a_cluster_that_was_given_back_is_taken_over_once() {
    let site = Site::new();
    let server = site.start();
    leave_a_trace(&server);
    server.give_back().unwrap();
    assert!(site.is_given_back());
    let server = site.start();
    assert!(finds_the_trace(&server), "a copy where the given one was to be had");
    // Ended without a word, as a trial that failed.
    drop(server);
    assert!(!site.is_given_back());
    assert!(!finds_the_trace(&site.start()), "nobody gave it back");
}

#[test]
fn a_cluster_whose_server_was_killed_is_not_taken_over() {
    let site = Site::new();
    let mut server = site.start();
    leave_a_trace(&server);
    kill(&mut server);
    drop(server);
    assert!(!finds_the_trace(&site.start()));
    // The same of one that had been taken over.
    site.start().give_back().unwrap();
    let mut server = site.start();
    leave_a_trace(&server);
    kill(&mut server);
    drop(server);
    assert!(!finds_the_trace(&site.start()));
}

/// PostgreSQL keeps a few bytes of System V shared memory beside its files.
#[test]
fn a_killed_server_leaves_no_shared_memory() {
    let left = |pid: &str| {
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap();
        // key, shmid, perms, size, cpid, …
        segments.lines().any(|line| line.split_whitespace().nth(4) == Some(pid))
    };
    let killed = std::thread::scope(|scope| {
        let started = scope.spawn(|| {
            private_shared_memory().ok()?;
            let mut server = Site::new().start();
            kill(&mut server);
            Some(server.id().to_string())
        });
        started.join().unwrap()
    });
    match killed {
        Some(pid) => assert!(!left(&pid), "process {pid} left a segment"),
        None => skip::because("only root has namespaces of its own"),
    }
}

/// Were the directory or the template its server's user's, root would write and read where that user's links lead.
#[test]
fn only_the_data_belongs_to_the_servers_user() {
    if !rustix::process::geteuid().is_root() {
        skip::because("a server runs as its user, whose everything is");
        return;
    }
    let site = Site::new();
    let _server = site.start();
    let facts = |name: &str| fs::metadata(site.work.path().join("postgresql").join(name)).unwrap();
    assert_eq!((facts("").uid(), facts("template").uid(), facts("server.log").uid()), (0, 0, 0));
    assert_eq!((facts("").mode() & 0o7777, facts("template").mode() & 0o7777), (0o755, 0o700));
    assert_ne!(facts("data").uid(), 0);
}

#[test]
fn a_server_that_does_not_end_well_gives_nothing_back() {
    let site = Site::new();
    let mut server = site.start();
    leave_a_trace(&server);
    kill(&mut server);
    server.give_back().unwrap();
    assert!(!site.is_given_back());
    assert!(!finds_the_trace(&site.start()));
}
