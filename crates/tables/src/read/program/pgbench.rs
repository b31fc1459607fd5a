//! `pgbench`: transactions per second and their latency. Without a standard deviation it has measured no latency and
//! computes the average from the rate (`printResults` in pgbench.c), which confirms nothing.

use super::output::{NumberedLine, Output, behind, number, value};
use laws::{Arrivals, Claim, Estimate, Figure, LatencyFigure, Timed};
use std::sync::Arc;

const BEGIN: &str = "transaction type";

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    let begins: Vec<usize> =
        (0..lines.len()).filter(|index| behind(lines[*index].1, BEGIN).is_some()).collect();
    for (place, begin) in begins.iter().enumerate() {
        let end = begins.get(place + 1).copied().unwrap_or(lines.len());
        let Some((row, is_computed)) = report(&lines[*begin..end]) else { continue };
        let line = lines[*begin].0;
        output.push(line, row);
        if is_computed {
            output.remarks.push(format!(
                "Line {line}: pgbench computed the latency average from the rate and the clients, so neither confirms \
                 the other."
            ));
        }
    }
    output
}

/// The figures of one report, and whether its latency is computed.
fn report(lines: &[NumberedLine<'_>]) -> Option<(Claim, bool)> {
    let find = |name: &str| lines.iter().find_map(|(_, line)| behind(line, name));
    let mut row = Claim { label: find(BEGIN)?.to_owned(), n: Some(1), ..Claim::default() };
    // Older versions print a second rate, which leaves the time to connect out.
    let mut rates = lines.iter().filter_map(|(_, line)| behind(line, "tps"));
    let rate =
        rates.next_back().and_then(|text| number(text.split_once(" (").map_or(text, |(rate, _)| rate)))?;
    row.operations_per_s = Some(row.measured("iops", rate.printed));
    row.setting.in_flight = find("number of clients").and_then(value).map(|clients| clients as u64);
    let processed = find("number of transactions actually processed");
    row.operations = processed.and_then(|text| value(text.split('/').next()?)).map(|count| count as u64);
    row.runtime_s = find("duration").and_then(number).map(|found| found.printed.value);
    let is_paced = lines.iter().any(|(_, line)| line.contains("rate limit schedule lag"));
    row.setting.arrivals = Some(if is_paced { Arrivals::Open } else { Arrivals::Closed });
    for knob in ["query mode", "scaling factor", "number of threads"] {
        Arc::make_mut(&mut row.setting.knobs)
            .extend(find(knob).map(|level| (knob.to_owned(), level.to_owned())));
    }
    let nanos = |name: &str| {
        find(name).and_then(number).and_then(|found| Some(found.printed.scaled(found.unit?.factor)))
    };
    let (mean, deviation) = (nanos("latency average"), nanos("latency stddev"));
    if let Some(deviation) = deviation {
        let mut put = |figure: LatencyFigure, value: Figure| row.put(Timed::Operation, figure, value);
        put(LatencyFigure::StandardDeviation, deviation);
        if let Some(mean) = mean {
            put(LatencyFigure::Mean, mean);
        }
    } else if let Some(mean) = mean {
        row.estimates.push(Estimate {
            column: "latency average, ms".to_owned(),
            same_as: None,
            figure: Some(mean.scaled(1e-6)),
            spread: None,
            median: None,
        });
    }
    Some((row, deviation.is_none() && mean.is_some()))
}
