//! Sections that fio runs beside each other, because no `stonewall` separates them.
//!
//! A run of Syncline measures one configuration at a time, so such sections have to be one configuration:
//!
//! | sections | here |
//! |---|---|
//! | with equal options | jobs of one section: `numjobs` times as many |
//! | with equal options but `filename` | the same, with one file for all |
//! | one that reads and one that writes | readers beside writers (parameter `beside`), if both last as long |
//! | any other | refused: one after another they would not meet on the disk |

use super::beside::beside;
use super::extent::Existing;
use super::job::Job;
use super::read::{self, Options, Settings};
use super::refusal::Refusal;
use super::section::{self, Translated};
use crate::job::{JobFile, Section};
use std::collections::BTreeMap;
use std::path::Path;
use workload::device::SCHEMA;

/// Options that do not change what a section measures beside others.
const OWN: [&str; 4] = ["name", "description", "stonewall", "filename"];

/// Groups of sections that run beside each other, each with sections of equal options taken together.
pub(super) fn groups(file: &JobFile) -> Vec<Vec<Options<'_>>> {
    let mut groups: Vec<Vec<Options<'_>>> = Vec::new();
    let mut inherited = BTreeMap::new();
    let mut merged = 0;
    for section in &file.sections {
        for setting in file.globals.iter().take(section.globals).skip(merged) {
            read::insert(&mut inherited, setting);
        }
        merged = merged.max(section.globals);
        let mut settings = inherited.clone();
        for setting in &section.settings {
            read::insert(&mut settings, setting);
        }
        let options = Options { section, settings, copies: 1, files_differ: false };
        match groups.last_mut().filter(|_| !options.waits()) {
            None => groups.push(vec![options]),
            Some(group) => add(group, options),
        }
    }
    groups
}

/// Adds a section to a group, as another copy of one that is equal.
fn add<'a>(group: &mut Vec<Options<'a>>, options: Options<'a>) {
    let jobs_own_file = options.text("numjobs").is_none_or(|jobs| jobs == "1");
    let file = |settings: &Settings<'a>| settings.get("filename").map(|setting| setting.value.clone());
    for known in group.iter_mut().filter(|known| is_equal(&known.settings, &options.settings)) {
        let differ = file(&known.settings) != file(&options.settings);
        // A third section that shares the first one's file after a second that does not is not one of them.
        if differ && jobs_own_file && (known.copies == 1 || known.files_differ)
            || !differ && !known.files_differ
        {
            known.copies += 1;
            known.files_differ = differ;
            return;
        }
    }
    group.push(options);
}

fn is_equal(one: &Settings<'_>, other: &Settings<'_>) -> bool {
    fn told<'a>(settings: &'a Settings<'_>) -> impl Iterator<Item = (&'static str, Option<&'a str>)> {
        let settings = settings.iter().filter(|(name, _)| !OWN.contains(name));
        settings.map(|(name, setting)| (*name, setting.value.as_deref()))
    }
    told(one).eq(told(other))
}

/// One configuration of a group, or all that is wrong with it.
pub(super) fn translate(
    group: &[Options<'_>],
    exists: &dyn Fn(&Path) -> Existing,
) -> Result<Job, Vec<Refusal>> {
    let mut translated = Vec::new();
    let mut refusals = Vec::new();
    for options in group {
        match section::translate(options, exists) {
            Ok(section) => translated.push(section),
            Err(found) => refusals.extend(found),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let sections: Vec<&Section> = group.iter().map(|options| options.section).collect();
    let job = one(translated).map_err(|why| beside_each_other(&sections, &why))?;
    match measurable(&job) {
        Ok(()) => Ok(job),
        Err(why) => Err(vec![Refusal { line: job.line, what: format!("[{}] {why}", job.name) }]),
    }
}

/// The configuration of translated sections, or why they are not one: a clause.
fn one(translated: Vec<Translated>) -> Result<Job, String> {
    let mut sections = translated.into_iter();
    match (sections.next(), sections.next(), sections.next()) {
        (Some(section), None, _) => Ok(alone(section)),
        (Some(first), Some(second), None) => {
            if first.is_delayed || second.is_delayed {
                return Err("startdelay lets one begin before the other".to_owned());
            }
            match ((first.pattern.reads, first.pattern.writes), (second.pattern.reads, second.pattern.writes))
            {
                ((true, false), (false, true)) => beside(second, first),
                ((false, true), (true, false)) => beside(first, second),
                _ => Err("only readers run beside writers".to_owned()),
            }
        }
        _ => Err("no more than two kinds of jobs run beside each other".to_owned()),
    }
}

/// Whether the workload takes the job as it is, or why not: a study would leave it out among its other configurations.
fn measurable(job: &Job) -> Result<(), String> {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in &job.values {
        let parameter = SCHEMA.parameter(name)?;
        configuration.0.insert(name.clone(), parameter.parse(level).map_err(|why| format!("{name}: {why}"))?);
    }
    (SCHEMA.check)(&configuration)
}

fn alone(section: Translated) -> Job {
    let mut job = section.job;
    if section.is_delayed {
        job.remark("startdelay has no effect: nothing else runs meanwhile");
    }
    job
}

fn beside_each_other(sections: &[&Section], why: &str) -> Vec<Refusal> {
    let [first, .., last] = sections else { return Vec::new() };
    let what = format!(
        "[{}] would run beside [{}], and cannot: {why}; add stonewall to [{0}] to run each by itself",
        last.name, first.name
    );
    vec![Refusal { line: last.line, what }]
}
