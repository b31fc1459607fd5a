//! What `scripts/test-mpi` starts by `mpirun`: ranks meet by MPI, and one of them fails in some way.
//!
//! usage: mpirun -n 4 meet [whole | late RANK | stopped RANK | killed RANK]

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use peers::mpi::Mpi;
use peers::{Lost, Peers, Wait};
use std::env;
use std::process::{self, Command, ExitCode};
use std::thread;
use std::time::Duration;

const WAIT: Wait = Wait { most: Duration::from_mins(1), slack: Duration::from_secs(10) };
/// A rank stops this long after it has announced what rank 0 takes after twice this time.
const STOPPED_AFTER: Duration = Duration::from_secs(1);
/// More than a message that is sent at once, so that MPI asks the receiver first.
const RECORD_BYTES: usize = 3 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let fault = arguments.first().map_or("whole", String::as_str);
    let afflicted = arguments.get(1).and_then(|rank| rank.parse().ok());
    let mut peers = Peers::new(Mpi::start(|lost| eprintln!("ended: {lost}"), WAIT.slack).unwrap());
    match all(&mut peers, fault, afflicted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(lost) => {
            if peers.is_root() {
                eprintln!("lost: {lost}");
            }
            peers.into_transport().abort()
        }
    }
}

fn all(peers: &mut Peers<Mpi>, fault: &str, afflicted: Option<u32>) -> Result<(), Lost> {
    let (rank, size) = (peers.rank(), peers.size());
    assert_eq!(peers.broadcast(vec![7 + rank as u8], WAIT)?, [7]);
    if let Some(offsets) = peers.compare_clocks(WAIT)? {
        for offset in offsets {
            // All ranks are on one machine here, with one clock.
            assert!(offset.offset_s.abs() <= offset.uncertainty_s, "{offset:?}");
            println!("clock of rank {}: within {:.1} us", offset.rank, offset.uncertainty_s * 1e6);
        }
    }
    for _ in 0..1_000 {
        peers.barrier(WAIT)?;
    }
    if afflicted == Some(rank) {
        match fault {
            // The delay is the fault.
            "late" => thread::sleep(WAIT.most),
            "stopped" => stop_soon(),
            "killed" => process::abort(),
            _ => {}
        }
    }
    // The order is the fault: the root takes the message after its sender has stopped, and MPI tells nobody of a stop.
    if fault == "stopped" && peers.is_root() {
        thread::sleep(STOPPED_AFTER * 2);
    }
    let records = peers.gather(vec![rank as u8; RECORD_BYTES], WAIT)?;
    for (rank, record) in (0..size).zip(records.unwrap_or_default()) {
        assert!(record.len() == RECORD_BYTES && record.iter().all(|byte| *byte == rank as u8));
    }
    peers.barrier(WAIT)?;
    if peers.is_root() {
        println!("whole: {size} ranks");
    }
    Ok(())
}

/// Stops this process in the middle of what it sends.
fn stop_soon() {
    thread::spawn(|| {
        // By then the message is announced, which MPI does not tell either.
        thread::sleep(STOPPED_AFTER);
        let own = process::id().to_string();
        Command::new("kill").args(["-STOP", &own]).status().unwrap();
    });
}
