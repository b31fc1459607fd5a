//! Servers whose speed is known: a stage runs at once, with the looks of a real run.

use crate::{Asked, Change, Design, NamedServer};
use crate::{CURRENT, Database, Judged, Load, Look, Proof, Server, Stage, Work};
use crate::{conclude, is_decided, judge, judge_study, next};
use model::Script;
use model::mechanism::Measured;
use model::run::Run;
use model::server::{Circumstances, Pinned, PlanFact, ServerFacts};
use model::study::{ARM_FACTOR, AskKind};
use model::trial::{TrialOutcome, TrialRecord};
use synthetic::{Synthetic, ask, name};
use verdict::{Drawing, Verdict, analyse_for};

/// A setting that the made-up servers refuse.
pub(super) const UNKNOWN: &str = "a_setting_of_tomorrow";
/// Looks of a study under a budget.
const LOOKS: [u32; 4] = [6, 9, 12, 18];

/// The speed of a server under a load, relative to one with the defaults.
pub(super) type Truth = dyn Fn(&Server, Load) -> f64;

pub(crate) fn design(asked: Asked) -> Design {
    Design {
        format_version: model::FORMAT_VERSION,
        program_version: "0.1.0".to_owned(),
        created_at: "2026-11-23T00:00:00Z".to_owned(),
        database: Database::named("postgresql").unwrap(),
        current: Server::default(),
        asked,
        under: Vec::new(),
        unmeasured: Vec::new(),
        left_out: Vec::new(),
        users_server: None,
        server_version: None,
        advised_by: None,
        budget_s: 600.0,
        runtime_s: 2.0,
        fixed: [].into(),
        seed: 1,
    }
}

/// A proof from its first stage to its last.
pub(super) fn proven(design: &Design, scatter: f64, seed: u64, truth: &Truth) -> (Proof, Vec<Stage>) {
    let mut done: Vec<(Stage, Vec<Judged>)> = Vec::new();
    while let Some(stage) = next(design, &done) {
        let before: Vec<Judged> = done.iter().flat_map(|(_, judged)| judged.iter().cloned()).collect();
        let seed = seed.wrapping_mul(31).wrapping_add(done.len() as u64);
        let judged = run_of(&stage, &before, scatter, seed, truth);
        done.push((stage, judged));
        assert!(done.len() < 9, "a proof ends");
    }
    let proof = conclude(design, &done, true);
    (proof, done.into_iter().map(|(stage, _)| stage).collect())
}

/// What one stage shows.
fn run_of(stage: &Stage, before: &[Judged], scatter: f64, seed: u64, truth: &Truth) -> Vec<Judged> {
    let mut studies = Vec::new();
    let mut known = before.to_vec();
    let mut whole: Option<Run> = None;
    for (place, study) in stage.studies.iter().enumerate() {
        let (run, verdict) = LOOKS
            .iter()
            .map(|rounds| {
                let noise = Noise { scatter, seed: seed ^ (place as u64 + 1) << 40 };
                let run = synthetic_run(&study.name, &study.arms, &study.loads, *rounds, noise, truth);
                let verdict = analyse_for(&run, &|_| None, Drawing::Nothing);
                (run, verdict)
            })
            .find(|(run, verdict)| {
                let rounds = run.records.iter().map(|record| record.key.round + 1).max();
                rounds == Some(18) || is_decided(stage, run, &verdict.studies[0], &known) == Look::Decided
            })
            .unwrap();
        known.extend(judge_study(stage, &run, &verdict.studies[0]));
        studies.extend(verdict.studies);
        match &mut whole {
            Some(whole) => {
                whole.plan.studies.extend(run.plan.studies);
                whole.records.extend(run.records);
            }
            None => whole = Some(run),
        }
    }
    let time = verdict::TimeShare::default();
    judge(stage, &whole.unwrap(), &Verdict { studies, time, remarks: Vec::new() })
}

#[derive(Clone, Copy)]
struct Noise {
    /// Standard deviation of a trial's log rate; a round's log ratio has √2 times that.
    scatter: f64,
    seed: u64,
}

/// A study of these servers with this number of rounds.
fn synthetic_run(
    study: &str,
    arms: &[NamedServer],
    loads: &[Load],
    rounds: u32,
    noise: Noise,
    truth: &Truth,
) -> Run {
    let names: Vec<_> = arms.iter().map(|named| name(&named.name)).collect();
    let metrics: Vec<&str> = loads.iter().map(|load| load.work.metric()).collect();
    let of_arm = |named: &NamedServer| {
        let speed = |load: &Load| (load.work.metric(), truth(&named.server, *load));
        loads.iter().map(speed).collect::<Vec<_>>()
    };
    let speeds: Vec<_> = arms.iter().map(of_arm).collect();
    let facts: Vec<ServerFacts> = arms.iter().map(|named| facts(&named.server, loads[0])).collect();
    let is_refused: Vec<bool> =
        arms.iter().map(|named| named.server.settings.contains_key(UNKNOWN)).collect();
    let speed = move |record: &mut TrialRecord| {
        let key = &record.key;
        let place = (u64::from(key.round) << 16) + (key.configuration as u64) * 2 + u64::from(key.duplicate);
        let luck = (noise.scatter * normal(noise.seed ^ (place << 4))).exp();
        let measurement = record.measurement.as_mut().unwrap();
        for (metric, speed) in &speeds[key.configuration] {
            let rate = Measured::Value(1000.0 * speed * luck);
            measurement.phases[0].metrics.insert((*metric).to_owned(), rate);
        }
        measurement.server = Some(facts[key.configuration].clone());
        if is_refused[key.configuration] {
            (record.outcome, record.measurement) = (
                TrialOutcome::Failed("settings: this PostgreSQL has no setting of that name".to_owned()),
                None,
            );
        }
    };
    let study_of = Synthetic::commit()
        .vary("mode", vec![name("buffered")])
        .vary("group_size", vec![model::Value::Count(1)])
        .vary(ARM_FACTOR, names)
        .asks(vec![ask(AskKind::Compare, ARM_FACTOR, &metrics)])
        .rounds(rounds)
        .looks(&LOOKS)
        .scatter(0.0)
        .edit(speed);
    let mut run = study_of.run();
    for plan in &mut run.plan.studies {
        plan.name = study.to_owned();
        plan.rounds = 18;
        plan.baseline.0.insert(ARM_FACTOR.to_owned(), name(&arms[0].name));
    }
    for record in &mut run.records {
        record.key.study = study.to_owned();
    }
    run
}

/// What a made-up server reports: every setting as requested, but for one that needs checkpoints, and a plan that
/// follows the cost of random pages.
fn facts(server: &Server, load: Load) -> ServerFacts {
    let (not_applied, settings) = server
        .settings
        .clone()
        .into_iter()
        .partition(|(name, _)| name == "max_wal_size" && !load.has_checkpoints);
    let hash = |query: &str| match query {
        "index" => server.settings.get("random_page_cost").cloned().unwrap_or_default(),
        _ => "the same".to_owned(),
    };
    let plan = |query: &str| PlanFact { query: query.to_owned(), nodes: Vec::new(), hash: hash(query) };
    let plans = if load.work == Work::Transactions(Script::Queries) {
        vec![plan("index"), plan("scan")]
    } else {
        Vec::new()
    };
    let circumstances = Circumstances {
        shared_buffers: "64MB".to_owned(),
        buffers: std::collections::BTreeMap::new(),
        dropped: Vec::new(),
        drops_after_turns: false,
        pinned: Pinned::Nothing,
        cpus: Some(2),
    };
    let version = "18.0".to_owned();
    ServerFacts { version, settings, not_applied, plans, circumstances: Some(circumstances) }
}

/// A standard normal figure (Box and Muller 1958) from SplitMix64 (Steele, Lea and Flood 2014).
fn normal(seed: u64) -> f64 {
    let mut state = seed.wrapping_mul(0x5851_f42d_4c95_7f2d);
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

/// Changes by their names and values.
pub(super) fn changes(pairs: &[(&str, &str)]) -> Vec<Change> {
    pairs.iter().map(|(name, value)| Change::new(name, value)).collect()
}

/// Whether a server has a setting.
pub(super) fn has(server: &Server, setting: &str, value: &str) -> bool {
    server.settings.get(setting).is_some_and(|found| found == value)
}

/// The arm that runs what runs now stands first in every study that is compared with it.
pub(super) fn begins_with_current(stage: &Stage) -> bool {
    stage.studies.iter().all(|study| study.arms[0].name == CURRENT)
}
