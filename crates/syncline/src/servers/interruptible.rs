//! Work that waits for somebody else: a download, a server that does not answer. A signal ends it.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Time between two looks for a signal.
const POLL: Duration = Duration::from_millis(50);

/// Does what may wait for somebody else's answer, at most until a signal comes: the program then ends, and the work
/// with it.
pub(super) fn unless_interrupted<T: Send + 'static>(
    interrupted: &AtomicBool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let (tell, answer) = mpsc::channel();
    let worker = thread::spawn(move || {
        // Nobody listens any more after a signal.
        let _ = tell.send(work());
    });
    loop {
        match answer.recv_timeout(POLL) {
            Ok(done) => {
                // A count of this process's threads must not include this one.
                let _ = worker.join();
                return Ok(done);
            }
            Err(mpsc::RecvTimeoutError::Timeout) if !interrupted.load(Ordering::Relaxed) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(Failure::Interrupted("nothing was measured; start again".to_owned()));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Failure::Runtime("a thread of Syncline ended without an answer".to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signal during PostgreSQL's download was only noticed at its end, minutes later.
    #[test]
    fn what_waits_for_an_answer_ends_at_a_signal() {
        let interrupted = AtomicBool::new(true);
        let (answer, never) = mpsc::channel::<()>();
        let ended = unless_interrupted(&interrupted, move || never.recv());
        assert!(matches!(ended, Err(Failure::Interrupted(_))), "{ended:?}");
        drop(answer);
        assert_eq!(unless_interrupted(&AtomicBool::new(false), || 7).unwrap(), 7);
    }
}
