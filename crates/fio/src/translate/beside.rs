//! Readers beside writers: two translated sections as one configuration.

use super::job::Job;
use super::section::Translated;
use super::teams;
use model::{Team, Teams};
use std::collections::BTreeSet;

/// What both have in common, because a trial has it once.
const COMMON: [&str; 5] = ["buffer_pages", "cache", "runtime", "ramp_time", "rate_period"];

/// One configuration of the writers' parameters with those of the readers beside them, or why there is none: a clause.
pub(super) fn beside(writers: Translated, readers: Translated) -> Result<Job, String> {
    let (mut job, other) = (writers.job, readers.job);
    let registers = [&job, &other].map(|job| job.value("registered"));
    if let [Some(own), Some(others)] = registers
        && own != others
    {
        return Err("one registers its buffers and the other does not".to_owned());
    }
    if let Some(parameter) = COMMON.iter().find(|name| job.value(name) != other.value(name)) {
        return Err(format!("their {parameter} differs"));
    }
    if [&job, &other].iter().any(|job| job.value("number_ios") != Some("0")) {
        return Err("they end at different times without time_based".to_owned());
    }
    let is_skewed =
        |job: &Job| job.value("random_distribution").is_some_and(|name| !["uniform", "once"].contains(&name));
    if is_skewed(&job) || is_skewed(&other) || job.value("cpu").is_some() || other.value("cpu").is_some() {
        return Err("random_distribution and cpus_allowed are for jobs of one kind".to_owned());
    }
    if let Some(parameter) = ["bssplit", "hole", "order", "thinktime", "verify", "whole_file"]
        .into_iter()
        .find(|name| other.value(name).is_some())
    {
        return Err(format!("readers beside writers have no {parameter}"));
    }
    if job.directory.is_some() && other.directory.is_some() && job.directory != other.directory {
        return Err("their directories differ".to_owned());
    }
    let shared = writers.filename.is_some() && writers.filename == readers.filename;
    if shared && job.value("size") != other.value("size") {
        return Err("their sizes of one file differ".to_owned());
    }
    if job.value("random_distribution") == Some("once") || other.value("random_distribution") == Some("once")
    {
        job.values.retain(|(name, _)| name != "random_distribution");
        job.set("random_distribution", "uniform");
        job.remark("random blocks of readers beside writers are drawn with replacement, as with norandommap");
    }
    let mut remarks = BTreeSet::new();
    job.remarks.extend(other.remarks.iter().cloned());
    job.remarks.retain(|remark| remarks.insert(remark.clone()));
    let names =
        [("name", &job), ("beside_name", &other)].map(|(key, job)| (key.to_owned(), teams::name(job)));
    job.set("teams", &Teams::new(vec![Team::new(names)?])?);
    job.set("beside", other.value("rw").unwrap_or_default());
    for (parameter, own) in [
        ("beside_bs", "bs"),
        ("beside_iodepth", "iodepth"),
        ("beside_numjobs", "numjobs"),
        ("beside_rate_iops", "rate_iops"),
    ] {
        if let Some(value) = other.value(own) {
            job.set(parameter, value);
        }
    }
    if let Some(size) = other.value("size").filter(|_| !shared) {
        job.set("beside_size", size);
    }
    for (parameter, own) in
        [("beside_ioengine", "ioengine"), ("beside_mode", "mode"), ("beside_advice", "advice")]
    {
        if let Some(value) = other.value(own).filter(|value| job.value(own) != Some(value)) {
            job.set(parameter, value);
        }
    }
    // Only a ring registers anything.
    if let Some(registered) = other.value("registered").filter(|_| job.value("registered").is_none()) {
        job.set("registered", registered);
    }
    job.name = format!("{} beside {}", other.name, job.name);
    Ok(job)
}
