//! One column of I/O modes for two kinds of work: page 000's `mode` turned the data's reads and the log's writes at
//! once, so what either of them does is unknown.

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::IoMode;

pub const LAW: Law = Law {
    name: "modes-flipped-together",
    looks: Looks::AtFigures,
    needs: "mode, log_mode, iops, commits_per_s",
    held: "The data's I/O mode changes without the log's, or the log's without the data's, in {}.",
    broken: "The I/O mode of data and log change together in {}.",
    advice: "Measure the two missing arms: direct data with a buffered log, and buffered data with a direct \
        log.",
    lacking: "No two {}s that read data and commit beside it differ in their I/O modes.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let stated = claims.iter().enumerate().filter_map(|(index, claim)| Some((index, modes(claim)?)));
    let stated: Vec<(usize, Modes)> = stated.collect();
    let mut all: Vec<Modes> = Vec::new();
    for (_, modes) in &stated {
        if !all.contains(modes) {
            all.push(*modes);
        }
    }
    let reading = |(claim, (data, log)): (usize, Modes)| {
        // One of the two was held while the other changed.
        let is_apart = all.iter().any(|other| (other.0 == data) != (other.1 == log));
        let status = if is_apart { Status::Pass } else { Status::Warn };
        let text = format!(
            "reads of the data are {data} and the log's writes {log}: no row changes one of them alone."
        );
        Reading::new(Concern::Comparison, status, text).of(claim)
    };
    stated.into_iter().filter(|_| all.len() > 1).map(reading).collect()
}

/// The modes of the data and of the log.
type Modes = (IoMode, IoMode);

/// The modes of a claim that does both; a log of which nothing is reported has that of the data.
fn modes(claim: &Claim) -> Option<Modes> {
    let reads = claim.operations_per_s.is_some();
    let commits = claim.commits_per_s.is_some() || !claim.sync.is_empty() || !claim.commit.is_empty();
    let data = claim.setting.mode.filter(|_| reads && commits)?;
    // fio's syncs are those of the very writes that its rate counts.
    let is_one_stream = claim.commits_per_s.is_none() && claim.setting.writes() == Some(true);
    (!is_one_stream).then(|| (data, claim.setting.log_mode.unwrap_or(data)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn two_modes_flipped_together() {
        let header = "mode,log_mode,iops,commits_per_s\n";
        let one = "mode,iops,commits_per_s\nbuffered,1132970,123\ndirect,304969,494\n";
        check(&LAW, one, Status::Warn, "reads of the data are buffered and the log's writes buffered");
        let both = format!("{header}buffered,buffered,9000,123\ndirect,direct,3000,494\n");
        check(&LAW, &both, Status::Warn, "2 of 2 rows");
        let apart = format!("{header}buffered,direct,9000,123\ndirect,direct,3000,494\n");
        check(&LAW, &apart, Status::Pass, "without the log's");
        let same = format!("{header}direct,direct,9000,123\ndirect,direct,3000,494\n");
        check(&LAW, &same, Status::NotAssessable, "differ in their I/O modes");
        check(&LAW, "mode,iops\nbuffered,5\ndirect,6\n", Status::NotAssessable, "No two rows");
    }
}
