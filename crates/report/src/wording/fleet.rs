//! The words about a fleet that the terminal and the page share.

mod gap;

pub(crate) use gap::{gaps, lacks};

use crate::quantity::{self, Named, p_value};
use crate::wording::{counted, rank};
use fleet::{
    CONTROLS_MIN, Confirmation, DISKS_MIN, Difference, Disk, DiskResult, Distribution, Fact, Figure, LEVEL,
    MARGIN, Outcome, Question, ROUNDS_MIN, RunOfDisk, RunUse, Standing, Statement, Stratum, StratumResult,
    Suspect, TOGETHER_H,
};
use model::figure::{exact_percent, interval, ratio, round_figure};
use model::metric::Better;
use model::units::format_bytes_approximate;

/// How many of what: the first line.
pub(crate) fn title(statement: &Statement) -> String {
    let strata = if statement.strata.len() == 1 { "stratum" } else { "strata" };
    format!(
        "{}, {}, {} {strata}",
        counted(statement.disks.len(), "disk"),
        counted(statement.runs, "run"),
        statement.strata.len()
    )
}

/// What is known about how many disks: a sentence.
pub(crate) fn summary(statement: &Statement) -> String {
    if statement.disks.is_empty() {
        return "No run of a disk can be compared.".to_owned();
    }
    let of = |standing| statement.standing(standing).count();
    let slow = match of(Standing::Slow) {
        0 => "No disk is proven slow".to_owned(),
        1 => "1 disk is proven slow".to_owned(),
        slow => format!("{slow} disks are proven slow"),
    };
    let rest = [
        (Standing::Suspect, "to be measured again"),
        (Standing::NotChecked, "not checked"),
        (Standing::NotConfirmed, "suspected once and not confirmed"),
        (Standing::WithinLimits, "within the limits"),
        (Standing::NotAssessable, "not assessable"),
    ];
    let rest = rest.into_iter().filter(|(standing, _)| of(*standing) > 0);
    let rest: Vec<String> = rest.map(|(standing, words)| format!("{} {words}", of(standing))).collect();
    let disks = if rest.is_empty() { format!("{slow}.") } else { format!("{slow}; {}.", rest.join(", ")) };
    let unjudged = match statement.unjudged().count() {
        0 => return disks,
        1 => format!(
            "1 question is not judged, because fewer than {DISKS_MIN} disks have {ROUNDS_MIN} rounds of it"
        ),
        questions => format!(
            "{questions} questions are not judged, because fewer than {DISKS_MIN} disks have {ROUNDS_MIN} rounds of them"
        ),
    };
    format!("{disks} {unjudged}.")
}

/// `node17:/srv/data`.
pub(crate) fn disk(disk: &Disk) -> String {
    format!("{}:{}", disk.host, disk.directory)
}

/// What is known about a disk, in a word or two.
pub(crate) const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Slow => "proven slow",
        Standing::Suspect => "measure again",
        Standing::NotChecked => "not checked",
        Standing::NotConfirmed => "not confirmed",
        Standing::WithinLimits => "within limits",
        Standing::NotAssessable => "not assessable",
    }
}

/// `INTEL SSDPE2KX010T8 · firmware VDV10131 · Linux 6.18.0 · ext4`.
pub(crate) fn stratum(stratum: &Stratum) -> String {
    let Stratum { model, firmware, kernel, filesystem } = stratum;
    let parts = [
        model.clone().or_else(|| Some("model not reported".to_owned())),
        firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
        kernel.as_ref().map(|kernel| format!("Linux {kernel}")),
        filesystem.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// `IOPS of depth, iodepth=32`.
pub(crate) fn question(question: &Question) -> String {
    let named = quantity::named(&question.metric);
    let label = if question.label.is_empty() { String::new() } else { format!(", {}", question.label) };
    format!("{} of {}{label}", named.title, question.study)
}

/// `45 100/s (44 000–46 200, 95 %)`; the figure alone with too few rounds.
pub(crate) fn figure(figure: &Figure, named: &Named) -> String {
    let text = round_figure(figure.value, named.unit);
    match figure.interval {
        Some(bounds) => {
            let bounds = interval(bounds, figure.value, named.unit);
            format!("{text} ({bounds}, {})", exact_percent(LEVEL))
        }
        None => format!("{text} (no interval: {} of {ROUNDS_MIN} rounds)", figure.rounds),
    }
}

/// What the first measurement of a suspect shows.
pub(crate) fn first(suspect: &Suspect, distribution: &Distribution, asked: &Question) -> String {
    let named = quantity::named(&asked.metric);
    let limit = distribution.limit.map(|limit| format!(", limit {}", round_figure(limit, named.unit)));
    format!(
        "{}: {} as fast as the median. {} against {}{}, {}",
        question(asked),
        ratio(suspect.times_median),
        figure(&suspect.figure, &named),
        round_figure(distribution.median, named.unit),
        limit.unwrap_or_default(),
        p_value(suspect.p)
    )
}

/// What the second measurement shows.
pub(crate) fn second(suspect: &Suspect, asked: &Question) -> String {
    match &suspect.outcome {
        Outcome::Slow(confirmation) => format!("Measured again: {}", again(confirmation, asked)),
        Outcome::NotConfirmed(confirmation) => {
            format!("Measured again, and not proven slow: {}", again(confirmation, asked))
        }
        Outcome::Doubted { confirmation, runs } => {
            let failed: Vec<String> =
                runs.iter().map(|run| format!("{} in {}", run.audits.join(", "), run.run)).collect();
            format!(
                "Withheld, because of failed audits: {}. {}",
                failed.join("; "),
                again(confirmation, asked)
            )
        }
        Outcome::TooFewControls { controls } => format!(
            "Measured again, with {}: a conclusion needs {CONTROLS_MIN} disks of the same stratum that are not suspects and were \
             measured again within {TOGETHER_H} hours of it",
            counted(*controls, "control")
        ),
        Outcome::TooFewRounds { rounds } => {
            format!("Measured again, with {}: a conclusion needs {ROUNDS_MIN}", counted(*rounds, "round"))
        }
        Outcome::MeasureAgain => "Not measured again yet".to_owned(),
    }
}

fn again(confirmation: &Confirmation, asked: &Question) -> String {
    let named = quantity::named(&asked.metric);
    let Confirmation { run, figure: found, limit, controls, drift, p } = confirmation;
    format!(
        "{}, limit {}, {}; the {controls} controls were {} as fast as before ({run})",
        figure(found, &named),
        round_figure(*limit, named.unit),
        p_value(*p),
        ratio(*drift)
    )
}

/// What distinguishes a suspect from most disks of its stratum: `I/O scheduler mq-deadline (most: none)`.
pub(crate) fn difference(difference: &Difference) -> String {
    let Difference { fact, here, most } = difference;
    let is_bytes = matches!(fact, Fact::DeviceBytes | Fact::MemoryBytes);
    let text = |value: &str| {
        let bytes = value.parse().ok().filter(|_| is_bytes);
        bytes.map_or_else(|| value.to_owned(), format_bytes_approximate)
    };
    let here = here.as_deref().map_or_else(|| "not reported".to_owned(), text);
    format!("{} {here} (most: {})", self::fact(*fact), text(most))
}

const fn fact(fact: Fact) -> &'static str {
    match fact {
        Fact::Model => "model",
        Fact::Firmware => "firmware",
        Fact::Kernel => "kernel",
        Fact::Filesystem => "file system",
        Fact::DeviceBytes => "device size",
        Fact::WriteCache => "write cache",
        Fact::Scheduler => "I/O scheduler",
        Fact::MountOptions => "mount options",
        Fact::QueueSettings => "queue settings",
        Fact::Processor => "processor",
        Fact::Cpus => "CPUs",
        Fact::MemoryBytes => "memory",
        Fact::Virtualisation => "virtualisation",
        Fact::Governor => "frequency governor",
        Fact::Program => "Syncline version",
    }
}

/// Why a stratum is not judged.
pub(crate) fn too_small(result: &StratumResult) -> String {
    let needed = format!("a judgement needs {DISKS_MIN} disks with {ROUNDS_MIN} rounds each");
    if result.disks < DISKS_MIN {
        format!("not assessable: {needed}")
    } else {
        format!("not assessable: {needed}, and too few have them")
    }
}

/// The quantiles of the added histograms: `p50 100 µs, p99 1 200 µs of 4 000 000 operations`.
pub(crate) fn latencies(distribution: &Distribution, named: &Named) -> Option<String> {
    if distribution.latencies.is_empty() {
        return None;
    }
    let quantile = |(quantile, us): &(f64, f64)| {
        let percent = format!("{:.3}", quantile * 100.0);
        let percent = percent.trim_end_matches('0').trim_end_matches('.');
        format!("p{percent} {}", round_figure(*us, named.unit))
    };
    let quantiles: Vec<String> = distribution.latencies.iter().map(quantile).collect();
    let operations = model::figure::round(distribution.operations as f64);
    let disks = counted(distribution.added, "disk");
    Some(format!("{} of {operations} operations of {disks} together", quantiles.join(", ")))
}

/// When the first measurements of a stratum began: `measured 2026-11-01` or `measured 2026-11-01 to 2026-11-30`.
pub(crate) fn measured(result: &StratumResult) -> Option<String> {
    let day = |time: &str| time.chars().take(10).collect::<String>();
    let (first, last) = result.began_at.as_ref().map(|(first, last)| (day(first), day(last)))?;
    Some(if first == last { format!("measured {first}") } else { format!("measured {first} to {last}") })
}

/// The slowest and the fastest figure of a distribution.
pub(crate) fn ends(distribution: &Distribution, named: &Named) -> (f64, f64) {
    let values = || distribution.figures.iter().map(|figure| figure.value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    match named.better {
        Better::Lower => (high, low),
        Better::Higher | Better::Neither => (low, high),
    }
}

/// `RUN, 2026-11-21T10:00:00Z, rank 3 of 8`.
pub(crate) fn run(run: &RunOfDisk) -> String {
    let rank = run.rank.map(|found| format!(", {}", rank(found))).unwrap_or_default();
    let used = match run.used {
        RunUse::First => "",
        RunUse::Second => ", measured again",
        RunUse::Unused => ", not used",
    };
    format!("{}, {}{rank}{used}", run.run, run.began_at)
}

/// `0.51× as fast as the median in …`, for the row of a disk.
pub(crate) fn slowest(result: &DiskResult, statement: &Statement) -> Option<String> {
    let (distribution, times) = result.slowest?;
    let asked = statement.questions.get(statement.distributions.get(distribution)?.question)?;
    Some(format!("{} ({})", ratio(times), question(asked)))
}

/// What each conclusion requires.
pub(crate) fn rules(statement: &Statement) -> [String; 4] {
    [
        format!(
            "A disk is compared with the disks of its stratum: the same device model, firmware, kernel and file system. A stratum is \
             judged from {DISKS_MIN} disks with {ROUNDS_MIN} rounds each."
        ),
        format!(
            "A suspect's first measurement lies, with its whole {} interval, beyond a limit: median and MAD over disks, at 5 % for all disks \
             and questions together (Holm, {}), and never within {} of the median.",
            exact_percent(LEVEL),
            counted(statement.tests, "test"),
            exact_percent(MARGIN - 1.0)
        ),
        format!(
            "A disk is proven slow by a second run that lies beyond the limit by itself (one-sided t test, Holm over the suspects, 5 %). The \
             limit moves with at least {CONTROLS_MIN} controls that were measured again within {TOGETHER_H} hours of it, and no audit of \
             either run may have failed."
        ),
        "The latest run of a disk is its first measurement, whenever it ran, and a run with --again after that is the second one. Earlier \
         runs are not used, nor are runs under another kernel or firmware than the latest one."
            .to_owned(),
    ]
}
