//! Configurations as job files: read back they are the same, and fio takes them.

use fio::translate::{Existing, translate};
use fio::{export, job, json};
use model::units::format_bytes;
use model::{Configuration, Nanos, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

fn name(text: &str) -> Value {
    Value::Name(text.to_owned())
}

/// The defaults of the workload, with some values replaced.
fn configuration(values: &[(&str, Value)]) -> Configuration {
    let defaults = [
        ("rw", name("randread")),
        ("rwmixread", Value::Count(50)),
        ("bs", Value::Bytes(4096)),
        ("iodepth", Value::Count(1)),
        ("numjobs", Value::Count(1)),
        ("ioengine", name("uring")),
        ("mode", name("buffered")),
        ("buffer_pages", name("small")),
        ("registered", Value::Flag(true)),
        ("size", Value::Bytes(1 << 21)),
        ("runtime", Value::Duration(Nanos::from_millis(100))),
        ("number_ios", Value::Count(0)),
        ("fdatasync", Value::Count(0)),
        ("bssplit", name("none")),
        ("sync_file_range", name("none")),
        ("sync_file_range_writes", Value::Count(1)),
        ("thinktime", Value::Duration(Nanos::ZERO)),
        ("thinktime_blocks", Value::Count(1)),
        ("end_fsync", Value::Flag(false)),
        ("advice", name("normal")),
        ("random_distribution", name("uniform")),
        ("zipf_theta", Value::Number(1.2)),
        ("zones", name("none")),
        ("rate_iops", name("none")),
        ("data", name("random")),
        ("buffer_compress_percentage", Value::Count(50)),
        ("cache", name("cold")),
        ("ramp_time", Value::Duration(Nanos::ZERO)),
        ("precondition_passes", Value::Count(0)),
        ("filesystem", name("host")),
        ("cpu", name("none")),
        ("realtime", Value::Flag(false)),
        ("memory_cap", name("none")),
        ("cooldown", Value::Duration(Nanos::ZERO)),
    ];
    let all = defaults.into_iter().chain(values.iter().cloned());
    Configuration(all.map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The parameters that have a meaning in a configuration.
fn meaningful(configuration: &Configuration) -> BTreeMap<String, String> {
    let rw = configuration.text("rw").unwrap();
    let mixed = rw == "rw" || rw == "randrw";
    let random = rw.starts_with("rand");
    let writes = mixed || rw.ends_with("write");
    let has_meaning = |name: &str| match name {
        "rwmixread" => mixed,
        "random_distribution" => random,
        "zipf_theta" => random && configuration.is("random_distribution", "zipf"),
        "zones" => random && configuration.is("random_distribution", "zoned"),
        "ioengine" => !configuration.is("mode", "mmap"),
        "registered" => configuration.is("ioengine", "uring") && !configuration.is("mode", "mmap"),
        "data" | "fdatasync" | "end_fsync" => writes,
        "buffer_compress_percentage" => writes && configuration.is("data", "compressible"),
        "bssplit" => !configuration.is("bssplit", "none"),
        "sync_file_range" | "sync_file_range_writes" => {
            writes && !configuration.is("sync_file_range", "none")
        }
        "thinktime" | "thinktime_blocks" => {
            configuration.get("thinktime") != Some(&Value::Duration(Nanos::ZERO))
        }
        "rate_iops" | "cpu" => configuration.count(name).is_ok(),
        name if name.starts_with("beside_") => !configuration.is("beside", "none"),
        "beside" => !configuration.is("beside", "none"),
        "precondition_passes" | "filesystem" | "realtime" | "memory_cap" | "cooldown" | "ranks" => false,
        _ => true,
    };
    let pairs = configuration.0.iter().filter(|(name, _)| has_meaning(name));
    pairs.map(|(name, value)| (name.clone(), value.to_string())).collect()
}

fn read_back(text: &str) -> BTreeMap<String, String> {
    let file = job::parse("export.fio", text.as_bytes(), &job::no_include);
    let mut jobs = translate(&file, |_| Existing::Nothing).unwrap();
    assert_eq!(jobs.len(), 1);
    jobs.remove(0).values.into_iter().collect()
}

fn choice(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    prop::sample::select(names).prop_map(name)
}

prop_compose! {
    fn pattern()(
        rw in choice(&["read", "write", "randread", "randwrite", "rw", "randrw"]),
        rwmixread in 0..=100_u64,
        distribution in choice(&["uniform", "zipf", "zoned"]),
        theta in 1..200_u32,
        data in choice(&["random", "zero", "compressible"]),
        percentage in 0..=100_u64,
        fdatasync in 0..20_u64,
        range in choice(&["none", "write", "wait_before_write", "wait_before_write_wait_after"]),
        (think_us, think_blocks) in (0..3_u64, 1..50_u64),
        end_fsync: bool,
        rate in prop::option::of(200..100_000_u64),
        cache in choice(&["cold", "warm", "as_is"]),
    ) -> Vec<(&'static str, Value)> {
        // A job syncs in one way, and does not pause in an open loop.
        let range = if fdatasync > 0 { name("none") } else { range };
        let think_us = if rate.is_some() { 0 } else { think_us };
        vec![
            ("sync_file_range", range), ("sync_file_range_writes", Value::Count(think_blocks)),
            ("thinktime", Value::Duration(Nanos(think_us * 1000))), ("thinktime_blocks", Value::Count(think_blocks)),
            ("rw", rw), ("rwmixread", Value::Count(rwmixread)), ("random_distribution", distribution), ("zones", name("50/5:30/15:20/80")),
            ("zipf_theta", Value::Number((f64::from(theta) + 0.5) / 64.0)), ("data", data),
            ("buffer_compress_percentage", Value::Count(percentage)), ("fdatasync", Value::Count(fdatasync)),
            ("end_fsync", Value::Flag(end_fsync)), ("rate_iops", rate.map_or(name("none"), Value::Count)),
            ("cache", cache),
        ]
    }
}

prop_compose! {
    fn shape()(
        bs in 1..64_u64,
        blocks in 1..1_000_u64,
        larger in prop::option::of(1..9_u64),
        jobs in 1..9_u64,
        depth in 1..4097_u64,
        engine in choice(&["uring", "psync"]),
        mode in choice(&["buffered", "direct", "dontcache", "mmap"]),
        pages in choice(&["small", "huge"]),
        registered: bool,
        advice in choice(&["normal", "random", "sequential"]),
        cpu in prop::option::of(0..64_u64),
        (runtime_ms, number_ios) in prop_oneof![(1..1_000_000_u64, Just(0)), (0..100_000_u64, 1..1_000_000_u64)],
        ramp_s in 0..100_u64,
        cap in prop_oneof![Just(name("none")), Just(Value::Percent(12.5)), Just(Value::Bytes(1 << 20))],
        realtime: bool,
    ) -> Vec<(&'static str, Value)> {
        let split = match larger.filter(|larger| *larger <= blocks && larger * bs < 64) {
            Some(1) => format!("{}/100", format_bytes(bs * 512)),
            Some(larger) => format!("{}/70:{}/30", format_bytes(bs * 512), format_bytes(bs * 512 * larger)),
            None => "none".to_owned(),
        };
        let blocking = engine == name("psync") || mode == name("mmap");
        vec![
            ("bs", Value::Bytes(bs * 512)), ("bssplit", name(&split)), ("size", Value::Bytes(bs * 512 * blocks * jobs)),
            ("numjobs", Value::Count(jobs)), ("iodepth", Value::Count(if blocking { 1 } else { depth })),
            ("ioengine", engine), ("mode", mode), ("buffer_pages", pages),
            ("registered", Value::Flag(registered)), ("advice", advice), ("cpu", cpu.map_or(name("none"), Value::Count)),
            ("runtime", Value::Duration(Nanos::from_millis(runtime_ms))), ("number_ios", Value::Count(number_ios)),
            ("ramp_time", Value::Duration(Nanos::from_millis(ramp_s * 1000))),
            ("memory_cap", cap), ("realtime", Value::Flag(realtime)),
        ]
    }
}

proptest! {
    #[test]
    fn what_is_exported_is_read_back(pattern in pattern(), shape in shape(), name in "\\PC{0,20}") {
        let configuration = configuration(&[pattern, shape].concat());
        match export::job_file(&name, &configuration) {
            Ok(text) => prop_assert_eq!(read_back(&text), meaningful(&configuration), "{}", text),
            // fio's rates are whole numbers: 1 % of 149 a second is none.
            Err(message) => prop_assert!(message.contains("cannot be split"), "{}", message),
        }
    }
}

#[test]
fn a_job_file_is_readable() {
    let configuration = configuration(&[
        ("rw", name("write")),
        ("ioengine", name("psync")),
        ("numjobs", Value::Count(2)),
        ("memory_cap", Value::Percent(50.0)),
        ("precondition_passes", Value::Count(2)),
        ("realtime", Value::Flag(true)),
        ("end_fsync", Value::Flag(true)),
    ]);
    assert_eq!(
        export::job_file("mode=buffered [x]", &configuration).unwrap(),
        "# run under: systemd-run --user --scope -p MemoryMax=1048576 fio JOB.fio\n\
         # run under: chrt --fifo 1 fio JOB.fio\n\
         # run before: fio --name=precondition --filename=syncline-mode=buffered--x-.data --rw=write --bs=1m --direct=1 --size=2m --loops=2\n\
         [mode=buffered--x-]\nstonewall=1\nrw=write\noverwrite=1\nfdatasync=0\nend_fsync=1\ninvalidate=1\n\
         ioengine=psync\niodepth=1\niomem=malloc\ndirect=0\nfadvise_hint=0\nbs=4k\nfilename=syncline-mode=buffered--x-.data\n\
         size=1m\nnumjobs=2\noffset_increment=1m\nthread=1\ngroup_reporting=1\ntime_based=1\nruntime=100ms\n"
    );
}

#[test]
fn what_fio_cannot_be_given_is_said() {
    for (values, message) in [
        (("rate_iops", Value::Count(0)), "rate_iops = 0 means no limit in fio"),
        (("runtime", Value::Duration(Nanos(0))), "the trial does not end: runtime and number_ios are both 0"),
        (("ramp_time", Value::Duration(Nanos(7))), "ramp_time = 7ns is finer than fio's microseconds"),
        (("numjobs", Value::Count(0)), "device: numjobs = \"0\": expected 1…256"),
        (("cache", name("tepid")), "device: cache = \"tepid\": expected cold | warm | as_is"),
    ] {
        assert_eq!(export::job_file("a", &configuration(&[values])).unwrap_err(), message);
    }
}

#[test]
fn jobs_in_order_need_a_block_each() {
    let jobs = [("rw", name("read")), ("numjobs", Value::Count(2)), ("size", Value::Bytes(4096))];
    let message = "size = 4k leaves no block for each job";
    assert_eq!(export::job_file("a", &configuration(&jobs)).unwrap_err(), message);
}

/// A record of a version that had fewer parameters: what it did not record is not reported.
#[test]
fn what_an_older_configuration_lacks_is_at_its_default_and_its_buffers_are_unknown() {
    let mut older = configuration(&[]);
    for newer in ["buffer_pages", "registered"] {
        older.0.remove(newer).unwrap();
    }
    let (older, whole) =
        (export::job_file("a", &older).unwrap(), export::job_file("a", &configuration(&[])).unwrap());
    assert_eq!(whole.replace("iomem=malloc\n", ""), older);
}

/// Runs fio, or says that the test is skipped.
fn fio(test: &str, text: &str, arguments: &[&str]) -> Option<Output> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fio-{test}"));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("job.fio"), text).unwrap();
    let run = Command::new("fio").args(arguments).arg("job.fio").current_dir(&directory).output();
    std::fs::remove_dir_all(&directory).unwrap();
    match run {
        Ok(output) => Some(output),
        Err(error) => {
            skip::because(format_args!("fio cannot be started ({error}); install fio"));
            None
        }
    }
}

const PATTERNS: [&str; 6] = ["read", "write", "randread", "randwrite", "rw", "randrw"];

#[test]
fn fio_takes_every_kind_of_export() {
    for rw in PATTERNS {
        for (mode, engine) in
            [("buffered", "psync"), ("direct", "uring"), ("mmap", "uring"), ("dontcache", "uring")]
        {
            let configuration = configuration(&[
                ("rw", name(rw)),
                ("mode", name(mode)),
                ("ioengine", name(engine)),
                ("random_distribution", name("zipf")),
                ("data", name("compressible")),
                ("advice", name("random")),
                ("bssplit", name("4KiB/60:64KiB/40")),
                ("sync_file_range", name("wait_before_write")),
                ("thinktime", Value::Duration(Nanos::from_millis(2))),
                ("number_ios", Value::Count(10)),
                ("ramp_time", Value::Duration(Nanos::from_millis(1500))),
                ("cpu", Value::Count(0)),
                ("memory_cap", Value::Percent(50.0)),
            ]);
            let text = export::job_file("a", &configuration).unwrap();
            let paced = [("rate_iops", Value::Count(1000)), ("thinktime", Value::Duration(Nanos::ZERO))];
            let open = Configuration(
                configuration
                    .0
                    .clone()
                    .into_iter()
                    .chain(paced.map(|(name, value)| (name.to_owned(), value)))
                    .collect(),
            );
            for text in [text, export::job_file("a", &open).unwrap()] {
                let Some(output) = fio("parse", &text, &["--parse-only"]) else { return };
                let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                assert!(output.status.success() && said.trim().is_empty(), "{said}\n{text}");
            }
        }
    }
}

#[test]
fn fio_runs_an_export_and_its_report_is_read() {
    for (rw, mode, engine, depth, jobs) in [
        ("randread", "buffered", "uring", 8, 2),
        ("write", "buffered", "psync", 1, 2),
        ("randrw", "mmap", "uring", 1, 1),
    ] {
        let configuration = configuration(&[
            ("rw", name(rw)),
            ("mode", name(mode)),
            ("ioengine", name(engine)),
            ("iodepth", Value::Count(depth)),
            ("numjobs", Value::Count(jobs)),
            ("number_ios", Value::Count(1000)),
            ("runtime", Value::Duration(Nanos(0))),
            ("fdatasync", Value::Count(100)),
        ]);
        let text = export::job_file("a", &configuration).unwrap();
        let Some(output) = fio(&format!("run-{rw}"), &text, &["--output-format=json"]) else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = json::read(&output.stdout).unwrap();
        let job = &report.jobs[0];
        assert_eq!(
            (report.jobs.len(), job.error, job.numjobs(), job.is_group),
            (1, Some(0), Some(jobs), jobs > 1)
        );
        let operations = |direction: &Option<json::FioDirection>| {
            direction.as_ref().and_then(|direction| direction.operations).unwrap_or(0)
        };
        // Each job of 1000 operations goes more than once over its 256 blocks, as number_ios has it here.
        assert_eq!(operations(&job.read) + operations(&job.write), 1000 * jobs, "{text}");
    }
}

/// fio's example `aio-read`, translated, exported and translated again.
#[test]
fn kinds_of_jobs_are_sections_beside_each_other() {
    let text = "[global]\nioengine=libaio\nbuffered=0\nrw=randread\nbs=128k\nsize=512m\n[file1]\niodepth=4\n[file2]\n\
                iodepth=32\nrw=read:-256k\n[file3]\nbssplit=4k/50:8k/50,64k/100\nrw=randrw\nflow=3\n";
    let translated = |text: &str| {
        let file = job::parse("export.fio", text.as_bytes(), &job::no_include);
        translate(&file, |_| Existing::Nothing).unwrap()
    };
    let own = translated(text);
    assert_eq!(own.len(), 1);
    let values: BTreeMap<String, Value> = own[0]
        .values
        .iter()
        .map(|(name, level)| {
            let parameter = workload::device::SCHEMA.parameter(name).unwrap();
            (name.clone(), parameter.parse(level).unwrap())
        })
        .collect();
    let exported = export::job_file("x", &Configuration(values)).unwrap();
    let again = translated(&exported);
    let teams = |jobs: &[fio::translate::Job]| {
        jobs[0].values.iter().find(|(name, _)| name == "teams").map(|(_, value)| value.clone())
    };
    assert_eq!(teams(&own), teams(&again), "{exported}");
}
