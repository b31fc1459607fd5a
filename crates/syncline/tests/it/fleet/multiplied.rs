//! Runs of many hosts, made of one: the same plan and trials, with other names and times, and figures that scatter
//! around those of the original.

use model::metric::{self, Better, Metric};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A run directory to multiply.
pub(crate) struct Original {
    plan: Value,
    host: Value,
    records: Vec<Value>,
    sidecars: PathBuf,
}

/// One run to make.
pub(crate) struct Copy<'a> {
    /// Name of the host.
    pub(crate) host: &'a str,
    /// Day of the month on which it was measured.
    pub(crate) day: u32,
    /// Whether it is a second measurement.
    pub(crate) again: bool,
    /// How many times as fast as the original the disk is.
    pub(crate) times: f64,
    /// Standard deviation of the logarithm of each trial's figures.
    pub(crate) scatter: f64,
}

impl Original {
    pub(crate) fn read(directory: &Path) -> io::Result<Self> {
        let read = |name: &str| fs::read_to_string(directory.join(name));
        Ok(Self {
            plan: serde_json::from_str(&read("plan.json")?)?,
            host: serde_json::from_str(&read("host.json")?)?,
            records: read("trials.jsonl")?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?,
            sidecars: directory.join("sidecars"),
        })
    }

    /// Changes every record, and with it every copy.
    #[allow(dead_code, reason = "the benchmark shares this file and changes nothing")]
    pub(crate) fn edit(&mut self, edit: impl Fn(&mut Value)) {
        self.records.iter_mut().for_each(edit);
    }

    /// Changes the plan, and with it every copy.
    #[allow(dead_code, reason = "the benchmark shares this file and changes nothing")]
    pub(crate) fn edit_plan(&mut self, edit: impl FnOnce(&mut Value)) {
        edit(&mut self.plan);
    }

    /// Writes a copy. Its sidecars are links to those of the original.
    pub(crate) fn write(&self, directory: &Path, copy: &Copy<'_>) -> io::Result<()> {
        let (mut plan, mut host) = (self.plan.clone(), self.host.clone());
        plan["created_at"] = format!("2036-11-{:02}T10:00:00Z", copy.day).into();
        plan["again"] = copy.again.into();
        host["name"] = copy.host.into();
        let seed = copy
            .host
            .bytes()
            .fold(u64::from(copy.day), |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut random = Random(seed);
        let mut lines = String::new();
        for record in &self.records {
            let mut record = record.clone();
            record["started_at"] = format!("2036-11-{:02}T10:00:20Z", copy.day).into();
            let times = copy.times * (copy.scatter * random.normal()).exp();
            let phases = record.pointer_mut("/measurement/phases").and_then(Value::as_array_mut);
            phases.into_iter().flatten().for_each(|phase| scale(phase, times));
            lines.push_str(&record.to_string());
            lines.push('\n');
        }
        fs::create_dir_all(directory)?;
        fs::write(directory.join("plan.json"), plan.to_string())?;
        fs::write(directory.join("host.json"), host.to_string())?;
        fs::write(directory.join("trials.jsonl"), lines)?;
        self.link_sidecars(&directory.join("sidecars"))
    }

    fn link_sidecars(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir(directory)?;
        for entry in fs::read_dir(&self.sidecars)? {
            let entry = entry?;
            fs::hard_link(entry.path(), directory.join(entry.file_name()))?;
        }
        Ok(())
    }
}

/// Makes the rates and latencies of a phase those of a disk that is `times` as fast.
fn scale(phase: &mut Value, times: f64) {
    let Some(metrics) = phase["metrics"].as_object_mut() else { return };
    for (name, figure) in metrics {
        let Some(paid) = metric::find(name).filter(Metric::is_paid) else { continue };
        let factor = if paid.family.better == Better::Lower { 1.0 / times } else { times };
        if let Some(value) = figure.as_f64() {
            *figure = (value * factor).into();
        }
    }
}

/// SplitMix64, and a standard normal figure of it (Box and Muller 1958).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
