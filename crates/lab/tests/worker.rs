//! Worker processes: answers, deaths, deadlines. The workers here are shell scripts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lab::worker::{Ended, WorkerCommand};
use model::trial::{TrialSpec, WorkerReply, WorkerRequest};
use model::{Configuration, FORMAT_VERSION};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn ask(script: &str, deadline: Duration, interrupted: bool, cpu: Option<usize>) -> Ended {
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
        parent_process: std::process::id(),
        quiesce_max_s: None,
        server: None,
    };
    WorkerCommand { command, cpu }.ask(&WorkerRequest::Prepare(spec), deadline, &AtomicBool::new(interrupted))
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn an_answer_is_read() {
    let ended = ask(r#"cat >/dev/null; echo '{"prepared":{"seconds":1.5}}'"#, LONG, false, None);
    let Ended::Replied(reply) = ended else { panic!("{ended:?}") };
    assert_eq!(*reply, WorkerReply::Prepared { seconds: 1.5, canary: None });
}

#[test]
fn a_death_tells_its_last_words() {
    for (script, words) in [
        (
            "echo one >&2; echo 'disk is on fire' >&2; exit 4",
            "the worker ended with code 4 and no answer: disk is on fire",
        ),
        ("kill -9 $$", "the worker was ended by signal 9: it said nothing"),
        ("echo nonsense", "the worker ended with code 0 and no answer: it said nothing"),
    ] {
        let ended = ask(script, LONG, false, None);
        let Ended::Died(why) = ended else { panic!("{ended:?}") };
        assert_eq!(why, words);
    }
}

#[test]
fn a_hang_is_killed_at_the_deadline() {
    let started = Instant::now();
    let ended = ask("exec sleep 60", Duration::from_millis(100), false, None);
    assert!(matches!(ended, Ended::Killed), "{ended:?}");
    assert!(started.elapsed() < LONG);
}

#[test]
fn an_interrupt_ends_it_at_once() {
    let ended = ask("exec sleep 60", LONG, true, None);
    assert!(matches!(ended, Ended::Interrupted), "{ended:?}");
}

#[test]
fn a_cpu_that_does_not_exist_is_said() {
    for cpu in [1000, 1 << 20] {
        let Ended::Died(why) = ask("true", LONG, false, Some(cpu)) else { panic!("it ran") };
        assert!(why.contains("choose another --cpu"), "{why}");
    }
}

#[test]
fn a_worker_is_pinned_from_birth() {
    let ended = ask("grep Cpus_allowed_list /proc/self/status >&2; exit 1", LONG, false, Some(0));
    let Ended::Died(why) = ended else { panic!("{ended:?}") };
    assert!(why.ends_with("Cpus_allowed_list:\t0"), "{why}");
}
