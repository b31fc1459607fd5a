//! A study of the shape that was observed: what `syncline run FILE.toml` measures on this disk or another one.
//!
//! The load becomes kinds of jobs of the device workload: the log with its syncs, the reads, and the other writes. One
//! arm makes them arrive at the rates that were observed, the other one as fast as the disk takes them. The study has
//! the observed figures with it, so that the run shows what was observed beside what was replayed.

use crate::class::Class;
use crate::observation::{Observation, StreamFigures};
use model::units::{KIB, MIB, format_bytes};
use model::{IoMode, Sizes, printable};
use std::fmt::Write;
use workload::IoEngine;
use workload::device::{PARAMETERS as DEVICE, Pattern};

/// Arrivals are counted over this time, so that a rate below one a second is one too.
const RATE_PERIOD_S: u32 = 100;
/// At least this number for each job, unless there is one job: a whole number is then within a twentieth of the rate.
const ARRIVALS_MIN: f64 = 10.0;
/// Devices address blocks of this size, and the workload no smaller ones.
const BLOCK_BYTES: u64 = 512;
const SIZE_BYTES_MAX: u64 = MIB;
/// Bytes of a log is written over again, and of other files.
const LOG_BYTES: u64 = 64 * MIB;
const DATA_BYTES: u64 = 256 * MIB;
const JOBS_MAX: f64 = 32.0;
/// A load of which this share comes one behind another is sequential.
const SEQUENTIAL_MIN: f64 = 0.5;
/// Reads of which the disk saw less than this share were in the page cache.
const CACHED_MIN: f64 = 0.5;
const AS_OBSERVED: &str = "as_observed";
const FLAT_OUT: &str = "flat_out";

/// No study can be written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStudy {
    #[error("nothing was read or written, so there is no load to write a study of")]
    NoLoad,
}

/// Jobs of one kind.
struct Kind {
    name: &'static str,
    pattern: Pattern,
    sizes: Vec<(u64, u8)>,
    per_s: f64,
    jobs: u32,
    /// 0: none is synced.
    writes_per_sync: u64,
    mode: IoMode,
    file_bytes: u64,
}

impl Observation {
    /// The study as a TOML file.
    ///
    /// # Errors
    /// There was no load.
    pub fn study(&self) -> Result<String, NoStudy> {
        let kinds: Vec<Kind> =
            [self.log(), self.reads(), self.other_writes()].into_iter().flatten().collect();
        let (first, others) = kinds.split_first().ok_or(NoStudy::NoLoad)?;
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut text, first, others);
        Ok(text)
    }

    fn write(&self, text: &mut String, first: &Kind, others: &[Kind]) -> std::fmt::Result {
        writeln!(text, "# Written by syncline observe: {}.", printable(&self.target))?;
        writeln!(text, "question = \"How does this disk serve the load that was observed?\"")?;
        writeln!(text, "about = \"\"\"")?;
        writeln!(
            text,
            "The load of {:.0} s as jobs of the device workload. In the arm {AS_OBSERVED} operations arrive at the \
             observed rates, in the arm {FLAT_OUT} \\\nas fast as the disk takes them. Sizes are rounded up to {}. \
             Files are smaller than those of the database.\"\"\"",
            self.duration_s,
            format_bytes(BLOCK_BYTES)
        )?;
        writeln!(text, "workload = \"{}\"", workload::device::SCHEMA.workload())?;
        writeln!(text, "baseline = {{ arm = \"{AS_OBSERVED}\" }}\n\n[fixed]")?;
        for (name, value) in first.parameters() {
            writeln!(text, "{name} = \"{value}\"")?;
        }
        writeln!(text, "{} = \"{}\"", DEVICE.ioengine.name(), IoEngine::Psync)?;
        if self.is_cached() {
            writeln!(text, "{} = \"{}\"", DEVICE.cache.name(), model::Cache::Warm)?;
        }
        for (arm, is_rated) in [(AS_OBSERVED, true), (FLAT_OUT, false)] {
            writeln!(text, "\n[[arm]]\nname = \"{arm}\"")?;
            for (name, value) in first.rate(is_rated) {
                writeln!(text, "{name} = \"{value}\"")?;
            }
            if !others.is_empty() {
                let groups: Vec<String> = others.iter().map(|kind| kind.group(is_rated)).collect();
                let teams = DEVICE.teams.name();
                writeln!(text, "{teams} = \"name={}; {}\"", first.name, groups.join("; "))?;
            }
        }
        writeln!(text, "\n[[ask]]\ncompare = \"arm\"\non = [\"iops\"]")?;
        writeln!(text, "\n[observed]\narm = \"{AS_OBSERVED}\"")?;
        let has_syncs = std::iter::once(first).chain(others).any(|kind| kind.writes_per_sync > 0);
        for (metric, figure) in self.repeated(has_syncs) {
            writeln!(text, "{metric} = {figure}")?;
        }
        for (profile, rounds, runtime) in [("quick", 6, "2s"), ("standard", 10, "10s")] {
            writeln!(text, "\n[profile.{profile}]\nrounds = {rounds}")?;
            writeln!(text, "fixed.{} = \"{runtime}\"", DEVICE.runtime.name())?;
        }
        Ok(())
    }

    fn stream(&self, class: Class, log: bool) -> Option<&StreamFigures> {
        self.streams.iter().find(|of| of.class == class && of.log == log && of.operations > 0)
    }

    fn log(&self) -> Option<Kind> {
        let writes = self.stream(Class::Write, true)?;
        let syncs = self.stream(Class::Sync, true);
        let mut kind = Kind::of("log", writes, LOG_BYTES);
        kind.pattern = Pattern::Write;
        self.add_syncs(&mut kind, writes, syncs);
        kind.jobs = jobs(writes.depth_by_littles_law + syncs.map_or(0.0, |of| of.depth_by_littles_law));
        Some(kind)
    }

    /// Those of the log and of other files together, in the sizes and the order of most of them.
    fn reads(&self) -> Option<Kind> {
        let both = [self.stream(Class::Read, false), self.stream(Class::Read, true)];
        let both = || both.into_iter().flatten();
        let reads = both().max_by_key(|of| of.operations)?;
        let mut kind = Kind::of("reads", reads, DATA_BYTES);
        kind.per_s = both().map(|of| of.operations_per_s).sum();
        kind.jobs = self.in_flight_max(Class::Read, kind.per_s);
        kind.pattern = if is_sequential(reads) { Pattern::Read } else { Pattern::RandRead };
        Some(kind)
    }

    fn other_writes(&self) -> Option<Kind> {
        let writes = self.stream(Class::Write, false)?;
        let mut kind = Kind::of("writes", writes, DATA_BYTES);
        kind.pattern = if is_sequential(writes) { Pattern::Write } else { Pattern::RandWrite };
        self.add_syncs(&mut kind, writes, self.stream(Class::Sync, false));
        kind.jobs = self.in_flight_max(Class::Write, kind.per_s);
        Some(kind)
    }

    /// As many jobs as operations were in flight at most. With as many as on average, a burst would wait for jobs. It
    /// does not wait in the server.
    fn in_flight_max(&self, class: Class, per_s: f64) -> u32 {
        let seen = self.class(class).map_or(1.0, |of| of.depth_max as f64);
        jobs(seen.min(per_s * f64::from(RATE_PERIOD_S) / ARRIVALS_MIN))
    }

    /// How many writes share a sync; a write that is durable when it returns is one with a sync behind it. If writes
    /// were seen in windows only, their rate follows from that of syncs, which were counted all the time.
    fn add_syncs(&self, kind: &mut Kind, writes: &StreamFigures, syncs: Option<&StreamFigures>) {
        let Some(syncs) = syncs else {
            kind.writes_per_sync = u64::from(writes.log && self.syncs.durable_writes_per_s > 0.0);
            return;
        };
        let each = (writes.operations_per_s / syncs.operations_per_s).round().max(1.0);
        kind.writes_per_sync = each as u64;
        if self.is_sampled() {
            kind.per_s = syncs.operations_per_s * each;
        }
    }

    /// Whether the page cache served most reads.
    fn is_cached(&self) -> bool {
        let reads: f64 =
            self.streams.iter().filter(|of| of.class == Class::Read).map(|of| of.bytes_per_s).sum();
        let of_disks = self.devices.iter().filter(|of| of.requests == "reads");
        let from_disks: f64 = of_disks.map(|of| of.bytes_per_s).sum();
        let is_direct = self.streams.iter().any(|of| of.direct_share > 0.0);
        reads > 0.0 && !is_direct && !self.devices.is_empty() && from_disks < (1.0 - CACHED_MIN) * reads
    }
}

impl Kind {
    fn of(name: &'static str, stream: &StreamFigures, file_bytes: u64) -> Self {
        Self {
            name,
            pattern: Pattern::RandRead,
            sizes: sizes(stream),
            per_s: stream.operations_per_s,
            jobs: jobs(stream.depth_by_littles_law),
            writes_per_sync: 0,
            mode: if stream.direct_share > SEQUENTIAL_MIN { IoMode::Direct } else { IoMode::Buffered },
            file_bytes,
        }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let smallest = self.sizes.iter().map(|(bytes, _)| *bytes).min().unwrap_or(BLOCK_BYTES);
        let sizes = Sizes::new(self.sizes.iter().copied()).unwrap_or_default();
        let sizes = if self.sizes.len() > 1 { sizes.to_string() } else { Sizes::default().to_string() };
        vec![
            (DEVICE.rw.name(), self.pattern.to_string()),
            (DEVICE.bs.name(), format_bytes(smallest)),
            (DEVICE.bssplit.name(), sizes),
            (DEVICE.numjobs.name(), self.jobs.to_string()),
            (DEVICE.fdatasync.name(), self.writes_per_sync.to_string()),
            (DEVICE.mode.name(), self.mode.to_string()),
            (DEVICE.size.name(), format_bytes(self.file_bytes)),
        ]
    }

    /// Arrivals of each job.
    fn rate(&self, is_rated: bool) -> Vec<(&'static str, String)> {
        if !is_rated {
            return vec![(DEVICE.rate_iops.name(), "none".to_owned())];
        }
        let arrivals = self.per_s * f64::from(RATE_PERIOD_S) / f64::from(self.jobs);
        vec![
            (DEVICE.rate_iops.name(), (arrivals.round() as u64).max(1).to_string()),
            (DEVICE.rate_period.name(), format!("{RATE_PERIOD_S}s")),
        ]
    }

    fn group(&self, is_rated: bool) -> String {
        let all = self.parameters().into_iter().chain(self.rate(is_rated));
        let pairs: Vec<String> = all.map(|(name, value)| format!("{name}={value}")).collect();
        format!("name={} {}", self.name, pairs.join(" "))
    }
}

fn is_sequential(stream: &StreamFigures) -> bool {
    stream.sequential_share.is_some_and(|share| share >= SEQUENTIAL_MIN)
}

/// Each has one operation in flight.
fn jobs(depth: f64) -> u32 {
    depth.round().clamp(1.0, JOBS_MAX) as u32
}

/// Sizes in whole blocks with their shares in percent; what is too rare or too many counts as the most frequent one.
fn sizes(stream: &StreamFigures) -> Vec<(u64, u8)> {
    let block = |bytes: u64| bytes.next_multiple_of(BLOCK_BYTES).clamp(BLOCK_BYTES, SIZE_BYTES_MAX);
    let mut sizes: Vec<(u64, u8)> = Vec::new();
    for of in &stream.sizes {
        let (bytes, percent) = (block(of.bytes), (of.share * 100.0).round() as u8);
        match sizes.iter_mut().find(|(known, _)| *known == bytes) {
            Some((_, sum)) => *sum = sum.saturating_add(percent),
            None => sizes.push((bytes, percent)),
        }
    }
    // Rounding can make a share of nothing, and more than the whole.
    sizes.retain(|(_, percent)| *percent > 0);
    let mut rest = 100;
    for (_, percent) in sizes.iter_mut().skip(1) {
        *percent = (*percent).min(rest);
        rest -= *percent;
    }
    sizes.retain(|(_, percent)| *percent > 0);
    match sizes.first_mut() {
        Some((_, percent)) => *percent = rest,
        None => sizes.push((8 * KIB, 100)),
    }
    sizes.retain(|(_, percent)| *percent > 0);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{ClassFigures, Recording, SizeFigures};
    use crate::repeated::tests::class;
    use model::study::Study;
    use proptest::prelude::*;

    fn stream(class: Class, log: bool, per_s: f64, sizes: &[(u64, f64)]) -> StreamFigures {
        StreamFigures {
            class,
            log,
            operations: (per_s * 10.0) as u64,
            operations_per_s: per_s,
            bytes_per_s: per_s * 8192.0,
            sizes: sizes.iter().map(|(bytes, share)| SizeFigures { bytes: *bytes, share: *share }).collect(),
            sequential_share: Some(if log { 1.0 } else { 0.0 }),
            depth_by_littles_law: per_s / 1000.0,
            direct_share: 0.0,
            latency: None,
        }
    }

    fn observation(streams: Vec<StreamFigures>) -> Observation {
        Observation {
            target: "process 7 (a\nb)".to_owned(),
            duration_s: 10.0,
            streams,
            ..Observation::default()
        }
    }

    /// Every level is one that the workload takes, and every configuration one that it runs.
    fn check(observation: &Observation) -> Study {
        let text = observation.study().unwrap();
        let study = Study::parse("observed", &text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let schema = workload::schema(&study.workload).unwrap();
        for arm in &study.arms {
            let mut values = schema.defaults();
            for (name, level) in study.fixed.iter().chain(arm).filter(|(name, _)| *name != "name") {
                let value = schema.parameter(name).unwrap().parse(level).unwrap();
                values.0.insert(name.clone(), value);
            }
            (schema.check)(&values).unwrap_or_else(|error| panic!("{error}: {text}"));
        }
        study
    }

    #[test]
    fn a_load_becomes_kinds_of_jobs() {
        let mut seen = observation(vec![
            stream(Class::Write, true, 1200.0, &[(8192, 0.7), (16384, 0.3)]),
            stream(Class::Sync, true, 600.0, &[]),
            stream(Class::Read, false, 3000.0, &[(8192, 1.0)]),
            stream(Class::Write, false, 0.3, &[(8192, 1.0)]),
        ]);
        let in_flight = |of, depth_max| ClassFigures { depth_max, ..class(of, 1.0, 8192.0, 100.0) };
        seen.classes = vec![in_flight(Class::Read, 8), in_flight(Class::Write, 5)];
        let study = check(&seen);
        assert_eq!(study.arms.len(), 2);
        assert_eq!(study.observed.unwrap().arm, AS_OBSERVED);
        let of = |name: &str| study.fixed[name].as_str();
        let expected = ("write", "8KiB", "8KiB/70:16KiB/30", "2");
        assert_eq!((of("rw"), of("bs"), of("bssplit"), of("fdatasync")), expected);
        assert_eq!(study.arms[0]["rate_iops"], "60000", "two jobs, of 600 a second each");
        let teams = &study.arms[0]["teams"];
        assert!(teams.starts_with("name=log; name=reads rw=randread bs=8KiB"), "{teams}");
        assert!(
            teams.contains("numjobs=8 ") && teams.contains("rate_iops=37500 "),
            "3 of 8 in flight: {teams}"
        );
        assert!(teams.contains("numjobs=3 ") && teams.contains("rate_iops=10 "), "0.3 a second: {teams}");
        assert!(!study.arms[1]["teams"].contains("rate_period"), "as fast as the disk takes them");
    }

    #[test]
    fn syncs_give_the_rate_of_writes_that_were_seen_in_windows() {
        let writes = stream(Class::Write, true, 70.0, &[(8192, 1.0)]);
        let mut seen = observation(vec![writes, stream(Class::Sync, true, 80.0, &[])]);
        assert_eq!(check(&seen).arms[0]["rate_iops"], "7000");
        seen.recording = Recording { windows: Some(4), seconds: 1.0, share: 0.05 };
        let study = check(&seen);
        assert_eq!((study.arms[0]["rate_iops"].as_str(), study.fixed["fdatasync"].as_str()), ("8000", "1"));
    }

    #[test]
    fn no_load_is_no_study() {
        assert_eq!(observation(Vec::new()).study(), Err(NoStudy::NoLoad));
        let syncs = observation(vec![stream(Class::Sync, true, 5.0, &[])]);
        assert_eq!(syncs.study(), Err(NoStudy::NoLoad));
    }

    proptest! {
        #[test]
        fn whatever_was_seen_the_study_is_one(
            sizes in prop::collection::vec((1_u64..10_000_000, 0.0_f64..1.0), 0..8),
            per_s in 0.1_f64..500_000.0,
            syncs in 0.1_f64..10_000.0,
            class in prop::sample::select(vec![Class::Read, Class::Write]),
            log in any::<bool>(),
        ) {
            check(&observation(vec![
                stream(class, log, per_s, &sizes),
                stream(Class::Sync, log, syncs, &[]),
                stream(Class::Write, !log, per_s, &sizes),
            ]));
        }
    }
}
