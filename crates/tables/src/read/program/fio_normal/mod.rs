//! fio's output for people, whole or in the lines that pages quote: `write: IOPS=545k, BW=2131MiB/s …` and `lat (usec):
//! min=17, …`.
//!
//! fio 2 writes `KB/s` for KiB per second.

mod line;

use super::fio_options::{self, Options};
use super::output::{NumberedLine, Output, number};
use crate::read::fio::rows_of_job;
use fio::json::{FioJob, FioLatency};
use laws::{Circumstances, Claim, Direction, Percentile};
use line::{Latency, Side, Timer, begin, latency, percentiles_of, side};
use std::collections::BTreeMap;

/// A job while its lines are read.
#[derive(Debug, Default)]
struct Job {
    options: Options,
    /// Jobs that the figures cover, where fio says it.
    clones: Option<u64>,
    sides: Vec<Side>,
    sync: FioLatency,
    /// A line of latencies that a page quotes before the rate it belongs to.
    early: Option<Latency>,
    /// What the next percentiles are of, and their unit in ns.
    percentiles: Option<(Timer, f64)>,
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    let mut reader = Reader::default();
    for (number, line) in lines {
        if output.is_full() {
            break;
        }
        reader.line(*number, line, &mut output);
    }
    reader.finish_job(&mut output);
    output
}

#[derive(Default)]
struct Reader {
    /// Options by the jobs' names.
    known: BTreeMap<String, Options>,
    /// Options of a printed job file.
    file: BTreeMap<String, String>,
    job: Job,
    /// Whether a job was reported with these options.
    has_results: bool,
}

impl Reader {
    fn line(&mut self, number: u64, line: &str, output: &mut Output) {
        let line = line.trim();
        if let Some(jobs) = fio_options::jobs(line) {
            self.begin_run(output);
            self.job.options = jobs.first().cloned().unwrap_or_default();
            self.known.extend(jobs.into_iter().map(|job| (job.name.clone(), job)));
        } else if let Some(repeated) = fio_options::repeated(line) {
            // fio repeats the options of all jobs before it reports the first: this is another run, whose command is
            // left out.
            if self.has_results || !self.job.sides.is_empty() {
                self.begin_run(output);
                self.job.options = repeated.clone();
            }
            let known = self.known.entry(repeated.name.clone()).or_insert_with(|| repeated.clone());
            known.add(repeated.values);
        } else if let Some((name, clones)) = begin(line) {
            self.finish_job(output);
            let options = self.known.get(name).cloned();
            let options = options.unwrap_or_else(|| Options { name: name.to_owned(), ..Options::default() });
            self.job = Job { options, clones, ..Job::default() };
        } else if let Some(side) = side(number, line) {
            if self.job.sides.iter().any(|known| known.direction == side.direction) {
                self.finish_job(output);
            }
            self.job.sides.push(side);
            if let Some(latency) = self.job.early.take() {
                self.job.add_latency(&latency);
            }
        } else if self.job.sides.is_empty() {
            let option = fio_options::job_file_line(line);
            self.file.extend(option.map(|(name, value)| (name.to_owned(), value.to_owned())));
            self.job.early = latency(line).or_else(|| self.job.early.take());
        } else {
            self.job.detail(line);
        }
    }

    /// Forgets the options of the last run.
    fn begin_run(&mut self, output: &mut Output) {
        self.finish_job(output);
        *self = Self::default();
    }

    /// Turns what was read of a job into rows; its options stay for what follows without a heading.
    fn finish_job(&mut self, output: &mut Output) {
        if self.job.sides.is_empty() {
            return;
        }
        let options = self.job.options.clone();
        let job = std::mem::replace(&mut self.job, Job { options, ..Job::default() });
        for (line, row) in job.rows(&self.file) {
            output.push(line, row);
        }
        self.has_results = true;
    }
}

impl Job {
    /// A line about the last direction, or about the whole job.
    fn detail(&mut self, line: &str) {
        if let Some((timer, unit)) = percentiles_of(line) {
            self.percentiles = Some((timer, unit));
        } else if line.starts_with('|') {
            if let Some((timer, unit)) = self.percentiles {
                self.add_percentiles(line, timer, unit);
            }
        } else if let Some(latency) = latency(line) {
            self.add_latency(&latency);
        } else if let Some(totals) = line.strip_prefix("issued rwts: total=") {
            let totals: Vec<u64> = totals.split([',', ' ']).map_while(|count| count.parse().ok()).collect();
            for side in &mut self.sides {
                let place = usize::from(side.direction == Direction::Write);
                side.figures.operations = totals.get(place).copied();
            }
        }
    }

    fn add_latency(&mut self, Latency { timer, unit_ns, figures }: &Latency) {
        let value = |name: &str| figures.get(name).map(|found| found.printed.value * unit_ns);
        let line = FioLatency {
            min_ns: value("min"),
            max_ns: value("max"),
            mean_ns: value("avg"),
            stddev_ns: value("stdev"),
            ..FioLatency::default()
        };
        let Some(side) = self.sides.last_mut() else { return };
        let place = match timer {
            Timer::Sync => {
                self.sync = FioLatency { percentiles: std::mem::take(&mut self.sync.percentiles), ..line };
                return;
            }
            Timer::Total => &mut side.figures.total,
            Timer::Completion => &mut side.figures.completion,
        };
        let percentiles = place.take().map(|known| known.percentiles).unwrap_or_default();
        *place = Some(FioLatency { percentiles, ..line });
        // Without a total the completion stands for it.
        let families: &[&str] = match (timer, &side.figures.total) {
            (Timer::Completion, None) => &["completion latency", "latency"],
            (Timer::Completion, Some(_)) => &["completion latency"],
            (Timer::Total | Timer::Sync, _) => &["latency"],
        };
        for (theirs, ours) in [("min", "min"), ("max", "max"), ("avg", "mean"), ("stdev", "sd")] {
            let Some(step) = figures.get(theirs).map(|found| found.printed.uncertainty * unit_ns) else {
                continue;
            };
            side.steps.extend(families.iter().map(|family| (format!("{family} {ours}"), step)));
        }
    }

    /// `|  1.00th=[   17],  5.00th=[   18]`.
    fn add_percentiles(&mut self, line: &str, timer: Timer, unit: f64) {
        let pairs = line.trim_start_matches('|').split(']').filter_map(|part| {
            let (percent, value) = part.trim_start_matches([',', ' ']).split_once("th=[")?;
            Some((percent.trim().parse().ok()?, number(value)?.printed.value * unit))
        });
        let Some(side) = self.sides.last_mut() else { return };
        let line = match timer {
            Timer::Sync => &mut self.sync,
            Timer::Total => side.figures.total.get_or_insert_default(),
            Timer::Completion => side.figures.completion.get_or_insert_default(),
        };
        let known = line.percentiles.len();
        line.percentiles.extend(pairs);
        let names = line.percentiles[known..]
            .iter()
            .map(|(percent, value_ns)| Percentile { quantile: percent / 100.0, value_ns: *value_ns }.name());
        // Percentiles are printed as whole numbers.
        let names: Vec<String> = names.collect();
        for family in ["latency", "completion latency"] {
            side.steps.extend(names.iter().map(|name| (format!("{family} {name}"), unit)));
        }
    }

    fn rows(self, file: &BTreeMap<String, String>) -> Vec<(u64, Claim)> {
        let mut options = self.options.all();
        for (name, value) in file {
            options.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let is_group =
            self.clones.is_some_and(|clones| clones > 1) || options.contains_key("group_reporting");
        if let Some(clones) = self.clones {
            options.insert("numjobs".to_owned(), clones.to_string());
        }
        let side = |direction: Direction| {
            self.sides.iter().find(|side| side.direction == direction).map(|side| side.figures.clone())
        };
        let job = FioJob {
            name: self.options.name,
            is_group,
            read: side(Direction::Read),
            write: side(Direction::Write),
            sync: (self.sync != FioLatency::default()).then(|| self.sync.clone()),
            options,
            ..FioJob::default()
        };
        let rows = rows_of_job(&job).into_iter().filter_map(|(direction, mut row)| {
            let side = self.sides.iter().find(|side| side.direction == direction)?;
            row.uncertainties.extend(side.steps.clone());
            row.setting.memory_cap_bytes = self.options.memory_cap_bytes;
            if !self.options.are_complete {
                row.setting = as_far_as_told(row.setting, &job);
            }
            Some((side.line, row))
        });
        rows.collect()
    }
}

/// Without the whole command line an absent option has not the default: it is unknown.
fn as_far_as_told(setting: Circumstances, job: &FioJob) -> Circumstances {
    let is_told = |names: &[&str]| names.iter().any(|name| job.option(name).is_some());
    Circumstances {
        pattern: setting.pattern.filter(|_| is_told(&["rw", "readwrite"])),
        mode: setting.mode.filter(|_| is_told(&["direct"])),
        block_bytes: setting.block_bytes.filter(|_| is_told(&["bs", "blocksize"])),
        iodepth: setting.iodepth.filter(|_| is_told(&["iodepth"])),
        numjobs: setting.numjobs.filter(|_| is_told(&["numjobs"])),
        engine: setting.engine.filter(|_| is_told(&["ioengine"])),
        sync: setting.sync.filter(|_| is_told(&["sync", "fsync", "fdatasync", "end_fsync"])),
        arrivals: None,
        ..setting
    }
}
