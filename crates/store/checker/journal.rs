//! What a life says it has done, kept outside the process that is killed: messages through a pipe.

use std::io::{self, Read, Write};

/// A message of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// The thread begins a sync.
    SyncBegins,
    /// An operation has returned.
    Returned,
}

/// Writes a message to standard output, at once.
pub(crate) fn send(thread: u8, message: Message) -> io::Result<()> {
    let kind = match message {
        Message::SyncBegins => b'b',
        Message::Returned => b'r',
    };
    let mut pipe = io::stdout().lock();
    pipe.write_all(&[thread, kind])?;
    pipe.flush()
}

/// What is known about a life.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    threads: Vec<Thread>,
    /// Operations of all threads that returned.
    pub(crate) returned: u64,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    returned: u64,
    /// How many of them a sync of any thread covers.
    synced: u64,
    /// What each thread had done when this one began a sync.
    sync: Option<Vec<u64>>,
}

impl Journal {
    pub(crate) fn new(threads: u8) -> Self {
        Self { threads: vec![Thread::default(); threads.into()], returned: 0 }
    }

    /// Takes the next message; `None` if there will be no more.
    pub(crate) fn receive(&mut self, mut pipe: impl Read) -> io::Result<Option<()>> {
        let mut message = [0; 2];
        match pipe.read_exact(&mut message) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            outcome => outcome?,
        }
        let [thread, kind] = message;
        let now = || self.threads.iter().map(|thread| thread.returned).collect();
        match kind {
            b'b' => self.threads[usize::from(thread)].sync = Some(now()),
            b'r' => {
                self.returned += 1;
                self.threads[usize::from(thread)].returned += 1;
                let covered = self.threads[usize::from(thread)].sync.take().unwrap_or_default();
                for (thread, covered) in self.threads.iter_mut().zip(covered) {
                    thread.synced = thread.synced.max(covered);
                }
            }
            other => return Err(io::Error::other(format!("unexpected message {other} from a life"))),
        }
        Ok(Some(()))
    }

    /// Operations of a thread that returned, and of those the ones that a sync covers.
    pub(crate) fn of(&self, thread: u8) -> (u64, u64) {
        self.threads.get(usize::from(thread)).map_or((0, 0), |thread| (thread.returned, thread.synced))
    }
}
