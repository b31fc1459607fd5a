//! Several passes over a file for one figure, and the page cache dropped before the first alone: the later passes read
//! memory. On page 004 a hint that keeps pages wins that way.

use crate::claim::{Claim, Direction};
use crate::law::{Law, Looks, Reads};
use crate::reading::MEASURED;
use crate::status::Status;
use model::IoMode;

pub const LAW: Law = Law {
    name: "caches-dropped-once",
    looks: Looks::AtFigures,
    needs: "rw, passes, cache_drops",
    held: "Every pass begins with a cold cache, or cannot use a warm one, in {}.",
    broken: "Passes after the first find their pages in memory in {}.",
    advice: "Drop the cache before each pass, or publish each pass by itself: the figure is a mixture of \
        the device and of memory, and what keeps pages wins it.",
    lacking: "No {} reads and states its number of passes and how often the cache was dropped.",
    reads: Reads::Each(MEASURED, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let setting = &claim.setting;
    if setting.direction == Some(Direction::Write) {
        return None;
    }
    let (passes, drops) = (setting.passes?, setting.cache_drops?);
    let is_too_large =
        setting.file_bytes.zip(setting.cache_bytes()).is_some_and(|(file, memory)| file > memory);
    let is_cold = drops >= passes || setting.mode == Some(IoMode::Direct) || is_too_large;
    let text = format!(
        "{passes} passes, and the cache was dropped {}.",
        if drops == 1 { "once".to_owned() } else { format!("{drops} times") }
    );
    Some((if is_cold { Status::Pass } else { Status::Warn }, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn caches_dropped_once_for_three_passes() {
        let table = |row: &str| format!("rw,mode,passes,cache_drops,file_bytes,memory_bytes,iops\n{row},5\n");
        check(&LAW, &table("read,buffered,3,1,,"), Status::Warn, "3 passes, and the cache was dropped once");
        check(&LAW, &table("read,buffered,3,3,,"), Status::Pass, "cold cache");
        check(&LAW, &table("read,buffered,1,1,,"), Status::Pass, "cold cache");
        check(&LAW, &table("read,direct,3,1,,"), Status::Pass, "cannot use a warm one");
        check(&LAW, &table("read,buffered,3,1,64GiB,8GiB"), Status::Pass, "cannot use a warm one");
        check(&LAW, &table("write,buffered,3,1,,"), Status::NotAssessable, "No row reads");
        check(&LAW, &table("read,buffered,3,,,"), Status::NotAssessable, "how often the cache");
    }
}
