//! `syncline observe` on databases under load: what is seen agrees with what they count themselves.
//!
//! Each is idle when it is observed and when its counters are read, so that no call falls between the two.

use crate::laboratory;

use laboratory::Laboratory;
use laboratory::observing::{Observing, assert_agree, class, is_possible, number, of_roles};
use laboratory::servers::{reachable, wait_for};
use serde_json::Value;
use std::path::Path;

/// What was seen of a load and what the database counted meanwhile. Records are lost on a busy machine at times, so
/// that the load is repeated; it gets the number of the attempt.
#[track_caller]
fn seen_and_counted<C>(target: &[&str], mut counted: impl FnMut(u32) -> C) -> Option<(Value, C)> {
    let lab = Laboratory::new();
    (0..3).find_map(|attempt| {
        let observing = Observing::start(&lab, target);
        let counted = counted(attempt);
        Some((observing.stop()?, counted))
    })
}

/// Several sessions update rows of a table that the server's buffers do not hold.
#[cfg(feature = "postgresql")]
mod on_postgresql {
    use super::*;
    use postgresql::{Cluster, Installation, Server, Session, Settings};

    const SESSIONS: u64 = 4;
    const UPDATES: u64 = 100;
    const ROWS: u64 = 150_000;

    fn session(server: &Server) -> Session {
        Session::observe(server).unwrap()
    }

    /// The server's own counts of calls, of all its processes. Those of this session are handed in before.
    fn counted(session: &mut Session) -> [f64; 4] {
        session.execute("hand the counts in", "SELECT pg_stat_force_next_flush()").unwrap();
        let columns =
            [("wal", "writes"), ("wal", "fsyncs"), ("relation", "reads"), ("relation", "writes + extends")];
        columns.map(|(object, column)| {
            let query = format!(
                "SELECT coalesce(sum({column}), 0)::bigint FROM pg_stat_io WHERE object = '{object}'"
            );
            session.figure("read the counters", &query).unwrap() as f64
        })
    }

    fn update(server: &Server, own: &mut Session) {
        std::thread::scope(|scope| {
            for number in 0..SESSIONS {
                scope.spawn(move || {
                    let mut session = session(server);
                    for update in 0..UPDATES {
                        let row = (number * UPDATES + update) * 7919 % ROWS;
                        let statement = format!("UPDATE accounts SET balance = balance + 1 WHERE id = {row}");
                        session.execute("update", &statement).unwrap();
                    }
                });
            }
        });
        // Sessions hand their counts in when they end.
        let clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
        wait_for("the end of the sessions", || {
            (own.figure("count sessions", clients).unwrap() == 1).then_some(())
        });
    }

    #[test]
    fn what_is_seen_agrees_with_the_counters_of_postgresql() {
        if !is_possible() {
            return;
        }
        let disk = reachable();
        let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
        let cluster = Cluster::prepare(disk.path(), &installation).unwrap();
        let settings = Settings { shared_buffers_pages: Some(1024), direct: false };
        let server = cluster.start(&settings, Vec::new()).unwrap();
        let mut own = session(&server);
        let fill = format!(
            "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint, filler char(200));
             INSERT INTO accounts SELECT id, 0, '' FROM generate_series(0, {ROWS} - 1) AS id"
        );
        own.execute("fill the table", &fill).unwrap();
        // The background writer hands its counts in when it likes.
        own.execute("stop the background writer", "ALTER SYSTEM SET bgwriter_lru_maxpages = 0").unwrap();
        // A worker that comes by within the minute reads for itself, and hands its counts in when it ends.
        own.execute("stop the workers", "ALTER SYSTEM SET autovacuum = off").unwrap();
        own.figure("reload", "SELECT pg_reload_conf()::int::bigint").unwrap();
        own.execute("write everything", "CHECKPOINT").unwrap();
        // The queries read the catalog themselves, the first time.
        counted(&mut own);
        let seen = seen_and_counted(&["--pid", &server.id().to_string()], |_| {
            let before = counted(&mut own);
            update(&server, &mut own);
            (before, counted(&mut own))
        });
        let Some((seen, (before, after))) = seen else { return };
        let [log_writes, log_syncs, reads, writes] =
            [0, 1, 2, 3].map(|counter| after[counter] - before[counter]);
        assert!(log_syncs > 0.0 && reads > SESSIONS as f64 * UPDATES as f64 / 2.0, "{before:?} {after:?}");
        assert_agree("writes of the log", of_roles(&seen, &["log"], "writes_per_s"), log_writes);
        assert_agree("syncs of the log", of_roles(&seen, &["log"], "syncs_per_s"), log_syncs);
        // The last reads of a session are of descriptors that are gone before they can be looked up.
        let all = |name: &str| number(&class(&seen, name)["operations"]);
        assert_agree("reads", all("read"), reads);
        assert_agree("writes", all("write"), log_writes + writes);
        assert_agree("syncs", all("sync"), log_syncs);
        assert_eq!(seen["databases"][0][0], "PostgreSQL");
        let explained =
            seen["explanations"].as_array().unwrap().iter().find(|of| of["class"] == "sync").unwrap();
        let sum: f64 =
            explained["parts"].as_array().unwrap().iter().map(|part| number(&part["mean_us"])).sum();
        let mean = number(&explained["mean_us"]);
        assert!((sum - mean).abs() <= mean / 1000.0, "{explained:#}");
    }
}

#[cfg(feature = "survive")]
mod on_servers {
    use super::*;
    use model::RequestAction;
    use server::{Client, Home, Row, Running};
    use std::time::{Duration, Instant};

    const START_LIMIT: Duration = Duration::from_mins(2);
    const SESSIONS: u32 = 4;

    /// Hands over a server on an empty database, if the machine has its programs.
    #[track_caller]
    fn on(name: &str, settings: &[(&str, &str)], test: impl FnOnce(&Running<'_>)) {
        if !is_possible() {
            return;
        }
        let (place, server) = (reachable(), server::named(name).unwrap());
        let programs = match server.reachable(server::unpacked().as_deref(), place.path()) {
            Err(why) if why.is_absence() => return skip::because(why),
            found => found.unwrap(),
        };
        let home = Home::new(&place.path().join("data")).unwrap();
        server.initialise(&programs, &home).unwrap();
        test(&Running::start(server, &programs, &home, settings, START_LIMIT).unwrap());
    }

    fn seen_of<C>(running: &Running<'_>, counted: impl FnMut(u32) -> C) -> Option<(Value, C)> {
        seen_and_counted(&["--pid", &running.id().to_string()], counted)
    }

    /// Several sessions work at once. Each has a number of its own, also in another attempt.
    fn in_sessions(running: &Running<'_>, attempt: u32, work: impl Fn(&mut dyn Client, u32) + Sync) {
        std::thread::scope(|scope| {
            for session in 0..SESSIONS {
                let work = &work;
                scope.spawn(move || work(&mut *running.connect().unwrap(), attempt * SESSIONS + session));
            }
        });
    }

    fn counter(client: &mut dyn Client, name: &str) -> u64 {
        client.counter(name).unwrap().unwrap_or_else(|| panic!("it does not count {name}"))
    }

    /// InnoDB's own counts of its reads, its writes of pages and its syncs, once it has had nothing to do for seconds:
    /// its threads look once a second for pages to write.
    fn settled(client: &mut dyn Client) -> [u64; 3] {
        const QUIET: Duration = Duration::from_secs(3);
        let mut last = ([0; 3], Instant::now());
        wait_for("a server that has written all its pages", || {
            let names = ["data_reads", "data_writes", "data_fsyncs"];
            let now = names.map(|name| counter(client, &format!("Innodb_{name}")));
            if now != last.0 || counter(client, "Innodb_buffer_pool_pages_dirty") > 0 {
                last = (now, Instant::now());
            }
            (last.1.elapsed() > QUIET).then_some(now)
        })
    }

    /// Rows are inserted, updated and read that the buffer pool does not hold.
    #[test]
    fn what_is_seen_agrees_with_the_counters_of_mariadb() {
        const ROWS: u64 = 20_000;
        const REQUESTS: u64 = 100;
        let settings = [
            ("innodb_buffer_pool_size", "8M"),
            ("innodb_flush_log_at_trx_commit", "1"),
            // Statistics are written when the server likes.
            ("innodb_stats_auto_recalc", "OFF"),
        ];
        on("mariadb", &settings, |running| {
            let mut own = running.connect().unwrap();
            own.prepare().unwrap();
            own.load(ROWS).unwrap();
            own.checkpoint().unwrap();
            settled(&mut *own);
            let work = |client: &mut dyn Client, session: u32| {
                for request in 0..REQUESTS {
                    let row = (u64::from(session) * REQUESTS + request) * 7919 % ROWS;
                    for action in [
                        RequestAction::Insert { client: session, row: request },
                        RequestAction::Update { row, number: request + 1 },
                        RequestAction::Read { row: ROWS - 1 - row },
                    ] {
                        client.request(action).unwrap();
                    }
                }
            };
            let seen = seen_of(running, |attempt| {
                let before = settled(&mut *own);
                in_sessions(running, attempt, work);
                let after = settled(&mut *own);
                [0, 1, 2].map(|counter| (after[counter] - before[counter]) as f64)
            });
            let Some((seen, [reads, writes, syncs])) = seen else { return };
            assert!(reads > REQUESTS as f64 && syncs > REQUESTS as f64, "{reads} reads, {syncs} syncs");
            let of_innodb = |figure| of_roles(&seen, &["log", "data", "temporary"], figure);
            assert_agree("reads", of_innodb("reads_per_s"), reads);
            // Since 10.8 it counts neither all writes of its log nor the log's syncs by themselves.
            assert_agree("writes of pages", of_roles(&seen, &["data", "temporary"], "writes_per_s"), writes);
            assert_agree("syncs", of_innodb("syncs_per_s"), syncs);
            assert_eq!(seen["databases"][0][0], "MariaDB");
        });
    }

    #[test]
    fn what_is_seen_agrees_with_the_histogram_of_etcd() {
        const SYNCS: &str = "etcd_disk_wal_fsync_duration_seconds_count";
        const PUTS: u64 = 100;
        on("etcd", &[], |running| {
            let mut own = running.connect().unwrap();
            let seen = seen_of(running, |attempt| {
                let before = counter(&mut *own, SYNCS);
                in_sessions(running, attempt, |client, session| {
                    for put in 0..PUTS {
                        client.write(&[Row { writer: session, sequence: put }.first()]).unwrap();
                    }
                });
                (counter(&mut *own, SYNCS) - before) as f64
            });
            let Some((seen, syncs)) = seen else { return };
            assert!(syncs > PUTS as f64 / 2.0, "{syncs}");
            assert_agree("syncs of the log", of_roles(&seen, &["log"], "syncs_per_s"), syncs);
            assert_eq!(seen["databases"][0][0], "etcd");
        });
    }
}

/// Syncline's own adapter of RocksDB, whose log RocksDB itself counts the syncs of.
#[cfg(feature = "rocksdb")]
#[test]
fn what_is_seen_agrees_with_the_counters_of_rocksdb() {
    use engine::{Engine, EngineKind, Options};
    use std::fs;

    const THREADS: u64 = 4;
    const PUTS: u64 = 250;
    /// A number of the statistics that RocksDB writes to its `LOG` (`db/internal_stats.cc`), by what stands around it.
    /// Numbers below ten thousand are exact there.
    fn last(log: &str, line: &str, unit: &str) -> Option<u64> {
        let line = log.lines().rfind(|of| of.starts_with(line))?;
        line.split(", ").find_map(|part| part.strip_suffix(unit))?.rsplit(' ').next()?.parse().ok()
    }

    if !is_possible() {
        return;
    }
    let disk = Laboratory::new();
    let target = disk.disk().display().to_string();
    let seen = seen_and_counted(&["--dir", &target], |attempt| {
        let directory = disk.disk().join(format!("store-{attempt}"));
        let settings = model::Settings::new([("stats_dump_period_sec", "1")]).unwrap();
        let options = Options { settings, ..Options::new(&directory).durability("sync") };
        let store = EngineKind::RocksDb.open(&options).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let store = &store;
                scope.spawn(move || {
                    for put in 0..PUTS {
                        store.put(&(thread * PUTS + put).to_be_bytes(), &[7; 100]).unwrap();
                    }
                });
            }
        });
        let syncs = wait_for("statistics of all puts", || {
            let log = fs::read_to_string(directory.join("data/LOG")).unwrap();
            (last(&log, "Cumulative writes", " writes") == Some(THREADS * PUTS)).then_some(())?;
            last(&log, "Cumulative WAL", " syncs")
        });
        // Its end would sync once more.
        (store, syncs as f64)
    });
    let Some((seen, (_store, syncs))) = seen else { return };
    assert!(syncs >= PUTS as f64, "{syncs}");
    let logs = seen["files"].as_array().unwrap().iter().filter(|of| {
        let path = of["path"].as_str().unwrap();
        of["database"] == "RocksDB"
            && of["role"] == "log"
            && Path::new(path).extension().is_some_and(|extension| extension == "log")
    });
    assert_agree("syncs of the log", logs.map(|of| number(&of["syncs"])).sum(), syncs);
}
