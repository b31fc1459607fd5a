//! The kv workload on an engine: load, drain, then reads, a mix, scans, or reads beside writers of the same store.

use crate::cache;
use crate::engine_team::{self, EngineTeam};
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::{Opened, Store};
use crate::team::OVERHEAD_RUNTIME;
use crate::turns::TurnsOfPhase;
use disk::counters::{Collected, Snapshot};
use engine::{Engine, EngineError, Options};
use model::mechanism::{Measured, Mechanism};
use model::sidecar::Sidecar;
use model::trial::{self, TrialSpec};
use model::{DurabilityClass, Nanos};
use std::collections::BTreeMap;
use std::time::Instant;
use workload::kv::{self, KvPhase, Parameters, Phase, Run, SIZE_PARAMETER, defect, metrics};

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    // Created before the engine, so that it is removed after the engine is closed, whatever happens.
    let store = Store::fresh(site)?;
    let mut payload = vec![0; parameters.payload_bytes()];
    parameters.fill(spec.seed, &mut payload);
    let alone = KvPhase::new(&endless(&parameters), Phase::ReadMiss, 0, spec.seed);
    let instrument_overhead_ns = engine_team::overhead(alone, &payload);
    let opened = store.open(parameters.engine, &options(&store, &parameters), SIZE_PARAMETER)?;
    let measuring =
        Measuring { site, spec, parameters: &parameters, store: &store, opened: &opened, payload: &payload };
    let (load, loaded) = measuring.load()?;
    let mut runs = vec![load];
    let (mut turns, mut notes) = (TurnsOfPhases::new(), Vec::new());
    for phase in parameters.phases.after_load() {
        let line = line.filter(|_| takes_turns(*phase, opened.class));
        let (run, taken) = measuring.run(*phase, line, &mut notes)?;
        runs.push(run);
        turns.extend(taken.map(|taken| (phase.name(), taken)));
        if phase.changes_entries() && spec.seat.is_some() {
            measuring.drain()?;
        }
    }
    if let Some(why) = defect(&runs) {
        return Err(Refusal::Failed(format!("{}: {why}", parameters.engine)));
    }
    let class = opened.class;
    opened.close().map_err(|error| refuse(&store, "close", &error))?;
    let figures = metrics(
        &parameters,
        &kv::KvMeasurement {
            runs: &runs,
            load_and_drain: &loaded.mechanism,
            drain_s: loaded.drain_s.clone(),
            write_stall_s: loaded.write_stall_s.clone(),
            disk_bytes: loaded.disk_bytes.clone(),
            instrument_overhead_ns,
        },
    );
    let mut sidecar = Sidecar::default();
    for run in &runs {
        sidecar.absorb(run.team.recorder.sidecar().map_err(Refusal::failed)?);
    }
    sidecar.slices = turns.iter().map(|(name, (_, slices))| ((*name).to_owned(), slices.clone())).collect();
    let phases = phases(&runs, &loaded, &turns, figures);
    Ok(SubjectMeasurement { notes, ..SubjectMeasurement::new(phases, class, sidecar) })
}

/// The turns of the phases that took some, by the phases' names.
type TurnsOfPhases = BTreeMap<&'static str, TurnsOfPhase>;

/// Whether an arm takes turns in this phase: what a put leaves in memory would be written in the next arm's turn.
fn takes_turns(phase: Phase, class: DurabilityClass) -> bool {
    phase != Phase::Load && (!phase.changes_entries() || class == DurabilityClass::Power)
}

/// The refusal for an engine's failure between phases.
fn refuse(store: &Store, phase: &str, error: &EngineError) -> Refusal {
    store.refuse(error, format!("phase {phase}: {error}"), SIZE_PARAMETER)
}

fn options(store: &Store, parameters: &Parameters) -> Options {
    Options {
        io: parameters.io,
        cache_bytes: parameters.cache_bytes(),
        write_buffer_bytes: parameters.write_buffer_bytes(),
        reads_in_flight: parameters.iodepth as usize,
        settings: parameters.settings.clone(),
        ..store.options(parameters.durability())
    }
}

/// What all phases share.
struct Measuring<'a> {
    site: &'a Site,
    spec: &'a TrialSpec,
    parameters: &'a Parameters,
    store: &'a Store,
    opened: &'a Opened,
    payload: &'a [u8],
}

/// What was measured until the store was loaded and had drained.
struct Loaded {
    mechanism: Mechanism,
    duration_s: f64,
    drain_s: Measured<f64>,
    write_stall_s: Measured<f64>,
    disk_bytes: Measured<u64>,
}

impl Measuring<'_> {
    /// Drives one phase; by turns, if there is a line to the lab that orders them.
    fn run(
        &self,
        phase: Phase,
        line: Option<&TurnChannel>,
        notes: &mut Vec<String>,
    ) -> Result<(Run, Option<TurnsOfPhase>), Refusal> {
        let team = EngineTeam {
            site: self.site,
            store: self.store,
            engine: &self.opened.engine,
            payload: self.payload,
            first_cpu: self.site.every_trial().first_cpu(),
            size_parameter: SIZE_PARAMETER,
            turns: line.map(|line| (line, phase.name())),
        };
        // The lab decides how long turns go on.
        let phase_runtime = if line.is_some() { Nanos::ZERO } else { self.parameters.phase_runtime };
        let parameters = Parameters { phase_runtime, ..self.parameters.clone() };
        let threads = 0..self.parameters.threads_of(phase);
        let threads = threads.map(|thread| KvPhase::new(&parameters, phase, thread, self.spec.seed));
        let in_phase = |refusal| match refusal {
            Refusal::Failed(why) => Refusal::Failed(format!("phase {}: {why}", phase.name())),
            unsupported @ Refusal::Unsupported(_) => unsupported,
        };
        let ran = team.run(threads.collect()).map_err(in_phase)?;
        notes.extend(ran.notes);
        let runtime = if line.is_some() { ran.team.worked } else { phase_runtime };
        let mut unserved: BTreeMap<&str, u64> = BTreeMap::new();
        for thread in &ran.team.workload {
            *unserved.entry(thread.rate_parameter()).or_default() += thread.unserved(runtime);
        }
        for (rate, arrivals) in unserved.into_iter().filter(|(_, arrivals)| *arrivals > 0) {
            notes.push(format!(
                "phase {}: the engine could not keep up with {rate}: {arrivals} arrivals were due and had not been \
                 started when the runtime was over",
                phase.name()
            ));
        }
        Ok((Run { phase, team: ran.team, mechanism: ran.mechanism }, ran.turns))
    }

    /// Waits for compaction, and until everything the store has written is on the device. Returns the seconds that the
    /// engine took.
    fn drain(&self) -> Result<Measured<f64>, Refusal> {
        let in_drain = |error| refuse(self.store, "drain", &error);
        let drain_s = self.opened.engine.drain().map_err(in_drain)?;
        // Data that an engine may still hold in the process belongs to it too.
        self.opened.engine.sync().map_err(in_drain)?;
        self.site.write_out()?;
        Ok(drain_s)
    }

    /// Loads, waits for compaction, and then for the page cache: the cost of the load is complete when all of it is on
    /// the device.
    fn load(&self) -> Result<(Run, Loaded), Refusal> {
        let began = Instant::now();
        let before = Snapshot::take(self.site.device());
        let (load, _) = self.run(Phase::Load, None, &mut Vec::new())?;
        let drain_s = self.drain()?;
        let after = Snapshot::take(self.site.device());
        let collected = Collected {
            run_queue_delay_s: load.mechanism.run_queue_delay_s.clone(),
            page_cache: cache::pages_below(self.store.directory()),
            longest_gap_s: load.mechanism.continuity.longest_gap_s.clone(),
        };
        let stats = self.opened.engine.stats();
        let loaded = Loaded {
            mechanism: before.delta(&after, collected, self.site.device()),
            duration_s: began.elapsed().as_secs_f64(),
            drain_s,
            write_stall_s: stats.write_stall_s,
            disk_bytes: stats.disk_bytes,
        };
        Ok((load, loaded))
    }
}

/// A record's phases. Load and drain are one phase, because data that entered the page cache in one reaches the device
/// in the other. Each metric is stored with its phase.
fn phases(
    runs: &[Run],
    loaded: &Loaded,
    turns: &TurnsOfPhases,
    mut figures: BTreeMap<String, Measured<f64>>,
) -> Vec<trial::Phase> {
    let mut phases = Vec::new();
    for run in runs.iter().rev() {
        let about = run.phase.rates().iter().map(|rate| rate.trim_end_matches("operations_per_s"));
        let metrics = if run.phase == Phase::Load {
            std::mem::take(&mut figures)
        } else {
            figures.extract_if(.., |name, _| about.clone().any(|about| name.starts_with(about))).collect()
        };
        let is_load = run.phase == Phase::Load;
        let phase = trial::Phase::new(
            run.phase.name().to_owned(),
            if is_load { loaded.duration_s } else { run.team.elapsed().seconds() },
            run.team.operations,
            metrics,
            if is_load { loaded.mechanism.clone() } else { run.mechanism.clone() },
        );
        let turns = turns.get(run.phase.name()).map(|(turns, _)| turns.clone());
        phases.push(trial::Phase { turns, ..phase });
    }
    phases.reverse();
    phases
}

/// Reads for a short time, as fast as possible.
fn endless(parameters: &Parameters) -> Parameters {
    Parameters { reads: 0, phase_runtime: OVERHEAD_RUNTIME, rate_ops: None, ..parameters.clone() }
}
