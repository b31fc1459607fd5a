//! Whatever is found in a file: a value or one clear error, never a panic.

use fio::translate::{Existing, translate};
use fio::{job, json, quantity};
use proptest::prelude::*;

const JOB: &str = "; a comment\n[global]\nioengine=io_uring\nsize=1g\nfilename=data # there\n[reads]\nrw=randread\n\
    iodepth=16\nruntime=30s\ntime_based\ndirect=1\n[writes]\nstonewall\nrw=randrw\nrwmixread=70\nbs=8k\nnumjobs=4\n\
    fdatasync=8\nrate_iops=700,300\nrate_process=poisson\nrandom_distribution=zipf:1.2\nio_size=2g\ncpus_allowed=0-3\ncpus_allowed_policy=split\n";
const REPORT: &[u8] = include_bytes!("../fixtures/fio-3.33.json");
const PLUS: &[u8] = include_bytes!("../fixtures/fio-3.33-plus.json");

fn read_job(bytes: &[u8]) -> Result<(), String> {
    let mut file = job::parse("x.fio", bytes, &job::no_include);
    fio::expand(&mut file, &[], |_| None);
    translate(&file, |_| Existing::Nothing).map(|_| ()).map_err(|errors| errors.to_string())
}

fn is_clear(message: &str) -> bool {
    message.lines().count() <= 50
        && message.lines().all(|line| line.starts_with("x.fio:") && !line.chars().any(char::is_control))
}

/// A text with some bytes overwritten, some removed and some repeated.
fn mutated(original: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let at = 0..original.len();
    let bytes = prop_oneof![any::<u8>(), prop::sample::select(&b"=[]{}:,\"\n;#$0129kmgeE-."[..])];
    prop::collection::vec((at, 0..3_usize, bytes, 0..40_usize), 0..12).prop_map(move |changes| {
        let mut text = original.to_vec();
        for (at, kind, byte, length) in changes {
            let at = at.min(text.len().saturating_sub(1));
            let end = (at + length).min(text.len());
            match kind {
                0 if at < text.len() => text[at] = byte,
                1 => drop(text.drain(at..end)),
                _ => {
                    let copy = text[at..end].to_vec();
                    text.splice(at..at, copy);
                }
            }
        }
        text
    })
}

/// Options by name with values that fit somewhere else.
fn shuffled() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "rw",
        "bs",
        "size",
        "filesize",
        "io_size",
        "iodepth",
        "numjobs",
        "runtime",
        "time_based",
        "ioengine",
        "direct",
        "filename",
        "rate_iops",
        "rate_process",
        "offset_increment",
        "rwmixwrite",
        "fdatasync",
        "cpus_allowed",
        "random_distribution",
        "buffer_compress_percentage",
        "stonewall",
        "[a]",
        "[global]",
    ]);
    let values = prop_oneof![
        prop::sample::select(vec![
            "=1",
            "=0",
            "",
            "=4k",
            "=18446744073709551615",
            "=1t",
            "=randrw",
            "=1,1",
            "=poisson",
            "=0-1"
        ])
        .prop_map(str::to_owned),
        "=\\PC{0,8}",
    ];
    prop::collection::vec((names, values), 0..20).prop_map(|lines| {
        let line = |(name, value): (&str, String)| {
            if name.starts_with('[') { name.to_owned() } else { format!("{name}{value}") }
        };
        let lines: Vec<String> = lines.into_iter().map(line).collect();
        format!("[a]\n{}", lines.join("\n"))
    })
}

#[test]
fn the_file_that_is_mutated_is_valid() {
    assert_eq!(read_job(JOB.as_bytes()), Ok(()));
}

proptest! {
    #[test]
    fn any_bytes_are_jobs_or_clear_errors(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(message) = read_job(&bytes) {
            prop_assert!(is_clear(&message), "{}", message);
        }
        let _ = json::read(&bytes);
    }

    #[test]
    fn a_mutated_job_file_is_jobs_or_clear_errors(bytes in mutated(JOB.as_bytes())) {
        if let Err(message) = read_job(&bytes) {
            prop_assert!(is_clear(&message), "{}", message);
        }
    }

    #[test]
    fn shuffled_options_are_jobs_or_clear_errors(text in shuffled()) {
        if let Err(message) = read_job(text.as_bytes()) {
            prop_assert!(is_clear(&message), "{}", message);
        }
    }

    #[test]
    fn any_quantity_is_read_or_refused(text in "\\PC{0,12}|[0-9]{1,25}[a-zA-Z]{0,4}") {
        if let Ok(bytes) = quantity::parse_size(&text) {
            prop_assert_eq!(quantity::parse_size(&quantity::format_size(bytes)), Ok(bytes));
        }
        if let Ok(time) = quantity::parse_time(&text) {
            prop_assert_eq!(quantity::parse_time(&quantity::format_time(time).unwrap()), Ok(time));
        }
    }

    #[test]
    fn a_cut_report_says_where(length in 0..REPORT.len() - 3) {
        let message = json::read(&REPORT[..length]).unwrap_err().to_string();
        prop_assert!(message.starts_with("not fio JSON: ") && !message.contains('\n'), "{}", message);
    }

    #[test]
    fn a_mutated_report_is_read_or_refused(bytes in prop_oneof![mutated(REPORT), mutated(PLUS)]) {
        if let Err(error) = json::read(&bytes) {
            prop_assert!(!error.to_string().chars().any(char::is_control), "{}", error);
        }
    }
}
