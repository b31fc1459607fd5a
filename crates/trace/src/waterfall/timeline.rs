//! What each thread did at each time: it ran, waited for a CPU, or waited for something.

use super::request::{RequestId, Requests};
use crate::event::{Call, Device, Event, EventKind, Name};
use crate::kernel_threads::KernelThreads;
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// The state of a thread from a time on, until its next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from_ns: u64,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Running,
    /// It could run and has no CPU.
    Runnable,
    /// It waits; what ended that, if it was seen.
    Blocked(Option<Wake>),
}

/// A thread that waited may go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake {
    pub(super) time_ns: u64,
    /// The thread that did it, or that was interrupted by what did it.
    pub(super) by: u32,
    pub(super) in_interrupt: bool,
    /// The request that the CPU completed last, in the same interrupt or by the same thread.
    pub(super) request: Option<RequestId>,
}

/// A system call of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSpan {
    pub call: Call,
    pub from_ns: u64,
    pub to_ns: u64,
}

/// A trace by thread and by request.
#[derive(Debug, Default)]
pub(super) struct Timelines {
    threads: BTreeMap<u32, Thread>,
    pub(super) requests: Requests,
    /// By CPU, when it went to which thread.
    cpus: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Threads that commit transactions of a journal.
    pub(super) journal: BTreeSet<u32>,
    kernel_threads: KernelThreads,
    /// Whether there are system calls in the trace.
    pub(super) has_calls: bool,
}

#[derive(Debug, Default)]
struct Thread {
    spans: Vec<Span>,
    calls: Vec<CallSpan>,
    begun: Option<(Call, u64)>,
    /// A wake that came while the thread ran: it was about to wait.
    early: bool,
    name: Option<Name>,
}

/// What a CPU did last that may wake a thread, until it goes to another one.
#[derive(Debug, Default)]
struct Last {
    /// The request that it completed, and whether in an interrupt.
    requests: BTreeMap<u32, (RequestId, bool)>,
    /// The thread that sent a packet. The soft interrupt that delivers a packet of the loopback device follows on the
    /// sender's CPU, before the sender goes on (`do_softirq` at the end of `__dev_queue_xmit`).
    senders: BTreeMap<u32, u32>,
}

impl Timelines {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut timelines = Self { kernel_threads: trace.kernel_threads.clone(), ..Self::default() };
        let mut last = Last::default();
        for event in &trace.events {
            timelines.add(event, &trace.disks, &mut last);
        }
        timelines
    }

    fn add(&mut self, event: &Event, disks: &BTreeMap<Device, Device>, last: &mut Last) {
        let Event { time_ns, cpu, thread, in_interrupt, kind } = *event;
        self.thread(thread).is_seen(time_ns);
        match kind {
            EventKind::CallBegins(call) => {
                self.has_calls = true;
                self.thread(thread).begun = Some((call, time_ns));
            }
            EventKind::CallEnds(call) => self.thread(thread).end_call(call, time_ns),
            EventKind::Queued(mut blocks) => {
                blocks.device = disks.get(&blocks.device).copied().unwrap_or(blocks.device);
                self.requests.queue(blocks, time_ns, thread);
            }
            EventKind::Issued(blocks) => self.requests.issue(blocks, time_ns),
            EventKind::Completed(blocks) => {
                if let Some(id) = self.requests.complete(blocks, time_ns, thread) {
                    last.requests.insert(cpu, (id, in_interrupt));
                }
            }
            EventKind::Switched { blocked, next, next_name } => {
                self.cpus.entry(cpu).or_default().push((time_ns, next));
                self.thread(thread).leave(time_ns, blocked);
                self.thread(next).run(time_ns);
                self.thread(next).name = Some(next_name);
                last.requests.remove(&cpu);
                last.senders.remove(&cpu);
            }
            EventKind::Woken(woken) => {
                let request =
                    last.requests.get(&cpu).filter(|(_, how)| *how == in_interrupt).map(|(id, _)| *id);
                let is_delivery = request.is_none() && last.senders.get(&cpu) == Some(&thread);
                let in_interrupt = in_interrupt && !is_delivery;
                self.thread(woken).wake(Wake { time_ns, by: thread, in_interrupt, request });
            }
            // What a soft interrupt sends is an acknowledgement.
            EventKind::PacketSent => {
                if !in_interrupt {
                    last.senders.insert(cpu, thread);
                }
            }
            EventKind::CommitBegins | EventKind::CommitEnds => {
                self.journal.insert(thread);
            }
        }
    }

    fn thread(&mut self, thread: u32) -> &mut Thread {
        self.threads.entry(thread).or_default()
    }

    /// The states of a thread in a stretch of time, in order. Each lasts until the next one, or until the end.
    pub(super) fn spans(&self, thread: u32, from_ns: u64, to_ns: u64) -> &[Span] {
        let Some(thread) = self.threads.get(&thread) else { return &[] };
        let begin = thread.spans.partition_point(|span| span.from_ns <= from_ns).saturating_sub(1);
        let end = thread.spans.partition_point(|span| span.from_ns < to_ns);
        &thread.spans[begin..end.max(begin)]
    }

    /// The threads that had the CPU which a thread then got, from a time on, each with its nanoseconds. None if the
    /// switch to the thread was not seen.
    pub(super) fn ran_instead(&self, thread: u32, from_ns: u64, got_ns: u64) -> Vec<(u32, u64)> {
        const IDLE: u32 = 0;
        if from_ns >= got_ns {
            return Vec::new();
        }
        let place = |switches: &[(u64, u32)]| switches.partition_point(|(time_ns, _)| *time_ns < got_ns);
        let gets_it = |switches: &&Vec<(u64, u32)>| switches.get(place(switches)) == Some(&(got_ns, thread));
        let Some(switches) = self.cpus.values().find(gets_it) else { return Vec::new() };
        let begin = switches.partition_point(|(time_ns, _)| *time_ns <= from_ns).saturating_sub(1);
        let pairs = switches[begin..=place(switches)].windows(2);
        let turns = pairs.map(|pair| (pair[0].1, pair[1].0.saturating_sub(pair[0].0.max(from_ns))));
        turns.filter(|(thread, ran_ns)| *thread != IDLE && *ran_ns > 0).collect()
    }

    /// Whether a thread is the kernel's, as far as can be seen.
    pub(super) fn is_kernels(&self, thread: u32) -> bool {
        self.kernel_threads.has(thread, self.threads.get(&thread).and_then(|thread| thread.name))
    }

    /// Whether a thread of the kernel runs soft interrupts on a busy CPU.
    pub(super) fn runs_interrupts(&self, thread: u32) -> bool {
        self.kernel_threads.interrupts.contains(&thread)
    }

    /// The system calls of a thread, in order.
    pub(super) fn calls(&self, thread: u32) -> &[CallSpan] {
        self.threads.get(&thread).map_or(&[], |thread| &thread.calls)
    }
}

impl Thread {
    fn enter(&mut self, from_ns: u64, state: State) {
        self.spans.push(Span { from_ns, state });
    }

    /// A CPU has it, whether or not the switch to it was seen: a kernel may hide the events of some threads, and the
    /// switch is an event of the thread before.
    fn is_seen(&mut self, time_ns: u64) {
        if !matches!(self.spans.last().map(|span| span.state), Some(State::Running)) {
            self.enter(time_ns, State::Running);
        }
    }

    fn run(&mut self, time_ns: u64) {
        let early = std::mem::take(&mut self.early);
        if let Some(Span { state: state @ State::Blocked(None), .. }) = self.spans.last_mut()
            && early
        {
            // It was woken between its decision to wait and the switch.
            *state = State::Runnable;
        }
        self.enter(time_ns, State::Running);
    }

    fn leave(&mut self, time_ns: u64, blocked: bool) {
        self.enter(time_ns, if blocked { State::Blocked(None) } else { State::Runnable });
    }

    fn wake(&mut self, wake: Wake) {
        match self.spans.last_mut().map(|span| &mut span.state) {
            Some(State::Blocked(ended @ None)) => {
                *ended = Some(wake);
                self.early = false;
                self.enter(wake.time_ns, State::Runnable);
            }
            Some(State::Running) => self.early = true,
            Some(State::Runnable | State::Blocked(Some(_))) => {}
            // Whatever it waited for began before the trace.
            None => {
                self.spans.push(Span { from_ns: 0, state: State::Blocked(Some(wake)) });
                self.enter(wake.time_ns, State::Runnable);
            }
        }
    }

    fn end_call(&mut self, call: Call, to_ns: u64) {
        if let Some((begun, from_ns)) = self.begun.take()
            && begun == call
        {
            self.calls.push(CallSpan { call, from_ns, to_ns });
        }
    }
}
