//! Writers that insert rows, each one after the other, and note when each was acknowledged.

use server::{Client, Row, Server, ServerError};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What one writer has written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) writer: u32,
    /// When each of its rows was acknowledged, by its sequence. The row after the last was requested too.
    pub(crate) acknowledged: Vec<Instant>,
    /// When and why it was refused, if it was.
    pub(crate) refused: Option<(Instant, ServerError)>,
}

/// Writers at work.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    /// Rows that were acknowledged first: one for each writer.
    begun: Receiver<()>,
    writers: Vec<JoinHandle<Written>>,
}

impl Load {
    /// Starts a writer on each connection; the first of them has this number.
    pub(crate) fn start(clients: Vec<Box<dyn Client>>, first: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (begins, begun) = mpsc::channel();
        let write = |(writer, client): (usize, Box<dyn Client>)| {
            let (stop, begins) = (Arc::clone(&stop), begins.clone());
            thread::spawn(move || write(first + writer as u32, client, &stop, &begins))
        };
        let writers = clients.into_iter().enumerate().map(write).collect();
        Self { stop, begun, writers }
    }

    /// Waits until a row was acknowledged, or every writer has ended; says whether one was.
    pub(crate) fn await_first(&self, limit: Duration) -> bool {
        self.begun.recv_timeout(limit).is_ok()
    }

    /// Ends the writers and waits for them: those that are refused end by themselves.
    pub(crate) fn stop(self) -> Vec<Written> {
        self.stop.store(true, Ordering::Relaxed);
        let end = |writer: JoinHandle<Written>| writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.writers.into_iter().map(end).collect()
    }
}

/// Connections for a number of writers.
pub(crate) fn connect(
    server: &dyn Server,
    home: &server::Home,
    writers: u32,
) -> Result<Vec<Box<dyn Client>>, ServerError> {
    (0..writers).map(|_| server.connect(home)).collect()
}

fn write(writer: u32, mut client: Box<dyn Client>, stop: &AtomicBool, begins: &Sender<()>) -> Written {
    let mut written = Written { writer, acknowledged: Vec::with_capacity(1 << 16), refused: None };
    while !stop.load(Ordering::Relaxed) {
        let row = Row { writer, sequence: written.acknowledged.len() as u64 };
        match client.insert(row) {
            Ok(()) => {
                written.acknowledged.push(Instant::now());
                if row.sequence == 0 {
                    // Nobody waits for it any more.
                    let _ = begins.send(());
                }
            }
            Err(why) => {
                written.refused = Some((Instant::now(), why));
                break;
            }
        }
    }
    written
}
