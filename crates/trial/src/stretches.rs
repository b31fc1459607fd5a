//! Stretches of a trial that runs alone and ends when its server has come to the end of its work.

use crate::turns::DrivenServer;
use driver::{Slice, SliceLength, Turns};
use model::Nanos;
use std::io;
use std::sync::{Mutex, PoisonError};

/// One stretch after another, with nothing between two but the question whether that was the last.
pub(crate) struct Stretches<'a> {
    server: &'a dyn DrivenServer,
    length: Nanos,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    measured: Nanos,
    is_at_end: bool,
}

impl<'a> Stretches<'a> {
    /// Those of a server; `None` if time alone ends its work.
    pub(crate) fn of(server: &'a dyn DrivenServer) -> Option<Self> {
        Some(Self { server, length: server.stretch()?, state: Mutex::default() })
    }
}

impl Turns for Stretches<'_> {
    fn next(&self) -> io::Result<Option<SliceLength>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((!state.is_at_end).then_some(SliceLength { slice: self.length, settle: Nanos::ZERO }))
    }

    fn taken(&self, slice: Slice) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.measured = state.measured + slice.window;
        state.is_at_end = slice.is_over || self.server.is_at_end(state.measured)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::mechanism::Measured;

    const SECOND: Nanos = Nanos::from_millis(1000);

    /// A server whose work ends after some time of it.
    struct Ending {
        after: Nanos,
        stretch: Option<Nanos>,
    }

    impl DrivenServer for Ending {
        fn write_out(&self) -> io::Result<()> {
            Ok(())
        }

        fn moved_bytes(&self) -> Measured<u64> {
            Measured::Value(0)
        }

        fn is_at_end(&self, measured: Nanos) -> io::Result<bool> {
            Ok(measured >= self.after)
        }

        fn stretch(&self) -> Option<Nanos> {
            self.stretch
        }
    }

    /// The stretches that a trial takes, if each lasts a second and the workload ends with the given one.
    fn taken(server: &Ending, over_after: usize) -> usize {
        let stretches = Stretches::of(server).unwrap();
        let mut taken = 0;
        while let Some(length) = stretches.next().unwrap() {
            assert_eq!(length, SliceLength { slice: SECOND, settle: Nanos::ZERO }, "nothing settles");
            taken += 1;
            stretches
                .taken(Slice { window: SECOND, is_over: taken == over_after, ..Slice::default() })
                .unwrap();
        }
        taken
    }

    #[test]
    fn they_end_with_the_work_of_the_server_or_with_the_workload() {
        let server =
            |seconds: u64| Ending { after: Nanos::from_millis(seconds * 1000), stretch: Some(SECOND) };
        assert_eq!(taken(&server(3), usize::MAX), 3);
        assert_eq!(taken(&server(3), 2), 2);
        assert_eq!(taken(&server(0), usize::MAX), 1, "it is asked after a stretch");
    }

    #[test]
    fn a_server_whose_work_time_alone_ends_has_none() {
        assert!(Stretches::of(&Ending { after: SECOND, stretch: None }).is_none());
    }
}
