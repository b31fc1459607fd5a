//! Writers that insert rows, each one after the other, and note when each was acknowledged.

use server::{Client, Row, Server, ServerError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

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
    writers: Vec<JoinHandle<Written>>,
}

impl Load {
    /// Starts a writer on each connection; the first of them has this number.
    pub(crate) fn start(clients: Vec<Box<dyn Client>>, first: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let write = |(writer, client): (usize, Box<dyn Client>)| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || write(first + writer as u32, client, &stop))
        };
        let writers = clients.into_iter().enumerate().map(write).collect();
        Self { stop, writers }
    }

    /// Ends the writers and waits for them: those that are refused end by themselves.
    pub(crate) fn stop(self) -> Vec<Written> {
        self.stop.store(true, Ordering::Relaxed);
        self.writers.into_iter().filter_map(|writer| writer.join().ok()).collect()
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

fn write(writer: u32, mut client: Box<dyn Client>, stop: &AtomicBool) -> Written {
    let mut written = Written { writer, acknowledged: Vec::with_capacity(1 << 16), refused: None };
    while !stop.load(Ordering::Relaxed) {
        let row = Row { writer, sequence: written.acknowledged.len() as u64 };
        match client.insert(row) {
            Ok(()) => written.acknowledged.push(Instant::now()),
            Err(why) => {
                written.refused = Some((Instant::now(), why));
                break;
            }
        }
    }
    written
}
