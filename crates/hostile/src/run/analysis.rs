//! What the commands do with a run directory that they only read, without their processes: `report`, `export`,
//! `advise`, `compare`, `fleet`, `history` and `audit`.

use fleet::{Digest, Fleet, remeasure};
use lab::run_directory::RunFiles;
use model::run::Run;
use report::Repeat;
use std::path::Path;
use verdict::Verdict;
use verdict::compare::{Gate, Side, comparable, compare, measured_by_both};
use verdict::history::{History, Probe, Unused};

const WIDTH: usize = 100;
/// Sound runs beside the one that was spoiled.
const RUNS_OF_HISTORY: usize = 12;

/// Analyses the run in a directory and renders everything, also against the sound run. Panics if anything in it does,
/// and if what cannot be read is not a sentence with a place. Returns whether it could be read.
pub fn analyse(directory: &Path, sound: &(Run, Verdict)) -> bool {
    let opened = RunFiles::open(directory).and_then(|files| files.run().map(|run| (files, run)));
    let (files, run) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains(&directory.display().to_string()), "it does not say where: {said}");
            return false;
        }
    };
    let verdict = verdict::analyse(&run, &|key| files.sidecar(key));
    render(&run, &verdict);
    against(sound, &run, &verdict);
    in_fleet(&files, &run, &sound.0);
    in_history(&run, &verdict, sound);
    assert!(!report::run_audits(&verdict, WIDTH, true).is_empty());
    true
}

fn render(run: &Run, verdict: &Verdict) {
    let repeat = Repeat::default();
    let advice = advice::advise(run, verdict);
    assert!(!report::terminal(run, verdict, &advice, WIDTH, true).is_empty());
    assert!(report::html(run, verdict, &advice, &repeat).starts_with("<!DOCTYPE html>"));
    assert!(!report::markdown(run, verdict, &advice, &repeat).is_empty());
    assert!(!report::csv_long(run).is_empty());
    assert!(serde_json::to_string(verdict).is_ok() && serde_json::to_string(&advice).is_ok());
    let _ = (report::csv_page_000(run, verdict), report::advice(run, &advice, WIDTH, true));
    let _: Vec<Option<String>> =
        advice.iter().map(|advice| advice::fragment(run, advice, advice::ComputedValues::Active)).collect();
    for configuration in run.plan.studies.iter().flat_map(|study| &study.configurations) {
        let _ = fio::export::job_file("job", configuration);
    }
}

fn against((sound, of_sound): &(Run, Verdict), run: &Run, verdict: &Verdict) {
    let measured = measured_by_both(of_sound, verdict);
    let gates: Vec<Gate> = measured
        .iter()
        .filter_map(|name| Gate::parse(&format!("{name}>+10%"), &measured, "both runs").ok())
        .collect();
    let gated: Vec<String> = gates.iter().map(|gate| gate.metric.clone()).collect();
    let sides = [side("sound", sound, of_sound), side("other", run, verdict)];
    for (a, b) in [(sides[0], sides[1]), (sides[1], sides[0]), (sides[1], sides[1])] {
        let Ok(pairs) = comparable(a.run, b.run, &[]) else { continue };
        let comparison = compare(a, b, pairs, &gated);
        let rulings: Vec<_> = gates.iter().map(|gate| gate.judge(&comparison)).collect();
        assert!(!report::comparison(&comparison, &rulings, WIDTH, true).is_empty());
        assert!(!report::comparison_html(&comparison, &rulings).is_empty());
    }
}

fn side<'a>(name: &'a str, run: &'a Run, verdict: &'a Verdict) -> Side<'a> {
    Side { name, run, verdict, begun: std::slice::from_ref(&run.plan.created_at) }
}

/// The run as one of a fleet of sound ones, so that what it answers is judged.
fn in_fleet(files: &RunFiles, run: &Run, sound: &Run) {
    let mut fleet = Fleet::default();
    for host in 0..fleet::DISKS_MIN {
        if let Ok(mut digest) = Digest::of(format!("sound-{host}"), sound, &|_| None) {
            digest.disk.host = format!("node{host}");
            fleet.add(digest);
        }
    }
    match Digest::of("other".to_owned(), run, &|key| files.sidecar(key)) {
        Ok(digest) => fleet.add(digest),
        Err(unread) => fleet.add_unread(*unread),
    }
    let statement = fleet.state(&mut |_, _| Vec::new());
    assert!(remeasure(&statement, 1).disks.len() <= statement.disks.len());
    assert!(!report::fleet(&statement, WIDTH, true).is_empty());
    assert!(report::fleet_html(&statement).starts_with("<!DOCTYPE html>"));
    assert!(serde_json::to_string(&statement).is_ok());
}

/// The run as one of a history of sound ones, first and last.
pub(crate) fn in_history(run: &Run, verdict: &Verdict, (sound, of_sound): &(Run, Verdict)) {
    let (mut probes, mut unused) = (Vec::new(), Vec::new());
    let mut add = |name: String, run: &Run, verdict: &Verdict| match Probe::of(name.clone(), run, verdict) {
        Ok(probe) => probes.push(probe),
        Err(why) => unused.push(Unused { run: name, why }),
    };
    add("other".to_owned(), run, verdict);
    for day in 1..=RUNS_OF_HISTORY {
        let mut again = sound.clone();
        again.plan.created_at = format!("2036-01-{day:02}T00:00:00Z");
        add(format!("sound-{day}"), &again, of_sound);
    }
    let mut last = run.clone();
    "2037-01-01T00:00:00Z".clone_into(&mut last.plan.created_at);
    add("other again".to_owned(), &last, verdict);
    let history = History::new(probes, unused);
    let metrics = history.metrics();
    let limits =
        metrics.iter().filter_map(|name| Gate::parse(&format!("{name}>+10%"), &metrics, "these runs").ok());
    let rulings: Vec<_> = limits.map(|gate| history.judge(&gate)).collect();
    let document = report::history(&history, &rulings);
    assert!(report::page(&document).starts_with("<!DOCTYPE html>"));
    assert!(!report::csv_history(&history).is_empty());
    assert!(serde_json::to_string(&history).is_ok());
}
