//! A client's connection as a backend: one request after another, on the driver's own thread.
//!
//! A request makes one call by a table of functions, and an insert makes a text of 100 bytes: tens of nanoseconds,
//! beside the tens of microseconds that any of these servers takes to answer.

use driver::Perform;
use model::Request;
use server::Client;
use std::io;

/// A connection.
pub(super) struct Connected {
    client: Box<dyn Client>,
    /// The thread of the server that serves it, if one does so alone.
    thread: Option<u32>,
}

impl Connected {
    pub(super) fn new(client: Box<dyn Client>, thread: Option<u32>) -> Self {
        Self { client, thread }
    }

    pub(super) fn thread(&self) -> Option<u32> {
        self.thread
    }
}

impl Perform for Connected {
    type Op = Request;

    #[inline]
    fn perform(&mut self, request: &Request) -> io::Result<i32> {
        self.client.request(request.action).map_err(io::Error::other)?;
        Ok(0)
    }

    /// The server makes its system calls in its own processes, which Syncline does not count.
    fn system_calls(&self) -> u64 {
        0
    }
}
