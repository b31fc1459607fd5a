//! Clients of a database server: each warms up, and then all of them work until their time is over.

use crate::line::TurnChannel;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::team::{OVERHEAD_RUNTIME, Ran, Team};
use crate::turns::DrivenServer;
use disk::kernel::block_device::BlockDevice;
use disk::kernel::scheduling::{SchedulingError, keep_on_one_cpu};
use driver::{Clock, Driver, Inline, MonotonicClock, Next, Perform, Recorder, Workload};
use model::mechanism::{Measured, PageCache};
use model::{Completion, Nanos, Operation};
use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the clients of one trial have in common.
pub(crate) struct Clients<'a, P> {
    pub(crate) site: &'a Site,
    /// The device below the server's files.
    pub(crate) device: &'a Measured<BlockDevice>,
    /// The pages of the server's files.
    pub(crate) pages: P,
    /// The server, if it is one of Syncline's own: what another one leaves is unknown.
    pub(crate) server: Option<&'a dyn DrivenServer>,
    /// The phase that takes turns, and the line by which the lab orders them.
    pub(crate) turns: Option<(&'a TurnChannel, &'a str)>,
}

impl<P: Fn() -> Measured<PageCache> + Sync> Clients<'_, P> {
    /// Lets one client work for each workload. `settle` puts a client and what serves it where they are to run, on the
    /// client's own thread.
    pub(crate) fn drive<W, C>(
        self,
        workloads: Vec<W>,
        clients: Vec<C>,
        settle: impl Fn(&C, usize) -> Result<(), SchedulingError> + Sync,
    ) -> Result<Ran<W>, Refusal>
    where
        W: Workload<Op: Operation> + Send,
        C: Perform<Op = W::Op> + Send,
    {
        let clock = MonotonicClock::start();
        let team = Team {
            site: self.site,
            device: self.device,
            first_cpu: self.site.every_trial().first_cpu(),
            clock,
            pages: self.pages,
            server: self.server,
            turns: self.turns,
        };
        // Each is taken by the thread that drives it.
        let clients: Vec<Mutex<Option<C>>> =
            clients.into_iter().map(|client| Mutex::new(Some(client))).collect();
        let backend = |member: usize| {
            let client = clients[member].lock().unwrap_or_else(PoisonError::into_inner).take();
            let client = client.ok_or_else(|| io::Error::other("a client works once"))?;
            settle(&client, member).map_err(io::Error::other)?;
            Ok((Inline::new(client, clock, 1)?, Vec::new()))
        };
        team.run(workloads, backend).map_err(|error| Refusal::Failed(error.to_string()))
    }
}

/// Keeps a client on a CPU, and the process or thread that serves it on the next one, as if the client came from
/// elsewhere. Where they run decides how long they take to wake each other, and the scheduler keeps what it once chose
/// for a whole trial: three equal PostgreSQL servers of a round differed by 3.5 % (standard deviation) with one client
/// of `insert` anywhere, by 4.3 % with the client kept and by 2.0 % with both. Workers that read for a backend run
/// anywhere, so where pages come from the device this would decide what is compared.
pub(crate) fn settle_on_cpus(backend: Option<u32>, client: usize) -> Result<(), SchedulingError> {
    keep_on_one_cpu(None, client)?;
    backend.map_or(Ok(()), |backend| keep_on_one_cpu(Some(backend), client + 1))
}

/// Lets a client work for at least this time, and until all are warm.
pub(crate) fn warm_up<W: Workload<Op: Operation>>(
    client: &mut impl Perform<Op = W::Op>,
    mut workload: W,
    at_least: Nanos,
    is_warm: &AtomicBool,
) -> Result<(), Refusal> {
    let mut recorder = Recorder::new(workload.families());
    let clock = MonotonicClock::start();
    let mut due = Vec::with_capacity(1);
    loop {
        due.clear();
        let now = clock.now();
        if now >= at_least && is_warm.load(Ordering::Relaxed) {
            return Ok(());
        }
        match workload.poll(now, &mut due) {
            Next::Done => return Ok(()),
            Next::Wait | Next::At(_) => {}
        }
        for operation in &due {
            let result = client.perform(operation)?;
            workload.complete(&Completion { id: operation.id(), result, stamps: None }, &mut recorder);
        }
    }
}

/// The overhead in nanoseconds per operation of workload, driver and histograms, without a server. The workload ends
/// after the time that it is given.
pub(crate) fn overhead<W: Workload<Op: Operation>>(workload: impl FnOnce(Nanos) -> W) -> Measured<f64> {
    struct Nothing<O>(PhantomData<O>);

    impl<O: Operation> Perform for Nothing<O> {
        type Op = O;

        fn perform(&mut self, _: &O) -> io::Result<i32> {
            Ok(0)
        }

        fn system_calls(&self) -> u64 {
            0
        }
    }

    let clock = MonotonicClock::start();
    let driven = || -> Result<f64, Box<dyn std::error::Error>> {
        let backend = Inline::new(Nothing(PhantomData), clock, 1)?;
        Ok(Driver::new(workload(OVERHEAD_RUNTIME), backend, clock).run()?.ns_per_operation())
    };
    driven().into()
}
