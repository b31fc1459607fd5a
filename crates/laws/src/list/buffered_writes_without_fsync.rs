//! Buffered writes that nothing syncs: what was timed is the copy into memory, and the device's work happens later.

use crate::claim::Claim;
use crate::law::{Law, Looks, Reads};
use crate::reading::MEASURED;
use crate::status::Status;
use model::IoMode;

pub const LAW: Law = Law {
    name: "buffered-writes-without-fsync",
    looks: Looks::AtFigures,
    needs: "rw, mode, synced (or sync)",
    held: "Writes are direct or synced within the measured time in {}.",
    broken: "Buffered writes are not synced within the measured time in {}.",
    advice: "Run with end_fsync=1 (or fdatasync=N) and compare that: data that is in memory when the clock \
        stops was not written.",
    lacking: "No {} writes and states its I/O mode and whether it syncs.",
    reads: Reads::Each(MEASURED, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let setting = &claim.setting;
    if !setting.writes()? {
        return None;
    }
    let mode = setting.mode?;
    if mode == IoMode::Direct {
        return Some((Status::Pass, String::new()));
    }
    let synced = setting.is_synced()?;
    let text = format!("{mode} writes without end_fsync or fdatasync: measured into memory.");
    Some((if synced { Status::Pass } else { Status::Warn }, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn buffered_writes_without_fsync() {
        let table = |row: &str| format!("iops,rw,mode,synced\n1000,{row}\n");
        check(&LAW, &table("randwrite,buffered,0"), Status::Warn, "measured into memory");
        check(&LAW, &table("randrw,dontcache,0"), Status::Warn, "dontcache writes");
        check(&LAW, &table("randwrite,buffered,1"), Status::Pass, "synced");
        check(&LAW, &table("randwrite,direct,0"), Status::Pass, "direct");
        check(&LAW, &table("randwrite,buffered,"), Status::NotAssessable, "whether it syncs");
        check(&LAW, &table("randread,buffered,0"), Status::NotAssessable, "No row writes");
    }
}
