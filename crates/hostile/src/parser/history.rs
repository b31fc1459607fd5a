//! The records of a run of a history: what a stranger's probe has is a value beside those of sound ones.

use crate::run::in_history;
use model::run::Run;
use model::trial::TrialRecord;
use std::sync::LazyLock;
use verdict::Verdict;

/// Lines of records, as a run has them; what is none is passed over, because reading refuses it.
fn records(bytes: &[u8]) -> Vec<TrialRecord> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn run(records: Vec<TrialRecord>) -> Run {
    let plan = serde_json::from_str(include_str!("../../seeds/run/plan.json")).expect("the seed is sound");
    let host = serde_json::from_str(include_str!("../../seeds/run/host.json")).expect("the seed is sound");
    Run { plan, host, records, remarks: Vec::new() }
}

/// Whatever the records of a run are, the history that it is part of is found, judged and written.
pub(super) fn history(bytes: &[u8]) {
    static SOUND: LazyLock<(Run, Verdict)> = LazyLock::new(|| {
        let run = run(records(include_bytes!("../../seeds/run/trials.jsonl")));
        let verdict = verdict::analyse(&run, &|_| None);
        (run, verdict)
    });
    let run = run(records(bytes));
    let verdict = verdict::analyse(&run, &|_| None);
    in_history(&run, &verdict, &SOUND);
}
