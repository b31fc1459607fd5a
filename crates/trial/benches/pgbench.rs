//! Whether Syncline's client measures what pgbench measures: both drive the same server, one after the other and again,
//! with the same scripts, prepared statements and numbers of connections. A ratio within 5 % is agreement. Clients have
//! the first CPU and the server has the others. Where the scheduler is free to put both on one, pgbench alone made
//! 41,000 transactions a second, and 11,000 otherwise: waking another CPU of a virtual machine takes longer than the
//! transaction. On a machine with one CPU nothing is confined.
//!
//! It needs pgbench, whose client of PostgreSQL 15 drives a server of 18 as well: `scripts/install-test-tools` installs
//! it. Arguments change the number of repetitions and the seconds of each: `cargo bench … --bench pgbench -- 10 4`.

use disk::tree::Blocks;
use driver::{Inline, MonotonicClock, Perform, run_team};
use model::{Configuration, Nanos, Transaction};
use postgresql::{Client, Contents, Installation, Loaded, Login, Server};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::error::Error;
use std::fs::{self, Permissions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use workload::transactions::{self, Parameters};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Large enough that the clients rarely wait for each other's branch.
const SCALE: u32 = 10;
const REPETITIONS: u32 = 6;
const SECONDS: u32 = 2;

/// A connection as a backend.
struct Connected(Client);

impl Perform for Connected {
    type Op = Transaction;

    fn perform(&mut self, transaction: &Transaction) -> io::Result<i32> {
        self.0.run(transaction).map(|()| 0).map_err(io::Error::other)
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

fn main() -> Outcome<()> {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u32>().ok());
    let (repetitions, seconds) = (numbers.next().unwrap_or(REPETITIONS), numbers.next().unwrap_or(SECONDS));
    let Ok(version) = Command::new("pgbench").arg("--version").output() else {
        println!("skipped: there is no pgbench here (scripts/install-test-tools installs it)");
        return Ok(());
    };
    print!("{}", String::from_utf8_lossy(&version.stdout));
    // A server of root's runs as another user, who has to get there.
    let directory = tempfile::tempdir()?;
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755))?;
    let installation = Installation::cached_or_downloaded(|what| println!("{what}"))?;
    let contents = Contents { scale: SCALE, has_hash_index: false, wal_segment_mib: 16 };
    let loaded = Loaded::prepare(directory.path(), &installation, contents)?;
    loaded.copy_to(directory.path(), Blocks::Shared)?;
    let options = [("shared_buffers", "512MB"), ("checkpoint_timeout", "1d"), ("max_wal_size", "64GB")];
    let options = options.map(|(name, value)| (name, value.to_owned()));
    // The server's processes inherit it.
    confine(1..CpuSet::MAX_CPU);
    let server = loaded.start(directory.path(), &options, Vec::new())?;
    println!("| script | clients | Syncline, transactions/s | pgbench | ratio | smallest and largest |");
    println!("|---|---|---|---|---|---|");
    for script in ["select_only", "tpcb_like"] {
        for clients in [1, 8] {
            // Warm, and every page written to the log whole.
            ours(&server, script, clients, seconds)?;
            let mut pairs = Vec::new();
            for repetition in 0..repetitions {
                pairs.push(if repetition % 2 == 0 {
                    let ours = ours(&server, script, clients, seconds)?;
                    (ours, theirs(&server, script, clients, seconds)?)
                } else {
                    let theirs = theirs(&server, script, clients, seconds)?;
                    (ours(&server, script, clients, seconds)?, theirs)
                });
            }
            print_row(script, clients, &pairs);
        }
    }
    Ok(())
}

fn print_row(script: &str, clients: u32, pairs: &[(f64, f64)]) {
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let logs: Vec<f64> = pairs.iter().map(|(ours, theirs)| (ours / theirs).ln()).collect();
    let ratio = (logs.iter().sum::<f64>() / count).exp();
    let least = logs.iter().copied().fold(f64::INFINITY, f64::min).exp();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).exp();
    println!(
        "| {script} | {clients} | {:.0} | {:.0} | {ratio:.3} | {least:.3}–{most:.3} |",
        mean(|pair| pair.0),
        mean(|pair| pair.1)
    );
}

/// Lets this thread, and what it starts, run on these CPUs only, if there are such.
fn confine(to: Range<usize>) {
    let mut cpus = CpuSet::new();
    to.for_each(|cpu| cpus.set(cpu));
    let _ = sched_setaffinity(None, &cpus);
}

/// Transactions a second of Syncline's clients, without the time to connect.
fn ours(server: &Server, script: &str, clients: u32, seconds: u32) -> Outcome<f64> {
    let runtime = Nanos::from_millis(u64::from(seconds) * 1000);
    let p = parameters(script, clients)?;
    let workloads = (0..clients).map(|client| transactions::Client::new(&p, runtime, client, 1)).collect();
    let clock = MonotonicClock::start();
    let begin = |_: usize, _: &transactions::Client| {
        confine(0..1);
        let client = Client::connect(&Login::Own(server), &[], p.script, true).map_err(io::Error::other)?;
        Ok((Inline::new(Connected(client), clock, 1)?, ()))
    };
    let (team, _) = run_team(workloads, &clock, begin, |()| (), None)?;
    Ok(team.operations as f64 / team.elapsed().seconds())
}

fn parameters(script: &str, clients: u32) -> Outcome<Parameters> {
    let schema = &transactions::SCHEMA;
    let mut values: Configuration = schema.defaults();
    let levels =
        [("script", script.to_owned()), ("clients", clients.to_string()), ("scale", SCALE.to_string())];
    for (name, level) in levels {
        values.0.insert(name.to_owned(), schema.parameter(name)?.parse(&level)?);
    }
    Ok(Parameters::read(&values)?)
}

/// The same of pgbench's.
fn theirs(server: &Server, script: &str, clients: u32, seconds: u32) -> Outcome<f64> {
    let clients = clients.to_string();
    let mut pgbench = Command::new("pgbench");
    pgbench
        .args(["-n", "-M", "prepared", "-b", &script.replace('_', "-"), "-U", "syncline"])
        .args(["-c", &clients, "-j", &clients, "-T", &seconds.to_string(), "-h"])
        .arg(server.data())
        .arg("postgres");
    // It inherits what its thread may run on.
    let output = thread::scope(|scope| {
        let confined = scope.spawn(|| {
            confine(0..1);
            pgbench.output()
        });
        confined.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let said = String::from_utf8_lossy(&output.stdout);
    let rate =
        said.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
    rate.ok_or_else(|| format!("pgbench: {said}{}", String::from_utf8_lossy(&output.stderr)).into())
}
