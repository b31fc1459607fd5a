//! Syncline's own server: what its statements report about pages, and that it leaves nothing behind.

use disk::tree::Blocks;
use disk::work_directory::WorkDirectory;
use postgresql::{
    Cluster, Contents, Installation, Loaded, Order, PostgresqlError, RelationKind, Session, Settings, Shape,
    Table, Target,
};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A work directory that an unprivileged user reaches, with a cluster in it.
struct Site {
    _parent: tempfile::TempDir,
    work: WorkDirectory,
    cluster: Cluster,
}

fn site() -> Site {
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let parent = tempfile::tempdir().unwrap();
    std::fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    Site { _parent: parent, work, cluster }
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim_start().is_empty() && !rest.trim_start().starts_with('Z'))
}

/// Processes whose command line names the directory.
fn processes_of(directory: &Path) -> Vec<u32> {
    let named = |pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(&directory.display().to_string())
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(named).collect()
}

fn shape(kind: RelationKind, pages: u64, buffers: u64) -> Shape {
    Shape { kind, pages, buffers, seed: 7 }
}

/// Hits of two reads after a displacement.
fn two_reads(site: &Site, buffers: u64, order: Order) -> (u64, u64) {
    let pages = 512;
    let server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    let mut table = Table::create(&mut session, shape(RelationKind::Temporary, pages, buffers)).unwrap();
    let filled = table.fill().unwrap();
    assert_eq!(filled.wal.full_page_images, 0, "a temporary table is not logged");
    let dirtied = table.dirty(order).unwrap();
    assert_eq!(dirtied.blocks.dirtied, pages, "{dirtied:?}");
    let written = table.write_back().unwrap();
    println!("{buffers}: {written:?}");
    assert!(written.blocks.written >= pages - 8 && written.blocks.written <= pages, "{written:?}");
    assert!(written.times.write_s.value().is_some_and(|&time| time > 0.0));
    table.displace().unwrap();
    let first = table.read(order).unwrap();
    println!("{first:?}");
    assert_eq!((first.blocks.hit, first.blocks.read), (0, pages), "{first:?}");
    assert!(first.blocks.written <= 16, "what was displaced is clean: {first:?}");
    assert!(first.times.read_s.value().is_some_and(|&time| time > 0.0));
    let second = table.read(order).unwrap();
    println!("{second:?}");
    assert_eq!(second.blocks.hit + second.blocks.read, pages);
    let maps = table.map_pages().unwrap();
    assert!((6..=8).contains(&maps), "{maps}");
    (first.blocks.hit, second.blocks.hit)
}

#[test]
fn a_table_fits_only_into_more_buffers_than_it_has_pages() {
    let site = site();
    let (_, hit) = two_reads(&site, 512, Order::Sequential);
    assert_eq!(hit, 0, "the buffer of one map page is enough to lose every page");
    let (_, hit) = two_reads(&site, 522, Order::Sequential);
    assert_eq!(hit, 512, "2 % of headroom hold the maps");
}

#[test]
fn pages_are_visited_in_a_random_order_too() {
    let (_, hit) = two_reads(&site(), 640, Order::Random(3));
    assert_eq!(hit, 512);
}

#[test]
fn only_permanent_tables_are_logged_and_whole_after_a_checkpoint() {
    let site = site();
    let settings = Settings { shared_buffers_pages: Some(2048), direct: false };
    let server = site.cluster.start(&settings, Vec::new()).unwrap();
    for (kind, images) in [(RelationKind::Unlogged, 0), (RelationKind::Permanent, 128)] {
        let mut session = Session::open(&Target::Own(&server)).unwrap();
        session.execute("start again", "DROP TABLE IF EXISTS pages").unwrap();
        let mut table = Table::create(&mut session, shape(kind, 128, 2048)).unwrap();
        table.fill().unwrap();
        let dirtied = table.dirty(Order::Sequential).unwrap();
        println!("{kind:?}: {dirtied:?}");
        assert_eq!(dirtied.wal.full_page_images, images);
        assert_eq!(dirtied.wal.bytes > 128 * 8000, kind == RelationKind::Permanent);
        let written = table.write_back().unwrap();
        assert_eq!(written.blocks.written, 128, "{written:?}");
        let first = table.read(Order::Random(1)).unwrap();
        assert_eq!(first.blocks.read, 128, "{first:?}");
        for file in table.files().unwrap() {
            assert!(file.is_file() && file.starts_with(site.work.path()), "{}", file.display());
        }
    }
}

#[test]
fn a_server_of_the_users_is_measured_by_a_temporary_table_that_goes_with_the_session() {
    let site = site();
    let server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
    let dsn = format!("host={} user=syncline dbname=postgres", server.data().display());
    let mut session = Session::open(&Target::Dsn(&dsn)).unwrap();
    assert!(!session.is_ours());
    let mut table = Table::create(&mut session, shape(RelationKind::Temporary, 128, 160)).unwrap();
    table.fill().unwrap();
    table.dirty(Order::Sequential).unwrap();
    assert_eq!(table.write_back().unwrap().blocks.written, 128);
    table.displace().unwrap();
    let first = table.read(Order::Sequential).unwrap();
    assert_eq!(first.blocks.read, 128);
    assert_eq!(first.evicted.reason(), Some("pg_stat_io counts every client of the server together"));
    drop(session);
    let mut session = Session::open(&Target::Dsn(&dsn)).unwrap();
    let left = "SELECT count(*) FROM pg_class WHERE relname IN ('pages', 'displacer')";
    // A session that has ended drops its temporary tables a moment later.
    while session.figure("count tables", left).unwrap() > 0 {
        std::thread::yield_now();
    }
}

/// A role may look for temporary tables last: then the user's own tables of these names would be filled and dropped.
#[test]
fn tables_of_the_users_that_have_the_same_names_stay_as_they_are() {
    let site = site();
    let server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut user = Session::open(&Target::Own(&server)).unwrap();
    let tables = "CREATE TABLE pages (page int NOT NULL, filler bytea NOT NULL); CREATE TABLE displacer (LIKE pages); \
                  ALTER ROLE syncline SET search_path = public, pg_temp";
    user.execute("make the user's tables", tables).unwrap();
    let dsn = format!("host={} user=syncline dbname=postgres", server.data().display());
    let mut session = Session::open(&Target::Dsn(&dsn)).unwrap();
    let mut table = Table::create(&mut session, shape(RelationKind::Temporary, 128, 160)).unwrap();
    table.fill().unwrap();
    assert_eq!(table.dirty(Order::Sequential).unwrap().blocks.dirtied, 128);
    table.drop_tables().unwrap();
    for name in ["pages", "displacer"] {
        assert_eq!(user.figure("count rows", &format!("SELECT count(*) FROM public.{name}")).unwrap(), 0);
    }
}

#[test]
fn some_pages_are_read_in_either_order() {
    let site = site();
    let settings = Settings { shared_buffers_pages: Some(512), direct: false };
    let server = site.cluster.start(&settings, Vec::new()).unwrap();
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    let mut table = Table::create(&mut session, shape(RelationKind::Unlogged, 1024, 512)).unwrap();
    table.fill().unwrap();
    for order in [Order::Sequential, Order::Random(5)] {
        table.displace().unwrap();
        let pass = table.read_some(order, 100).unwrap();
        println!("{order:?}: {pass:?}");
        assert!((100..=101).contains(&pass.blocks.read), "{order:?}: {pass:?}");
        assert!(pass.times.read_s.value().is_some_and(|&time| time > 0.0));
    }
}

#[test]
fn a_server_that_is_killed_is_told_in_one_line_and_leaves_no_process() {
    let site = site();
    let mut server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    let postmaster = server.id();
    let pid = rustix::process::Pid::from_raw(postmaster.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::QUIT).unwrap();
    let error = loop {
        match session.execute("read the table", "SELECT pg_sleep(0.01)") {
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    let PostgresqlError::ServerGone { doing, .. } = &error else { panic!("{error:?}") };
    assert_eq!(doing, "read the table");
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    while !server.has_ended() {
        std::thread::yield_now();
    }
    assert!(!server.last_words().is_empty());
    drop(server);
    assert!(!is_running(postmaster));
    assert_eq!(processes_of(site.work.path()), Vec::<u32>::new());
}

#[test]
fn a_server_ends_with_the_thread_that_started_it_and_a_fresh_one_starts() {
    let site = site();
    let installation = Installation::cached_or_downloaded(|_| ()).unwrap();
    std::thread::scope(|scope| {
        let started = scope.spawn(|| {
            let server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
            // As a worker that is killed: it stops nothing.
            let pid = server.id();
            std::mem::forget(server);
            pid
        });
        started.join().unwrap();
    });
    // Waits for what the killed one left.
    let cluster = Cluster::prepare(site.work.path(), &installation).unwrap();
    assert_eq!(processes_of(&cluster.data()), Vec::<u32>::new());
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let session = Session::open(&Target::Own(&server)).unwrap();
    assert!(session.version().major() >= 18 && session.is_ours());
}

/// Programs are started from the cluster's directory: once a relative path led to nowhere from there.
#[test]
fn programs_may_be_named_by_a_relative_path() {
    let cached = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let here = std::env::current_dir().unwrap();
    let mut relative: std::path::PathBuf = here.ancestors().skip(1).map(|_| "..").collect();
    relative.push(cached.programs().strip_prefix("/").unwrap());
    let installation = Installation::at(&relative).unwrap();
    assert!(installation.programs().is_absolute() && installation.version() == cached.version());
    assert!(installation.programs().canonicalize().unwrap() == cached.programs().canonicalize().unwrap());
}

#[test]
fn a_server_that_is_not_there_and_programs_that_are_not_there_are_told_in_one_line() {
    for dsn in ["host=/nowhere user=x", "nonsense", "postgresql://x@127.0.0.1:1/x?connect_timeout=2"] {
        let error = Session::open(&Target::Dsn(dsn)).err().unwrap().to_string();
        assert!(error.starts_with("cannot connect to the server: "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    // Once a run waited for ever for what listens and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dsn = format!("host=127.0.0.1 port={} user=x connect_timeout=1", silent.local_addr().unwrap().port());
    let error = Session::open(&Target::Dsn(&dsn)).err().unwrap().to_string();
    assert!(error.ends_with("server: it does not answer within 2 s"), "{error}");
    let error = Installation::at(Path::new("/nowhere")).err().unwrap();
    let PostgresqlError::NotPrograms { directory, program, .. } = &error else { panic!("{error:?}") };
    assert_eq!((directory.as_path(), *program), (Path::new("/nowhere"), "initdb"));
}

/// What `--resume` compares: two clusters are distinguished, and a user without the privilege gets no error.
#[test]
fn a_server_says_which_cluster_it_is() {
    let identity = |site: &Site, role: Option<&str>| {
        let server = site.cluster.start(&Settings::default(), Vec::new()).unwrap();
        let mut session = Session::open(&Target::Own(&server)).unwrap();
        if let Some(role) = role {
            let become_it = format!(
                "CREATE ROLE {role}; REVOKE ALL ON FUNCTION pg_control_system() FROM PUBLIC; SET ROLE {role}"
            );
            session.execute("become somebody else", &become_it).unwrap();
        }
        session.identity("host=db1 port=5433 password=opensesame").unwrap()
    };
    let (one, other) = (site(), site());
    let (a, b) = (identity(&one, None), identity(&other, None));
    assert_eq!(a, identity(&one, None), "a restart changes nothing");
    assert!(a.system_identifier.value().is_some_and(|number| number.parse::<u64>().is_ok()), "{a:?}");
    assert_ne!(a.system_identifier, b.system_identifier);
    assert_eq!((a.address.as_str(), a.database.as_str()), ("db1:5433", "postgres"));
    let told_nothing = identity(&one, Some("nobody_s_friend"));
    assert!(told_nothing.system_identifier.reason().is_some(), "{told_nothing:?}");
    assert!(told_nothing.data_directory.reason().is_some(), "{told_nothing:?}");
}

/// Each trial that writes copies its cluster, and most of the files were those of databases that nobody connects to.
#[test]
fn a_loaded_cluster_has_one_database_and_its_copy_serves() {
    let Site { work, _parent, .. } = site();
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let contents = Contents { scale: 1, has_hash_index: false, wal_segment_mib: 16 };
    let loaded = Loaded::prepare(work.path(), &installation, contents).unwrap();
    let seat = work.path().join("seat");
    loaded.copy_to(&seat, Blocks::Shared).unwrap();
    let server = loaded.start(&seat, &[], Vec::new()).unwrap();
    let mut session = Session::observe(&server).unwrap();
    let mut count = |of: &str| session.figure("count", &format!("SELECT count(*) FROM {of}")).unwrap();
    assert_eq!([count("pg_database"), count("pgbench_accounts")], [1, 100_000]);
}
