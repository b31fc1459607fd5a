//! What of fio's options a text shows: a command line, or the line in which fio repeats the first of them.

use super::output::behind;
use model::units::parse_bytes;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Options of one job, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Options {
    pub(super) name: String,
    pub(super) values: BTreeMap<String, String>,
    /// What the command line has for all of its jobs; the job's own count more.
    pub(super) shared: Rc<BTreeMap<String, String>>,
    /// Whether these are all: what is absent has fio's default.
    pub(super) are_complete: bool,
    /// `systemd-run -p MemoryMax=10G` before fio.
    pub(super) memory_cap_bytes: Option<u64>,
}

/// Switches, which take no value.
const SWITCHES: &[&str] =
    &["group_reporting", "time_based", "thread", "eta-newline", "minimal", "norandommap", "stonewall"];

/// The options of a command line: `--name=value`, `--name value`, `-name=value`, `--switch`.
pub(super) fn words(text: &str) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for word in text.split_whitespace() {
        let word = word.trim_matches(['"', '\'', '`']);
        let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        if let Some(option) = option.filter(|option| option.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            is_open = !option.contains('=') && !SWITCHES.contains(&name);
            options.push((name.to_owned(), value.trim_matches(['"', '\'']).to_owned()));
        } else if let Some((_, value)) = options.last_mut().filter(|_| is_open) {
            word.clone_into(value);
            is_open = false;
        }
    }
    options
}

/// The jobs of fio's command line: options before the first name hold for all.
pub(super) fn jobs(line: &str) -> Option<Vec<Options>> {
    let (before, rest) = line.split_once("fio ")?;
    let is_program = before.is_empty() || before.ends_with(['/', ' ', '$', '#', '`', '>']);
    let options = words(rest);
    if !is_program
        || !options.iter().any(|(name, _)| matches!(name.as_str(), "name" | "rw" | "readwrite" | "filename"))
    {
        return None;
    }
    let memory_cap_bytes =
        before.split_whitespace().find_map(|word| parse_bytes(word.strip_prefix("MemoryMax=")?));
    let first = options.iter().position(|(name, _)| name == "name").unwrap_or(options.len());
    let valued = |(name, value): &(String, String)| {
        (name.clone(), if value.is_empty() { "1".to_owned() } else { value.clone() })
    };
    let shared = Rc::new(options[..first].iter().map(valued).collect());
    let begun = Options { are_complete: true, memory_cap_bytes, shared, ..Options::default() };
    let mut jobs: Vec<Options> = Vec::new();
    for option in &options[first..] {
        if option.0 == "name" {
            jobs.push(Options { name: option.1.clone(), ..begun.clone() });
        } else if let Some(job) = jobs.last_mut() {
            job.values.extend([valued(option)]);
        }
    }
    Some(if jobs.is_empty() { vec![begun] } else { jobs })
}

impl Options {
    /// Adds what is not known yet.
    pub(super) fn add(&mut self, values: BTreeMap<String, String>) {
        for (name, value) in values {
            if !self.shared.contains_key(&name) {
                self.values.entry(name).or_insert(value);
            }
        }
    }

    pub(super) fn all(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::clone(&self.shared);
        all.extend(self.values.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }
}

/// `randwrite: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) …, ioengine=io_uring, iodepth=16`.
pub(super) fn repeated(line: &str) -> Option<Options> {
    let (name, rest) = line.split_once(": (g=")?;
    let (_, rest) = rest.split_once("): ")?;
    let mut options = Options { name: name.trim().to_owned(), ..Options::default() };
    for part in rest.split(", ").filter_map(|part| part.split_once('=')) {
        let (name, value) = part;
        // `(R) 4096B-4096B`, and `4K-4K/4K-4K/4K-4K` of fio 2: the sizes of reads, writes and trims.
        let value = if name == "bs" { one_size(rest) } else { Some(value.to_owned()) };
        options.values.extend(value.map(|value| (name.to_owned(), value)));
    }
    Some(options)
}

/// The one block size that reads and writes have; `None` if there are several.
fn one_size(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("bs=")?;
    let end = rest.find(", ioengine").unwrap_or(rest.len());
    let sizes =
        rest[..end].split(['-', '/', ',', ' ']).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let mut sizes: Vec<&str> = sizes.collect();
    sizes.dedup();
    match sizes.as_slice() {
        [size] => parse_bytes(size).map(|bytes| bytes.to_string()),
        _ => None,
    }
}

/// An option of a job file that is printed above the results: `direct=1`.
pub(super) fn job_file_line(line: &str) -> Option<(&str, &str)> {
    const TAKEN: &[&str] = &[
        "direct",
        "fsync",
        "fdatasync",
        "sync",
        "end_fsync",
        "size",
        "filesize",
        "numjobs",
        "rate_iops",
        "thinktime",
    ];
    TAKEN.iter().find_map(|name| Some((*name, behind(line, name)?))).filter(|(_, value)| !value.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_a_command_line() {
        let jobs =
            jobs("$ sudo fio -direct=1 --name=a --rw=randread --bs 4k --group_reporting --name=b --rw=write")
                .unwrap();
        assert_eq!(jobs.len(), 2);
        let value = |job: usize, name: &str| jobs[job].all().get(name).cloned();
        let told = |value: &str| Some(value.to_owned());
        assert_eq!(
            (value(0, "rw"), value(0, "bs"), value(0, "group_reporting")),
            (told("randread"), told("4k"), told("1"))
        );
        assert_eq!((value(1, "direct"), value(1, "bs")), (told("1"), None));
        assert_eq!(super::jobs("we ran fio --version"), None);
    }

    #[test]
    fn what_fio_repeats() {
        let found = repeated(
            "a: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
            ioengine=libaio, iodepth=16",
        )
        .unwrap();
        assert_eq!(found.values["bs"], "4096");
        assert_eq!((found.values["rw"].as_str(), found.values["iodepth"].as_str()), ("randwrite", "16"));
        let old = repeated("a: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1").unwrap();
        assert_eq!(old.values["bs"], "4096");
        assert_eq!(repeated("a: (groupid=0, jobs=1): err= 0"), None);
    }
}
