//! What a run directory holds, and a worker's requests and replies.

use model::host::HostFacts;
use model::plan::Plan;
use model::rank::Rank;
use model::run::Run;
use model::shared::SharedTrial;
use model::sidecar::Sidecar;
use model::spikes::SpikesOfRecording;
use model::traced::{TracedKey, TracedTrial};
use model::trial::{TrialKey, TrialRecord, WorkerReply, WorkerRequest};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is read is written so that it is read as the same again.
fn is_read_back<T>(bytes: &[u8]) -> Option<T>
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let read: T = serde_json::from_slice(bytes).ok()?;
    let written: Value = serde_json::to_value(&read).expect("what was JSON becomes JSON again");
    let again: T = serde_json::from_value(written.clone()).expect("what is written is read");
    assert_eq!(serde_json::to_value(&again).ok(), Some(written));
    Some(read)
}

pub(super) fn plan(bytes: &[u8]) {
    let Some(plan) = is_read_back::<Plan>(bytes) else { return };
    for study in &plan.studies {
        let trials = (
            study.rounds_total(),
            study.trials_per_round(),
            study.rounds_first(),
            study.rounds_begun([u32::MAX].into_iter()),
        );
        assert!(trials.0 >= study.rounds || trials.0 == u32::MAX);
        let _ = (0..4).map(|index| study.label(index)).collect::<Vec<_>>();
    }
}

pub(super) fn host(bytes: &[u8]) {
    is_read_back::<HostFacts>(bytes);
}

pub(super) fn record(bytes: &[u8]) {
    let Some(record) = is_read_back::<TrialRecord>(bytes) else { return };
    let _ = (record.figure("commits_per_s"), record.key.sidecar_name());
}

/// Whatever ranks measured together, their scaling is printed.
pub(super) fn shared(bytes: &[u8]) {
    let Some(trial) = is_read_back::<SharedTrial>(bytes) else { return };
    let plan = include_str!("../../seeds/run/plan.json");
    let mut plan: Plan = serde_json::from_str(plan).expect("the seed is sound");
    plan.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(4)) });
    let host = serde_json::from_str(include_str!("../../seeds/run/host.json")).expect("the seed is sound");
    let (study, rounds) = (plan.studies[0].name.clone(), plan.studies[0].rounds_total());
    let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
    let at = |(round, configuration)| {
        let key = TrialKey { study: study.clone(), round, configuration, duplicate: false, block: 0 };
        (key.clone(), SharedTrial { key, ..trial.clone() })
    };
    let places = (0..rounds).flat_map(|round| [(round, 0), (round, 1)]);
    let scaling = fleet::scaling::of_run(&run, &places.map(at).collect());
    let _ = report::scaling(&scaling, 100, false);
}

/// Whatever a traced trial shows, it is printed.
pub(super) fn traced(bytes: &[u8]) {
    let Some(trial) = is_read_back::<TracedTrial>(bytes) else { return };
    let plan = include_str!("../../seeds/run/plan.json");
    let plan: Plan = serde_json::from_str(plan).expect("the seed is sound");
    let host = serde_json::from_str(include_str!("../../seeds/run/host.json")).expect("the seed is sound");
    let study = plan.studies[0].name.clone();
    let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
    let mut verdict = verdict::analyse(&run, &|_| None);
    let at = |repetition| {
        let key = TracedKey { study: study.clone(), configuration: 0, repetition };
        (key.clone(), TracedTrial { key, ..trial.clone() })
    };
    let found = verdict::explanation::explain(&run, &mut verdict, &[at(0), at(1)].into());
    let _ = report::explanation(&found, 100, false);
}

/// Whatever a recording has, each of its spikes is counted once.
pub(super) fn spikes(bytes: &[u8]) {
    let Some(spikes) = is_read_back::<SpikesOfRecording>(bytes) else { return };
    let counted = spikes.by_cause().values().fold(0, |sum: u64, count| sum.saturating_add(*count));
    assert_eq!(counted, spikes.seen.max(spikes.slowest.len() as u64));
}

pub(super) fn message(bytes: &[u8]) {
    is_read_back::<WorkerRequest>(bytes);
    is_read_back::<WorkerReply>(bytes);
}

pub(super) fn sidecar(bytes: &[u8]) {
    let Some(sidecar) = is_read_back::<Sidecar>(bytes) else { return };
    for family in sidecar.histograms.keys() {
        let _ = sidecar.counts(family);
    }
}

/// The bytes below base64.
pub(super) fn histogram(bytes: &[u8]) {
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let sidecar = Sidecar { histograms: BTreeMap::from([("h".to_owned(), text)]), ..Sidecar::default() };
    let Ok(Some(counts)) = sidecar.counts("h") else { return };
    assert!(counts.windows(2).all(|pair| pair[0].0 < pair[1].0), "latencies ascend");
    assert!(counts.iter().all(|(_, count)| *count > 0), "what is counted is there");
}
