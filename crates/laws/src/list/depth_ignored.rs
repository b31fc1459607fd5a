//! A depth given to an engine that waits for each operation: one was in flight, whatever the column says (fio HOWTO,
//! `iodepth`).

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use std::collections::BTreeSet;

pub const LAW: Law = Law {
    name: "depth-ignored",
    looks: Looks::AtFigures,
    needs: "ioengine, iodepth",
    held: "The engine keeps the stated depth in {}.",
    broken: "The engine ignores the stated depth in {}.",
    advice: "Read these rows as one operation in flight for each job; for more use io_uring or libaio with \
        direct I/O.",
    lacking: "No {} gives its engine and its depth.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let waiting = claims.iter().filter(|claim| claim.setting.is_synchronous());
    let depths: BTreeSet<u64> = waiting.filter_map(|claim| claim.setting.iodepth).collect();
    // Claims that differ in a depth that none of them had are a comparison of nothing.
    let off = if depths.len() > 1 { Status::Fail } else { Status::Warn };
    let reading = |(index, claim)| {
        let (is_ignored, text) = read(claim)?;
        let status = if is_ignored { off } else { Status::Pass };
        Some(Reading::new(Concern::Comparison, status, text).of(index))
    };
    claims.iter().enumerate().filter_map(reading).collect()
}

fn read(claim: &Claim) -> Option<(bool, String)> {
    let (engine, depth) = (claim.setting.engine.as_ref()?, claim.setting.iodepth?);
    let text = format!("{engine} has one operation in flight for each job, but the stated depth is {depth}.");
    Some((claim.setting.is_synchronous() && depth > 1, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::littles_law;
    use crate::tests::check;

    #[test]
    fn a_depth_that_its_engine_ignores() {
        let table = |rows: &str| format!("iops,ioengine,iodepth\n{rows}");
        check(&LAW, &table("1,psync,32\n"), Status::Warn, "the stated depth is 32");
        check(&LAW, &table("1,psync,1\n1,psync,32\n"), Status::Fail, "1 of 2 rows");
        check(&LAW, &table("1,psync,1\n1,io_uring,32\n"), Status::Pass, "the stated depth in 2 rows");
        check(&LAW, &table("1,,32\n"), Status::NotAssessable, "engine");
        // 32 were never in flight, and Little's law does not pretend so.
        let law = "iops,latency_mean_us,ioengine,iodepth,numjobs\n100000,310,psync,32,1\n";
        check(&littles_law::LAW, law, Status::Fail, "31.0 in flight, and 1 are possible.");
    }
}
