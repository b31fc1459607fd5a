//! The append workload: entries to the end of a file by a block backend, or into a key-value engine.

use crate::block_team::ONLY_PHASE;
use crate::engine_team::{self, EngineTeam};
use crate::exposure::{Counters, Watch};
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use crate::team::{OVERHEAD_RUNTIME, Ran};
use crate::{cache, entries_file, kill};
use engine::Engine;
use model::DurabilityClass;
use model::Nanos;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use std::time::Instant;
use workload::Evidence;
use workload::append::{
    self, Appender, Exposure, Keyed, Parameters, Published, Raw, SIZE_PARAMETER, entries, metrics,
};

const IN_ENGINE: &str =
    "the engine acknowledges from its own memory and does not report how much of that it has written";

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    match parameters.store() {
        append::Store::File(durability) => measure_file(site, spec, &parameters, durability, line),
        append::Store::Engine { name, level } => measure_engine(site, spec, &parameters, name, level),
    }
}

fn measure_file(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    file: append::FileDurability,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    // The lab decides how long turns go on.
    let runtime = if line.is_some() { Nanos::ZERO } else { parameters.runtime };
    let measured = Parameters { runtime, ..parameters.clone() };
    let team = entries_file::team(site, parameters, vec![entries_file::setup(site, spec, parameters)?]);
    let instrument_overhead_ns = team.overhead(Raw::new(endless(parameters), file));
    let counters = Counters::default();
    let watch = Watch {
        counters: std::slice::from_ref(&counters),
        entry_bytes: u64::from(parameters.entry_bytes()),
        pages: || cache::pages(site),
        hidden: None,
        line,
    };
    let raw = Published::new(Raw::new(measured, file).gathering(spec.seed), counters.progress());
    let (mut ran, mut exposure) = watch.over(|| team.run_in_turns(vec![raw], line), || site.write_out())?;
    if parameters.writes_per_entry > 1 {
        ran.notes.push(
            "every entry is two calls, as on page 003: twice the calls of a log that writes it at once"
                .to_owned(),
        );
    }
    let kill_s = kill(spec, &mut ran.notes, &mut exposure);
    let durability = parameters.class_of_file(file);
    outcome(parameters, ran, instrument_overhead_ns, &exposure, kill_s, durability)
}

fn measure_engine(
    site: &Site,
    spec: &TrialSpec,
    parameters: &Parameters,
    name: &str,
    level: Option<&str>,
) -> Result<SubjectMeasurement, Refusal> {
    // Created before the engine, so that it is removed after the engine is closed, whatever happens.
    let store = Store::fresh(site)?;
    let mut payload = vec![0; parameters.payload_bytes()];
    parameters.fill(spec.seed, &mut payload);
    let instrument_overhead_ns =
        engine_team::overhead(Keyed::new(&endless(parameters), 0, spec.seed), &payload);
    let opened = store.open(name, &store.options(level), SIZE_PARAMETER)?;
    let team = EngineTeam {
        site,
        store: &store,
        engine: &opened.engine,
        payload: &payload,
        first_cpu: site.every_trial().first_cpu(),
        size_parameter: SIZE_PARAMETER,
        turns: None,
    };
    let counters: Vec<Counters> = (0..parameters.threads).map(|_| Counters::default()).collect();
    let watch = Watch {
        counters: &counters,
        entry_bytes: u64::from(parameters.entry_bytes()),
        pages: || {
            if opened.is_persistent {
                cache::pages_below(store.directory())
            } else {
                Measured::unsupported(format!("{name} has no files: all that it holds dies with the process"))
            }
        },
        hidden: (opened.is_persistent && opened.class == DurabilityClass::None).then_some(IN_ENGINE),
        line: None,
    };
    let keyed = (0..).zip(&counters).map(|(thread, counters)| {
        Published::new(Keyed::new(parameters, thread, spec.seed), counters.progress())
    });
    let everything = || {
        opened.engine.sync()?;
        site.write_out()
    };
    let (mut ran, mut exposure) = watch.over(|| team.run(keyed.collect()), everything)?;
    let (class, is_persistent) = (opened.class, opened.is_persistent);
    opened.close()?;
    // The process that is killed creates its own store.
    drop(store);
    let kill_s = if is_persistent { kill(spec, &mut ran.notes, &mut exposure) } else { 0.0 };
    outcome(parameters, ran, instrument_overhead_ns, &exposure, kill_s, class)
}

/// Measures what a kill loses; returns the seconds that it took.
fn kill(spec: &TrialSpec, notes: &mut Vec<String>, exposure: &mut Exposure) -> f64 {
    let started = Instant::now();
    let after_kill = kill::lost(spec);
    exposure.lost_after_kill = after_kill.lost;
    notes.extend(after_kill.note);
    started.elapsed().as_secs_f64()
}

fn outcome<W: Appender>(
    parameters: &Parameters,
    mut ran: Ran<W>,
    instrument_overhead_ns: Measured<f64>,
    exposure: &Exposure,
    kill_s: f64,
    durability: DurabilityClass,
) -> Result<SubjectMeasurement, Refusal> {
    if let Some((turns, _)) = &mut ran.turns {
        // The phase counts entries, and an entry may be several operations.
        turns.operations = ran.team.workload.iter().map(W::acknowledged).sum();
    }
    let evidence = Evidence { mechanism: &ran.mechanism, instrument_overhead_ns };
    let figures = metrics(parameters, &ran.team, &evidence, exposure);
    let phase = ran.phase(ONLY_PHASE, entries(&ran.team), figures);
    let sidecar = ran.sidecar(ONLY_PHASE)?;
    Ok(SubjectMeasurement {
        notes: ran.notes,
        buffers: ran.buffers,
        aftermath_s: kill_s + exposure.drain_s.value().copied().unwrap_or_default(),
        ..SubjectMeasurement::new(vec![phase], durability, sidecar)
    })
}

/// The same entries, for a short time.
fn endless(parameters: &Parameters) -> Parameters {
    Parameters { entries: 0, runtime: OVERHEAD_RUNTIME, ..parameters.clone() }
}
