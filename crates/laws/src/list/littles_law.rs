//! Little's law: operations per second × mean latency = operations in flight (Little 1961), and no more can be in
//! flight than depth × jobs.
//!
//! What is accounted for is at most what is stated, and what the program itself counted over time, if it counted,
//! to within the uncertainty of both. A printed figure is uncertain by its last digit. Syncline's own figures are
//! uncertain by the resolution of its histograms, by the way from an operation's end to its reaping, and by what
//! lies over the edges of the windows of a trial that takes turns. All of that belongs to the claim, so there is
//! one limit for both.
//!
//! If only percentiles are published, the mean has a lower bound by them (at least half of the median): page 000's
//! buffered rows exceed 32 reads in flight even by that bound.
//!
//! The law holds run by run. For a claim that is a mean of known runs it is applied to each of them: rate and
//! latency move against each other, and the product of their means is more than was in flight.
//!
//! fio's `lat` ends before the `fsync` or `fdatasync` that follows a write. A loop that syncs by calls of its own
//! has its slots empty while they last, so their time counts if it is published; if it is not, only too many in
//! flight can be detected.

use super::derived_latency;
use crate::claim::{Arrivals, Circumstances, Claim, Direction, Sync};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, MEASURED, Reading};
use crate::status::Status;
use model::figure::count;
use model::units::format_significant;

/// Disagreement beyond the figures' uncertainty that a run's ends may explain: operations in flight at either end
/// are in one of the two only. They are a few percent of a run of a second, which is the shortest that people
/// publish.
pub const WARN_BEYOND: f64 = 0.03;
/// Disagreement beyond which one of the figures is wrong.
pub const FAIL_BEYOND: f64 = 0.08;
/// A closed loop keeps its slots full but for its own work between operations.
const CLOSED_LOOP_MIN: f64 = 0.5;

pub const LAW: Law = Law {
    name: "littles-law",
    looks: Looks::AtFigures,
    needs: "iops, latency_mean_us, in_flight (or iodepth and numjobs)",
    held: "Rate × mean latency fits the operations that can be in flight in {}.",
    broken: "Rate × mean latency does not fit the operations in flight in {}.",
    advice: "Rate, latency or number in flight comes from somewhere else: run the row again and publish the \
        whole output of one run.",
    lacking: "No {} gives a rate, a latency and the operations that can be in flight (iodepth × numjobs).",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let derived = derived_latency::derived(claims);
    let judged = claims.iter().enumerate().filter(|(index, _)| !derived.contains(index));
    let readings = judged.filter_map(|(index, claim)| read(index, claim)).collect();
    let open = claims.iter().filter(|claim| claim.setting.arrivals == Some(Arrivals::Open)).count();
    let left_out = (open > 0).then(|| {
        format!(
            "{} of an open loop are left out: their latency includes the wait before the submission.",
            count(open, "row")
        )
    });
    LawResult { readings, notes: left_out.into_iter().collect(), told: None }
}

fn read(index: usize, claim: &Claim) -> Option<Reading> {
    let setting = &claim.setting;
    if setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let possible = setting.in_flight_possible().filter(|possible| *possible > 0)?;
    let found = InFlight::from_claim(claim)?;
    let excess = |stated: f64| found.least() / stated - 1.0;
    let lack = |stated: f64| stated / found.most() - 1.0;
    let counted = claim.in_flight_counted.filter(|counted| *counted > 0.0);
    let miscounted = counted.map_or(0.0, |counted| excess(counted).max(lack(counted)));
    let severity = excess(possible as f64).max(miscounted).max(0.0);
    let occupied = found.most() + claim.syncs_under_way.unwrap_or(0.0);
    let is_closed = setting.arrivals == Some(Arrivals::Closed) && !found.is_bound && counted.is_none();
    let is_empty = is_closed && occupied < CLOSED_LOOP_MIN * possible as f64;
    let status = if severity > FAIL_BEYOND {
        Status::Fail
    } else if severity > WARN_BEYOND {
        Status::Warn
    } else if is_empty && is_sync_hidden(claim) {
        return None;
    } else if is_empty {
        Status::Warn
    } else {
        Status::Pass
    };
    let text = match counted {
        Some(counted) => format!(
            "latencies account for {} operations in flight, the driver counted {}, {} are possible.",
            found.span(),
            format_significant(counted),
            format_significant(possible as f64)
        ),
        None => {
            format!("{}{}, and {possible} are possible{}.", found.words(), syncing(claim), source(setting))
        }
    };
    Some(Reading { severity, ..Reading::new(Concern::Kinds(MEASURED), status, text).of(index) })
}

/// Whether the time of the syncs that empty its slots is unknown.
fn is_sync_hidden(claim: &Claim) -> bool {
    let setting = &claim.setting;
    let has_sync_calls = setting.sync.map_or(setting.synced == Some(true), Sync::is_call);
    has_sync_calls && claim.syncs_under_way.is_none() && setting.direction != Some(Direction::Read)
}

fn syncing(claim: &Claim) -> String {
    let syncs = claim.syncs_under_way.filter(|syncs| *syncs > 0.0);
    syncs.map_or(String::new(), |syncs| format!(" beside {} in a sync", format_significant(syncs)))
}

/// Where the number that is possible comes from.
fn source(setting: &Circumstances) -> String {
    let is_told = setting.in_flight.is_none() && !setting.is_synchronous();
    match (is_told, setting.iodepth, setting.numjobs) {
        (true, Some(depth), Some(jobs)) => format!(" ({} × {depth})", count(jobs as usize, "job")),
        (_, _, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn littles_law() {
        let header = "iops,latency_mean_us,iodepth,numjobs\n";
        let table = |row: &str| format!("{header}{row}\n");
        check(&LAW, &table("721000,177,16,8"), Status::Pass, "fits");
        check(
            &LAW,
            &table("771000,177,16,8"),
            Status::Warn,
            "136 in flight, and 128 are possible (8 jobs × 16)",
        );
        check(&LAW, &table("1129000,177,16,8"), Status::Fail, "200 in flight");
        check(&LAW, &table("1129000,177,,8"), Status::NotAssessable, "No row gives");
        check(&LAW, &table("1000000,177,32,1"), Status::Fail, "(1 job × 32)");
        // Slots that stay empty are a finding only if it is known that nothing but the loop fills them.
        check(&LAW, &table("1000,10,16,8"), Status::Pass, "fits");
        let closed = "iops,latency_mean_us,in_flight,rate_iops\n1000,10,16,none\n";
        check(&LAW, closed, Status::Warn, "0.0100 in flight");
        let open = "iops,latency_mean_us,in_flight,rate_iops\n1000,1000000,16,1000\n";
        check(&LAW, open, Status::NotAssessable, "1 row of an open loop");
        // A mean lies above half of the median, whatever the distribution.
        let median = |micros: u32| format!("iops,latency_p50_us,in_flight\n1000000,{micros},32\n");
        check(&LAW, &median(60), Status::Pass, "fits");
        check(&LAW, &median(90), Status::Fail, "at least 45.0 µs");
    }
}
