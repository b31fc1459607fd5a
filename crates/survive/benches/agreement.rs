//! Whether Syncline's clients of `survive` measure what other programs measure: both commit the same rows by the same
//! prepared statement on the same server, with the same settings and numbers of connections, in turns whose order
//! changes from round to round. A ratio within 5 % is agreement. pgbench drives PostgreSQL; sysbench drives MariaDB,
//! because mariadb-slap prepares no statements. Clients have the first CPU and the server has the others, as in the
//! bench `pgbench` of the crate `trial`, which compares transactions.
//!
//! Arguments change the number of rounds, the seconds of a turn and the directory on the disk under test:
//! `cargo bench … --bench agreement -- 20 2 /data`. `scripts/agree-with-pgbench` brings sysbench.

use rustix::thread::{CpuSet, sched_setaffinity};
use server::{Home, Row, Running, Server, TEXT_BYTES};
use stats::contrast::paired_ratio;
use std::error::Error;
use std::fs::{self, File, Permissions};
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const ROUNDS: u32 = 12;
const SECONDS: u32 = 2;
const CLIENTS: [u32; 2] = [1, 8];
const LEVEL: f64 = 0.95;
const START_LIMIT: Duration = Duration::from_mins(1);
/// Programs that commit what Syncline's clients do.
const PEERS: [Peer; 2] = [
    Peer { server: "postgresql", program: "pgbench", rate: pgbench },
    Peer { server: "mariadb", program: "sysbench", rate: sysbench },
];

struct Peer {
    server: &'static str,
    program: &'static str,
    rate: fn(&Turn<'_>) -> Outcome<f64>,
}

/// What one of both does: each of these clients commits its own rows, one after the other.
struct Turn<'a> {
    home: &'a Home,
    clients: u32,
    /// Each client is a writer, and this is the number of the first.
    first_writer: u32,
    seconds: u32,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<u32>().ok());
    let (rounds, seconds) = (numbers.next().unwrap_or(ROUNDS), numbers.next().unwrap_or(SECONDS));
    let folder = arguments.iter().map(PathBuf::from).find(|path| path.is_dir());
    println!(
        "| server | settings | clients | Syncline, commits/s | other program | its commits/s | ratio | 95 % interval |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for peer in &PEERS {
        if let Err(why) = Command::new(peer.program).arg("--version").output() {
            println!("| {} | skipped: {}: {why} |", peer.server, peer.program);
            continue;
        }
        compare(peer, rounds, seconds, folder.as_deref())?;
    }
    Ok(())
}

fn compare(peer: &Peer, rounds: u32, seconds: u32, folder: Option<&Path>) -> Outcome<()> {
    let server = server::named(peer.server).ok_or("it is listed")?;
    let place = tempfile::tempdir_in(folder.unwrap_or(&std::env::temp_dir()))?;
    fs::set_permissions(place.path(), Permissions::from_mode(0o755))?;
    let programs = match server.reachable(server::unpacked().as_deref(), place.path()) {
        Err(why) if why.is_absence() => {
            println!("| {} | skipped: {why} |", peer.server);
            return Ok(());
        }
        found => found?,
    };
    let home = Home::new(&place.path().join("data"))?;
    server.initialise(&programs, &home)?;
    let promise =
        server.promises().into_iter().find(|promise| promise.is_default).ok_or("it has a default")?;
    // The server's processes inherit it.
    confine(1..CpuSet::MAX_CPU);
    let running = Running::start(server, &programs, &home, &promise.settings, START_LIMIT)?;
    running.connect()?.prepare()?;
    let disk = File::open(place.path())?;
    let mut first_writer = 0;
    for clients in CLIENTS {
        let mut pairs = Vec::new();
        for round in 0..=rounds {
            let mut rate = |is_ours: bool| -> Outcome<f64> {
                let turn = Turn { home: &home, clients, first_writer, seconds };
                first_writer += clients;
                rustix::fs::syncfs(&disk)?;
                if is_ours { ours(server, &turn) } else { (peer.rate)(&turn) }
            };
            let ours_first = round % 2 == 0;
            let (first, second) = (rate(ours_first)?, rate(!ours_first)?);
            // The first round warms up.
            if round > 0 {
                pairs.push(if ours_first { (second, first) } else { (first, second) });
            }
        }
        print_row(peer, &promise.name(), clients, &pairs)?;
    }
    Ok(())
}

/// Pairs of the other program's rate and Syncline's.
fn print_row(peer: &Peer, settings: &str, clients: u32, pairs: &[(f64, f64)]) -> Outcome<()> {
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let ratio = paired_ratio(pairs, LEVEL).map_err(|why| why.to_string())?.interval;
    println!(
        "| {} | `{settings}` | {clients} | {:.0} | {} | {:.0} | {:.3} | {:.3}–{:.3} |",
        peer.server,
        mean(|pair| pair.1),
        peer.program,
        mean(|pair| pair.0),
        ratio.estimate,
        ratio.low,
        ratio.high
    );
    Ok(())
}

/// Lets this thread, and what it starts, run on these CPUs only, if there are such.
fn confine(to: Range<usize>) {
    let mut cpus = CpuSet::new();
    to.for_each(|cpu| cpus.set(cpu));
    let _ = sched_setaffinity(None, &cpus);
}

/// Commits a second of Syncline's clients, without the time to connect.
fn ours(server: &dyn Server, turn: &Turn<'_>) -> Outcome<f64> {
    let ready = Barrier::new(turn.clients as usize);
    let limit = Duration::from_secs(u64::from(turn.seconds));
    let write = |writer: u32| -> Outcome<f64> {
        confine(0..1);
        let mut client = server.connect(turn.home)?;
        ready.wait();
        let begun = Instant::now();
        let mut sequence = 0;
        while begun.elapsed() < limit {
            client.write(&[Row { writer, sequence }.first()])?;
            sequence += 1;
        }
        Ok(sequence as f64 / begun.elapsed().as_secs_f64())
    };
    thread::scope(|scope| {
        let writers = turn.first_writer..turn.first_writer + turn.clients;
        let write = &write;
        let threads: Vec<_> = writers.map(|writer| scope.spawn(move || write(writer))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Outcome<f64>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).sum()
    })
}

/// What a program prints that is confined to the CPU of clients.
fn output(mut program: Command) -> Outcome<String> {
    let output = thread::scope(|scope| {
        let confined = scope.spawn(|| {
            confine(0..1);
            program.output()
        });
        confined.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    Err(format!("{program:?}: {said}{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// A row's text: any letters of its length.
fn text() -> String {
    "t".repeat(TEXT_BYTES)
}

/// The keys of [`Row::key`], counted by each client.
const PGBENCH_SCRIPT: &str = "\
\\set key (:writer + :client_id) * 1099511627776 + :sequence
\\set sequence :sequence + 1
INSERT INTO rows VALUES (:key, :text) ON CONFLICT (key) DO UPDATE SET text = excluded.text;
";

fn pgbench(turn: &Turn<'_>) -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.sql");
    fs::write(&script, PGBENCH_SCRIPT)?;
    let clients = turn.clients.to_string();
    let mut pgbench = Command::new("pgbench");
    pgbench.args(["-n", "-M", "prepared", "-U", "syncline", "-c", &clients, "-j", &clients]);
    pgbench.args(["-T", &turn.seconds.to_string(), "-D", "sequence=0"]);
    pgbench.args(["-D", &format!("writer={}", turn.first_writer), "-D", &format!("text={}", text())]);
    pgbench.arg("-f").arg(&script).arg("-h").arg(turn.home.run()).arg("postgres");
    let said = output(pgbench)?;
    let rate =
        said.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
    rate.ok_or_else(|| format!("pgbench: {said}").into())
}

const SYSBENCH_SCRIPT: &str = r#"
function thread_init()
  driver = sysbench.sql.driver()
  connection = driver:connect()
  insert = connection:prepare("INSERT INTO test.entries VALUES (?, ?)")
  key = insert:bind_create(sysbench.sql.type.BIGINT)
  text = insert:bind_create(sysbench.sql.type.VARCHAR, 100)
  insert:bind_param(key, text)
  text:set(os.getenv("ROW_TEXT"))
  first = (tonumber(os.getenv("FIRST_WRITER")) + sysbench.tid) * 1099511627776
  sequence = 0
end
function event()
  key:set(first + sequence)
  sequence = sequence + 1
  insert:execute()
end
function thread_done()
  insert:close()
  connection:disconnect()
end
"#;

fn sysbench(turn: &Turn<'_>) -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.lua");
    fs::write(&script, SYSBENCH_SCRIPT)?;
    let mut sysbench = Command::new("sysbench");
    sysbench.env("ROW_TEXT", text()).env("FIRST_WRITER", turn.first_writer.to_string());
    sysbench.arg(&script).args(["--db-driver=mysql", "--mysql-user=root", "--mysql-db=test"]);
    sysbench.arg(format!("--mysql-socket={}", turn.home.socket().display()));
    sysbench.arg(format!("--threads={}", turn.clients)).arg(format!("--time={}", turn.seconds)).arg("run");
    let said = output(sysbench)?;
    let figure = |name: &str| -> Option<f64> {
        let line = said.lines().find_map(|line| line.trim().strip_prefix(name))?;
        line.trim().trim_end_matches('s').parse().ok()
    };
    let rate = figure("total number of events:").zip(figure("total time:"));
    rate.map(|(events, time_s)| events / time_s).ok_or_else(|| format!("sysbench: {said}").into())
}
