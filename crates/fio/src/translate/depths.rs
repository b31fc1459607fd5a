//! The search for the depth that meets a latency (`latency_target`), as a job for each depth.

use super::job::Job;
use super::read::Options;
use super::refusal::Answer;
use model::Nanos;
use model::units::format_duration;

/// The percentiles that the table of jobs has.
const PERCENTILES: [f64; 4] = [50.0, 95.0, 99.0, 99.9];

/// The job itself, or if it searches for a depth a job for each depth that fio tries first: 1, 2, 4 … `iodepth`.
pub(super) fn depths(group: &[Options<'_>], job: Job) -> Answer<Vec<Job>> {
    let mut searching = group.iter().filter_map(|options| Some((options, target(options).transpose()?)));
    let Some((options, target)) = searching.next() else { return Ok(vec![job]) };
    let target = target?;
    let name = "latency_target";
    if group.len() > 1 {
        return options.refuse(
            name,
            "latency_target searches for the depth of one section: add stonewall to run it by itself",
        );
    }
    let Some(window) = microseconds(options, "latency_window")? else {
        return options
            .refuse(name, "latency_target needs the length of a measurement: add latency_window=5s");
    };
    let percent = options.text("latency_percentile").map(|text| (text, text.trim().parse::<f64>()));
    let percent = match percent {
        Some((_, Ok(percent))) if PERCENTILES.contains(&percent) => percent,
        Some((text, _)) => {
            let text = model::printable(text);
            let what = format!("latency_percentile={text} is not reported; take 50, 95, 99 or 99.9");
            return options.refuse("latency_percentile", what);
        }
        None => {
            return options.refuse(
                name,
                "without latency_percentile the slowest operation decides; add 99.9, for example",
            );
        }
    };
    let deepest = job.value("iodepth").and_then(|depth| depth.parse::<u64>().ok()).unwrap_or(1);
    let doubled = std::iter::successors(Some(1_u64), |depth| depth.checked_mul(2));
    let depths = doubled.take_while(|depth| *depth < deepest).chain([deepest]);
    let at = |depth: u64| {
        let mut at = job.clone();
        at.name = format!("{} depth {depth}", job.name);
        at.values.retain(|(name, _)| !["iodepth", "runtime", "number_ios"].contains(&name.as_str()));
        at.set("iodepth", &depth);
        at.set("runtime", &format_duration(window));
        at.set("number_ios", &0);
        at.remark(format!(
            "latency_target: each depth is measured for latency_window, and fio's answer is the deepest row whose \
             p{percent} is at most {}; fio then searches between two of these depths too",
            format_duration(target)
        ));
        at
    };
    Ok(depths.map(at).collect())
}

fn target(options: &Options<'_>) -> Answer<Option<Nanos>> {
    Ok(microseconds(options, "latency_target")?.filter(|target| *target > Nanos::ZERO))
}

/// A time whose bare number is microseconds.
fn microseconds(options: &Options<'_>, name: &str) -> Answer<Option<Nanos>> {
    match options.count(name) {
        Ok(count) => Ok(count.map(|count| Nanos(count.saturating_mul(1000)))),
        Err(_) => options.time(name),
    }
}
