//! Worker processes: answers, deaths, deadlines. The workers here are shell scripts.

use lab::worker::{Asked, Ended, WorkerCommand};
use model::trial::{PauseCause, TrialSpec, WorkerReply, WorkerRequest};
use model::{Configuration, FORMAT_VERSION};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn ask(script: &str, deadline: Duration, interrupted: bool, cpu: Option<usize>) -> Ended {
    asked(script, deadline, &AtomicBool::new(interrupted), cpu).ended
}

fn asked(script: &str, deadline: Duration, interrupted: &AtomicBool, cpu: Option<usize>) -> Asked {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let spec = TrialSpec {
        format_version: FORMAT_VERSION,
        workload: "toy".to_owned(),
        configuration: Configuration::default(),
        seed: 0,
        work_directory: "/nowhere".into(),
        placement_round: None,
        image_bytes: 0,
        memory_group: None,
        io_group: None,
        parent_process: std::process::id(),
        quiesce_max_s: None,
        server: None,
        other_work_directory: None,
        seat: None,
        takes_turns: false,
        is_traced: false,
        has_whole_turns: false,
        rank: 0,
    };
    WorkerCommand { command, cpu }.ask(&WorkerRequest::Prepare(spec), deadline, interrupted)
}

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_mins(5);

#[test]
fn an_answer_is_read() {
    let ended = ask(r#"cat >/dev/null; echo '{"prepared":{"seconds":1.5}}'"#, LONG, false, None);
    let Ended::Replied(reply) = ended else { panic!("{ended:?}") };
    assert_eq!(*reply, WorkerReply::Prepared { seconds: 1.5, canary: None });
}

#[test]
fn a_death_tells_its_last_words() {
    for (script, how, words) in [
        (
            "echo one >&2; echo 'disk is on fire' >&2; exit 4",
            "the worker ended with code 4 and no answer",
            "disk is on fire",
        ),
        // What else is known about a signal depends on the machine.
        ("kill -9 $$", "the worker was ended by signal 9 (SIGKILL", "it said nothing"),
        ("exit 0", "the worker ended with code 0 and no answer", "it said nothing"),
    ] {
        let ended = ask(script, LONG, false, None);
        let Ended::Died(why) = ended else { panic!("{ended:?}") };
        assert!(why.starts_with(how) && why.ends_with(&format!(": {words}")), "{why}");
    }
    let Ended::Died(why) = ask("echo nonsense", LONG, false, None) else { panic!("it replied") };
    assert!(why.starts_with("unexpected message from the worker: "), "{why}");
}

#[test]
fn a_hang_is_killed_at_the_deadline() {
    let started = Instant::now();
    let ended = ask("exec sleep 600", Duration::from_millis(100), false, None);
    assert!(matches!(ended, Ended::Killed), "{ended:?}");
    assert!(started.elapsed() < LONG);
}

#[test]
fn an_interrupt_ends_it_at_once() {
    let ended = ask("exec sleep 600", LONG, true, None);
    assert!(matches!(ended, Ended::Interrupted), "{ended:?}");
}

#[test]
fn a_cpu_that_does_not_exist_is_said() {
    for cpu in [1000, 1 << 20] {
        let Ended::Died(why) = ask("true", LONG, false, Some(cpu)) else { panic!("it ran") };
        assert!(why.contains("cannot be used"), "{why}");
    }
}

#[test]
fn a_worker_is_pinned_from_birth() {
    let ended = ask("grep Cpus_allowed_list /proc/self/status >&2; exit 1", LONG, false, Some(0));
    let Ended::Died(why) = ended else { panic!("{ended:?}") };
    assert!(why.ends_with("Cpus_allowed_list:\t0"), "{why}");
}

/// SIGSTOP of a worker for 60 s in a trial of 200 ms left 1.13 commits/s and no word about it.
#[test]
fn a_worker_that_was_stopped_says_so_in_its_record() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    let script = format!("cat >/dev/null; echo $$ > {0}.new; mv {0}.new {0}; kill -STOP $$", file.display());
    let interrupted = AtomicBool::new(false);
    let asked = std::thread::scope(|scope| {
        scope.spawn(|| {
            // A stop is an event for the parent only, whose wait the lab itself takes: it must see the stop, and so
            // this thread can only look.
            while !is_stopped(&file) {
                std::thread::sleep(Duration::from_millis(1));
            }
            interrupted.store(true, Ordering::Relaxed);
        });
        asked(&script, LONG, &interrupted, None)
    });
    assert!(matches!(asked.ended, Ended::Interrupted), "{asked:?}");
    let stops = asked.pauses.iter().filter(|pause| pause.cause == PauseCause::Stopped).count();
    assert_eq!(stops, 1, "{:?}", asked.pauses);
}

/// Whether the process whose id is in this file is stopped.
fn is_stopped(file: &Path) -> bool {
    let Ok(pid) = fs::read_to_string(file) else { return false };
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    status.contains("State:\tT")
}

#[test]
fn a_worker_that_nobody_stopped_has_no_pause() {
    let script = r#"cat >/dev/null; echo '{"prepared":{"seconds":1.5}}'"#;
    let asked = asked(script, LONG, &AtomicBool::new(false), None);
    let is_stop = asked.pauses.iter().any(|pause| pause.cause == PauseCause::Stopped);
    assert!(!is_stop, "{:?}", asked.pauses);
}
