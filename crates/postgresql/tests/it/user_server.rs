//! A server that stands for the user's: what a proof changes on it, what it refuses, and that everything is as it was
//! afterwards.

use disk::work_directory::WorkDirectory;
use model::{Script, Settings};
use postgresql::{
    Client, Cluster, Contents, Installation, Login, PostgresqlError, ScratchTables, Server, ServerRefusal,
    Session, Survey, Target, Undo, UndoJournal, UserServer, UsersLogin, Wish,
};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A server, and the way to it that a user would name.
struct Site {
    server: Server,
    _work: WorkDirectory,
    parent: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let work = WorkDirectory::create(parent.path()).unwrap();
        let cluster = Cluster::prepare(work.path(), &installation).unwrap();
        let server = cluster.start(&postgresql::Settings::default(), Vec::new()).unwrap();
        Self { server, _work: work, parent }
    }

    fn dsn_of(&self, role: &str) -> String {
        format!("host={} user={role} dbname=postgres", self.server.data().display())
    }

    fn dsn(&self) -> String {
        self.dsn_of("syncline")
    }

    fn session(&self) -> Session {
        Session::open(&Target::Dsn(&self.dsn())).unwrap()
    }

    fn execute(&self, statement: &str) {
        self.session().execute("prepare the test", statement).unwrap();
    }

    fn user_server(&self) -> UserServer {
        UserServer::connect(&self.dsn()).unwrap()
    }

    fn survey(&self, settings: &[&str]) -> Result<Survey, PostgresqlError> {
        self.user_server().survey(&wish(settings))
    }

    fn refusal(&self, settings: &[&str]) -> ServerRefusal {
        refusal_of(self.survey(settings))
    }

    fn shown(&self, setting: &str) -> String {
        self.session().text("read a setting", &format!("SHOW {setting}")).unwrap()
    }

    fn journal(&self) -> PathBuf {
        self.parent.path().join("undo.jsonl")
    }

    /// All that a proof might leave: databases, and every setting that is not the default.
    fn state(&self) -> (String, String) {
        let databases = "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database";
        let file = self.server.data().join("postgresql.auto.conf");
        (self.session().text("list the databases", databases).unwrap(), fs::read_to_string(file).unwrap())
    }
}

fn wish(settings: &[&str]) -> Wish {
    let settings: BTreeSet<String> = settings.iter().map(|name| (*name).to_owned()).collect();
    Wish { settings, writes: true, allow_busy: false, random: 0xfeed }
}

#[track_caller]
fn refusal_of<T: std::fmt::Debug>(result: Result<T, PostgresqlError>) -> ServerRefusal {
    match result {
        Err(PostgresqlError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

fn settings(text: &str) -> Settings {
    Settings::parse(text).unwrap()
}

#[test]
fn a_server_is_as_it_was_before_also_if_the_proof_was_killed() {
    let site = Site::new();
    site.execute("ALTER SYSTEM SET bgwriter_delay = '150ms'");
    site.execute("SELECT pg_reload_conf()");
    let before = site.state();
    let names = ["bgwriter_delay", "checkpoint_completion_target", "commit_delay", "random_page_cost"];
    let Survey { undo, of_sessions } = site.survey(&names).unwrap();
    assert_eq!(of_sessions.iter().collect::<Vec<_>>(), ["commit_delay", "random_page_cost"]);
    assert_eq!(undo.settings["bgwriter_delay"].as_deref(), Some("150ms"));
    assert_eq!(undo.settings["checkpoint_completion_target"], None);
    assert_eq!(site.state(), before, "a survey only reads");

    let journal = UndoJournal::create(&site.journal(), undo.clone()).unwrap();
    let mut server = site.user_server();
    server.make_scratch(&undo, "the proof's path").unwrap();
    server.apply(&undo, &settings("bgwriter_delay = 300ms; checkpoint_completion_target = 0.5")).unwrap();
    assert_eq!(
        (&*site.shown("bgwriter_delay"), &*site.shown("checkpoint_completion_target")),
        ("300ms", "0.5")
    );
    // The next arm changes less: the others have their values from before.
    server.apply(&undo, &settings("checkpoint_completion_target = 0.7")).unwrap();
    assert_eq!(
        (&*site.shown("bgwriter_delay"), &*site.shown("checkpoint_completion_target")),
        ("150ms", "0.7")
    );
    let refused = refusal_of(server.apply(&undo, &settings("wal_sync_method = open_datasync")));
    assert_eq!(refused, ServerRefusal::NotInJournal { name: "wal_sync_method".to_owned() });
    let found = site.refusal(&names);
    let ServerRefusal::LeftOver { database, comment } = found else { panic!("{found:?}") };
    assert_eq!((database, &*comment), (undo.database, "the proof's path"));

    // Killed: its session and its journal's lock are gone, and a client of its own is left.
    drop((server, journal));
    let in_scratch = site.dsn().replace("dbname=postgres", "dbname=syncline_000000000000feed");
    let left = Session::open(&Target::Dsn(&in_scratch)).unwrap();
    let journal = UndoJournal::open(&site.journal()).unwrap();
    site.user_server().undo(journal.undo()).unwrap();
    assert_eq!(site.state(), before);
    assert_eq!(site.shown("bgwriter_delay"), "150ms");
    // Twice is as good as once: a kill may come before the journal is removed.
    site.user_server().undo(journal.undo()).unwrap();
    journal.remove().unwrap();
    drop(left);
    assert!(site.survey(&names).is_ok());
}

/// The clients have the protocol in their own code, and with it the ways to prove who they are.
#[test]
fn a_client_proves_who_it_is_in_each_way_that_the_server_may_ask() {
    let site = Site::new();
    for (role, method) in [("scrammed", "scram-sha-256"), ("hashed", "md5"), ("plain", "password")] {
        let stored = if method == "md5" { "md5" } else { "scram-sha-256" };
        site.execute(&format!(
            "SET password_encryption = '{stored}'; CREATE ROLE {role} LOGIN PASSWORD 'open \\'' sesame'"
        ));
        let rules = format!("local all {role} {method}\nlocal all all trust\n");
        fs::write(site.server.data().join("pg_hba.conf"), rules).unwrap();
        // A connection that begins afterwards is checked by the new rules.
        site.user_server().session().figure("reload", "SELECT pg_reload_conf()::int::bigint").unwrap();
        let rule = format!("SELECT auth_method FROM pg_hba_file_rules WHERE '{role}' = ANY (user_name)");
        assert_eq!(site.session().text("read the rules", &rule).unwrap(), method);
        let connect = |password: &str| {
            let login = UsersLogin::new(&format!("{} {password}", site.dsn_of(role)), "postgres").unwrap();
            Client::connect(&Login::Users(&login), &[], Script::SelectOnly, false)
        };
        let refused = || connect("password='open'").err().map(|error| error.to_string());
        let started = Instant::now();
        // The postmaster takes up the rules a moment after it was asked to.
        while refused().is_none() && started.elapsed() < Duration::from_mins(5) {}
        let why =
            format!("PostgreSQL cannot run \"connect\": password authentication failed for user \"{role}\"");
        assert_eq!(refused(), Some(why), "{method}");
        let client = connect(r"password='open \\\' sesame'").unwrap();
        let serves = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND usename = '{role}'",
            client.backend()
        );
        assert_eq!(site.session().figure("find its process", &serves).unwrap(), 1);
    }
}

#[test]
fn what_may_not_be_done_is_refused_before_anything_is_changed() {
    let site = Site::new();
    let before = site.state();
    let name = |refusal: ServerRefusal| match refusal {
        ServerRefusal::NotReloadable { name, .. } | ServerRefusal::Unknown { name } => name,
        other => panic!("{other:?}"),
    };
    for wrong in [
        "shared_buffers",
        "io_method",
        "wal_segment_size",
        "ignore_system_indexes",
        "no_such_setting",
        "a\"b",
    ] {
        assert_eq!(name(site.refusal(&["bgwriter_delay", wrong])), wrong);
    }

    let mut busy = site.session();
    busy.execute("work", "BEGIN").unwrap();
    assert_eq!(site.refusal(&["bgwriter_delay"]), ServerRefusal::Busy { sessions: 1 });
    let allowed = Wish { allow_busy: true, ..wish(&["bgwriter_delay"]) };
    assert!(site.user_server().survey(&allowed).is_ok());
    drop(busy);

    site.execute("CREATE ROLE visitor LOGIN");
    let as_visitor = UserServer::connect(&site.dsn_of("visitor")).unwrap().survey(&wish(&["bgwriter_delay"]));
    let refused = refusal_of(as_visitor);
    assert!(matches!(refused, ServerRefusal::Privilege { ref role, .. } if role == "visitor"), "{refused:?}");

    // The right to change a setting is not the one to read what ALTER SYSTEM has set before.
    site.execute(
        "CREATE ROLE tuner LOGIN CREATEDB; GRANT pg_checkpoint TO tuner; GRANT EXECUTE ON FUNCTION pg_reload_conf() TO tuner; \
         GRANT ALTER SYSTEM ON PARAMETER bgwriter_delay TO tuner",
    );
    let as_tuner = || {
        let wish = Wish { allow_busy: true, ..wish(&["bgwriter_delay"]) };
        UserServer::connect(&site.dsn_of("tuner")).unwrap().survey(&wish)
    };
    let refused = refusal_of(as_tuner());
    let ServerRefusal::Privilege { remedy, .. } = &refused else { panic!("{refused:?}") };
    let reads_files = "GRANT SELECT ON pg_file_settings and EXECUTE ON FUNCTION pg_show_all_file_settings(), or \
                       connect as a superuser";
    assert_eq!(*remedy, reads_files);
    site.execute(
        "GRANT SELECT ON pg_file_settings TO tuner; GRANT EXECUTE ON FUNCTION pg_show_all_file_settings() TO tuner",
    );
    assert!(as_tuner().is_ok());

    let mut undo = site.survey(&["bgwriter_delay"]).unwrap().undo;
    undo.server.system_identifier = "1".to_owned();
    let other: Undo = undo;
    let applied = site.user_server().apply(&other, &Settings::default());
    assert!(matches!(refusal_of(applied), ServerRefusal::Another { .. }));
    assert!(matches!(refusal_of(site.user_server().undo(&other)), ServerRefusal::Another { .. }));
    assert!(matches!(
        refusal_of(site.user_server().make_scratch(&other, "x")),
        ServerRefusal::Another { .. }
    ));
    assert_eq!(site.state(), before);

    site.execute("ALTER SYSTEM SET full_page_writes = off");
    site.execute("SELECT pg_reload_conf()");
    // A session learns of it when it next waits for a statement.
    while site.shown("full_page_writes") != "off" {}
    assert_eq!(site.refusal(&[]), ServerRefusal::NotDurable { name: "full_page_writes".to_owned() });
}

/// A line that the server could not read hid what ALTER SYSTEM had set, and the journal then called for a reset.
#[test]
fn a_server_that_cannot_read_its_files_is_not_changed() {
    let site = Site::new();
    site.execute("ALTER SYSTEM SET bgwriter_delay = '150ms'");
    let before = site.state();
    let undo = site.survey(&["bgwriter_delay"]).unwrap().undo;
    let conf = site.server.data().join("postgresql.conf");
    let whole = fs::read_to_string(&conf).unwrap();
    for wrong in ["bgwriter_delay = 'open", "include 'nowhere.conf'", "bgwriter_delai = 1"] {
        fs::write(&conf, format!("{whole}\n{wrong}\n")).unwrap();
        let refused = site.refusal(&["bgwriter_delay"]);
        let ServerRefusal::UnreadableFiles { file, why, .. } = &refused else {
            panic!("{wrong}: {refused:?}")
        };
        assert!(file.ends_with("postgresql.conf") && !why.is_empty(), "{refused}");
        let applied = site.user_server().apply(&undo, &settings("bgwriter_delay = 300ms"));
        assert!(matches!(refusal_of(applied), ServerRefusal::UnreadableFiles { .. }), "{wrong}");
        assert_eq!(site.state(), before);
    }
    // A value that is wrong keeps the server from nothing else.
    fs::write(&conf, format!("{whole}\ncommit_delay = -7\n")).unwrap();
    assert_eq!(site.survey(&["bgwriter_delay"]).unwrap().undo, undo);
}

#[test]
fn values_of_now_are_those_of_a_session_that_changes_none() {
    let site = Site::new();
    let now = site.user_server().settings().unwrap();
    assert_eq!((now["work_mem"].as_str(), now["enable_hashjoin"].as_str()), ("4MB", "on"));
    assert!(!now.contains_key("shared_buffers"), "it needs a restart");
}

#[test]
fn tables_that_a_trial_writes_are_made_again_and_the_others_serve_again() {
    let site = Site::new();
    let mut session = site.session();
    let contents = Contents { scale: 1, has_hash_index: false, wal_segment_mib: 16 };
    let rows_after = |session: &mut Session, is_written: bool| {
        let tables = ScratchTables { contents, is_written };
        tables.prepare(session).unwrap();
        session.execute("find the tables", &tables.search_path()).unwrap();
        let rows = session.figure("count", "SELECT count(*) FROM pgbench_history").unwrap();
        session.execute("write", "INSERT INTO pgbench_history VALUES (1, 1, 1, 1)").unwrap();
        rows
    };
    assert_eq!([true, true, false].map(|is_written| rows_after(&mut session, is_written)), [0; 3]);
    assert_eq!(rows_after(&mut session, false), 1, "it was not loaded again");
}
