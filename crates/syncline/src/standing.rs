//! Whether a study's answer is found: what the lab's rule asks of the verdict.

use lab::interim::InterimAnswer;
use model::host::HostFacts;
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use model::trial::TrialRecord;
use verdict::{Answer, Finding, ReadSidecar, StudyVerdict};

/// What the verdict on one study says, given the run of that study alone and the records of all studies.
pub(crate) type OfStudy<'a> = dyn Fn(&Run, &StudyVerdict, &SoFar<'_>) -> InterimAnswer + 'a;

/// The records of a run so far.
pub(crate) struct SoFar<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) host: &'a HostFacts,
    pub(crate) records: &'a [TrialRecord],
    pub(crate) sidecar: &'a ReadSidecar<'a>,
}

impl SoFar<'_> {
    /// The run of one study alone.
    fn run(&self, study: &StudyPlan) -> Run {
        let of_study = self.records.iter().filter(|record| record.key.study == study.name);
        Run {
            plan: Plan { studies: vec![study.clone()], skipped: Vec::new(), ..self.plan.clone() },
            host: self.host.clone(),
            records: of_study.cloned().collect(),
            remarks: Vec::new(),
        }
    }

    /// How many trials a study has.
    pub(crate) fn trials(&self, study: &str) -> usize {
        self.records.iter().filter(|record| record.key.study == study).count()
    }

    /// A study's run alone with its verdict.
    pub(crate) fn seen(&self, study: &str) -> Option<(Run, StudyVerdict)> {
        let study = self.plan.studies.iter().find(|plan| plan.name == study)?;
        let run = self.run(study);
        // Histograms draw curves; no finding rests on them.
        let verdict = verdict::analyse(&run, &|_| None).studies.into_iter().next()?;
        Some((run, verdict))
    }
}

/// The standing of one study of a plan from the records so far: what `of_study` makes of its verdict.
pub(crate) fn standing(so_far: &SoFar<'_>, study: usize, of_study: &OfStudy<'_>) -> InterimAnswer {
    let Some(study) = so_far.plan.studies.get(study) else { return InterimAnswer::Decided };
    let run = so_far.run(study);
    // What turns carried over is in every figure so far: the answer comes from rounds of trials one after another.
    let rounds = study.rounds_begun(run.records.iter().map(|record| record.key.round));
    let rounds = rounds.saturating_add(study.warmup_rounds);
    if verdict::leaves_turns(&run, study, rounds, so_far.sidecar) {
        return InterimAnswer::Undecided { rounds_needed: Some(study.rounds_first()), is_control: false };
    }
    let seen = so_far.seen(&study.name);
    seen.map_or(InterimAnswer::Decided, |(run, verdict)| of_study(&run, &verdict, so_far))
}

/// An answer begins with the first ask's first metric: it is found when nothing of that is undecided. What cannot be
/// assessed, more rounds do not change.
pub(crate) fn by_first_ask(_: &Run, study: &StudyVerdict, _: &SoFar<'_>) -> InterimAnswer {
    let Some(first) = study.findings.first() else { return InterimAnswer::Decided };
    let is_headline = |finding: &&Finding| finding.is_of_topic(first);
    let undecided: Vec<&Finding> = study
        .findings
        .iter()
        .filter(is_headline)
        .filter(|finding| finding.answer() == Answer::Undecided)
        .collect();
    if undecided.is_empty() {
        return InterimAnswer::Decided;
    }
    // One level that stays open does not keep the others from being decided.
    let needed = undecided.iter().filter_map(|finding| finding.rounds_needed()).max();
    let rounds_needed = needed.map(|rounds| u32::try_from(rounds).unwrap_or(u32::MAX));
    InterimAnswer::Undecided { rounds_needed, is_control: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::interim::{by_looks, look_repeatedly};
    use model::plan::Factor;
    use model::study::{Ask, AskKind};
    use model::{Configuration, FORMAT_VERSION, Value};
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::time::Duration;

    const METRIC: &str = "commits_per_s";
    /// The looks alone are simulated in `stats`, twenty thousand times; here is what rule and verdict make of them. The
    /// seed is fixed, so that this passes always or never.
    const RUNS: u64 = 100;

    fn study() -> StudyPlan {
        let level = |name: &str| Value::Name(name.to_owned());
        let levels = vec![level("buffered"), level("direct")];
        let of = |level: &Value| Configuration(BTreeMap::from([("mode".to_owned(), level.clone())]));
        let ask = Ask::new(AskKind::Compare, "mode", [METRIC]);
        let mut study = StudyPlan {
            name: "commit".to_owned(),
            workload: "commit".to_owned(),
            profile: "answer".to_owned(),
            configurations: levels.iter().map(of).collect(),
            baseline: of(&levels[0]),
            factors: vec![Factor { name: "mode".to_owned(), levels }],
            asks: vec![ask],
            rounds: 6,
            ..StudyPlan::default()
        };
        look_repeatedly(&mut study);
        study
    }

    fn plan() -> Plan {
        Plan { seed: 1, studies: vec![study()], ..Plan::default() }
    }

    fn host() -> HostFacts {
        HostFacts {
            name: String::new(),
            distribution: String::new(),
            kernel: String::new(),
            kernel_command_line: String::new(),
            processor: String::new(),
            cpus: 2,
            memory_bytes: 1 << 30,
            virtualisation: String::new(),
            governor: model::mechanism::Measured::unsupported("none"),
            clock_source: String::new(),
            dirty_settings: Vec::new(),
            memory_settings: Vec::new(),
            root: false,
            databases: None,
        }
    }

    /// A standard normal figure (Box and Muller 1958) from SplitMix64 (Steele, Lea and Flood 2014).
    fn normal(state: &mut u64) -> f64 {
        let mut uniform = || {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let radius = (-2.0 * uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform()).cos()
    }

    fn measurement(rate: f64) -> serde_json::Value {
        let none = json!({ "unsupported": "made up" });
        json!({
            "phases": [{
                "name": "measure",
                "duration_s": 1.0,
                "operations": 1000,
                "metrics": { METRIC: rate },
                "mechanism": {
                    "device": none, "process": model::mechanism::ProcessCounters::default(), "process_io": none,
                    "run_queue_delay_s": none, "pressure": none, "steal_s": none, "page_cache": none,
                    "cpu_frequency_mhz": none, "device_temperature_celsius": none,
                },
            }],
            "durability": "power",
            "files": [],
            "placement": {
                "filesystem": "ext4", "mount_options": "", "device": none, "model": none, "device_bytes": none,
                "write_cache": none, "fua": none, "scheduler": none, "rotational": none,
                "direct_offset_alignment_bytes": none, "direct_memory_alignment_bytes": none,
            },
            "quiesce_s": 0.0,
            "cache_s": 0.0,
            "notes": [],
        })
    }

    /// A whole run by the real rule and the real verdict: where `direct` truly is `ratio` times `buffered`, the answer
    /// and the rounds that it took. `stops_after` ends it by time wherever that is.
    fn run(seed: u64, ratio: f64, spread: f64, stops_after: Option<u64>) -> (Answer, u32) {
        let (plan, host) = (plan(), host());
        let judge = |plan: &Plan, records: &[TrialRecord], study: usize| {
            let so_far = SoFar { plan, host: &host, records, sidecar: &|_| None };
            standing(&so_far, study, &by_first_ask)
        };
        let template = serde_json::to_string(&measurement(1.0)).unwrap();
        let mut records: Vec<TrialRecord> = Vec::new();
        let mut state = seed.wrapping_mul(0x5851_f42d_4c95_7f2d);
        loop {
            let left = stops_after
                .map(|rounds| Duration::from_secs((3 * rounds).saturating_sub(records.len() as u64)));
            let Some(due) = by_looks(&plan, &records, left, &judge) else { break };
            let truth = if due.key.configuration == 1 { ratio } else { 1.0 };
            let mut measured: model::trial::Measurement = serde_json::from_str(&template).unwrap();
            let rate = 1000.0 * truth * (spread * normal(&mut state)).exp();
            measured.phases[0].metrics.insert(METRIC.to_owned(), model::mechanism::Measured::Value(rate));
            records.push(TrialRecord {
                format_version: FORMAT_VERSION,
                position: due.position,
                warmup: false,
                session: 1,
                values: plan.studies[0].configurations[due.key.configuration].clone(),
                key: due.key,
                seed: 0,
                ensemble: Vec::new(),
                started_at: String::new(),
                wall_s: 1.0,
                prepare_s: 0.0,
                canary: None,
                pauses: None,
                outcome: model::trial::TrialOutcome::Ok,
                measurement: Some(measured),
            });
        }
        let rounds = plan.studies[0].rounds_begun(records.iter().map(|record| record.key.round));
        let run = Run { plan, host, records, remarks: Vec::new() };
        let verdict = verdict::analyse(&run, &|_| None);
        (verdict.studies[0].findings[0].answer(), rounds)
    }

    fn share(of: impl Fn(u64) -> bool) -> f64 {
        (0..RUNS).filter(|seed| of(*seed)).count() as f64 / RUNS as f64
    }

    #[test]
    fn no_difference_is_claimed_where_there_is_none_in_95_of_100_runs() {
        // The spread is wide, so that most runs go on to their last look: the worst case.
        let rate = share(|seed| run(seed, 1.0, 0.15, None).0 == Answer::Different);
        println!("false differences: {:.2} %", 100.0 * rate);
        assert!(rate <= 0.05, "{rate}");
    }

    #[test]
    fn a_budget_that_ends_between_looks_does_not_change_that() {
        let rate = share(|seed| run(seed, 1.0, 0.15, Some(6 + seed % 13)).0 == Answer::Different);
        println!("false differences: {:.2} %", 100.0 * rate);
        assert!(rate <= 0.05, "{rate}");
    }

    #[test]
    fn no_equality_is_claimed_where_the_difference_is_just_too_large() {
        let rate = share(|seed| run(seed, stats::EQUIVALENCE_MARGIN, 0.03, None).0 == Answer::Equivalent);
        println!("false equalities: {:.2} %", 100.0 * rate);
        assert!(rate <= 0.05, "{rate}");
    }

    #[test]
    fn what_is_plain_ends_at_the_first_look_and_what_is_not_goes_on() {
        assert_eq!(run(1, 1.5, 0.01, None), (Answer::Different, 6));
        assert_eq!(run(1, 1.0, 0.002, None).1, 6);
        let (_, rounds) = run(1, 1.02, 0.15, None);
        assert_eq!(rounds, 18);
    }
}
