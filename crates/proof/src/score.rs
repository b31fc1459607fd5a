//! Whether a prediction of the disk came true on the database.

use crate::change::Predicted;
use crate::claim::Claim;
use crate::ratio::Ratio;
use serde::Serialize;

/// A prediction whose ends differ by more than this factor says little: it holds for a gain and for none.
const TELLING_FACTOR: f64 = 1.25;

/// What a proof makes of a prediction that was written down before its first trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Under a load, the measured interval and the predicted one have a value in common.
    Held,
    /// Under no load they have one.
    Missed,
    /// The prediction, or every measured interval, is too wide to show which.
    TooWide,
}

impl Score {
    /// The score of a prediction; `None` if no load has an interval.
    ///
    /// A prediction is about the load that rests most on the disk, and no load says which that is. So one load for
    /// which it holds is enough, and it misses only if it holds for none.
    pub(crate) fn of(predicted: &Predicted, claim: &Claim) -> Option<Self> {
        let predicted = predicted.ratio;
        let measured: Vec<Ratio> = claim.by_load.iter().filter_map(|judged| judged.ratio).collect();
        if measured.is_empty() {
            return None;
        }
        let agrees = |ratio: &&Ratio| ratio.low <= predicted.high && predicted.low <= ratio.high;
        let agreeing: Vec<&Ratio> = measured.iter().filter(agrees).collect();
        Some(if agreeing.is_empty() {
            Self::Missed
        } else if is_telling(&predicted) && agreeing.into_iter().any(is_telling) {
            Self::Held
        } else {
            Self::TooWide
        })
    }

    /// What became of the prediction, as a sentence.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Held => "The prediction held.",
            Self::Missed => "The prediction missed.",
            Self::TooWide => "The intervals are too wide to score the prediction.",
        }
    }
}

fn is_telling(ratio: &Ratio) -> bool {
    ratio.high <= ratio.low * TELLING_FACTOR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Judged;
    use crate::comparison::Subject;
    use crate::load::Load;
    use crate::outcome::Doubt;
    use crate::stage_kind::StageKind;
    use model::Script;

    fn ratio((low, high): (f64, f64)) -> Ratio {
        Ratio { point: (low * high).sqrt(), low, high, level: 0.95 }
    }

    fn score(predicted: (f64, f64), measured: &[(f64, f64)]) -> Option<Score> {
        let subject = Subject::Setting("effective_io_concurrency".to_owned());
        let judged = |interval: &(f64, f64)| {
            let load = Load::of(Script::IndexScan, 1);
            let unmeasured = Judged::unmeasured(subject.clone(), StageKind::Bundle, load, Doubt::NoTime);
            Judged { ratio: Some(ratio(*interval)), ..unmeasured }
        };
        let claim = Claim::over_loads(subject.clone(), measured.iter().map(judged).collect());
        let predicted = Predicted {
            ratio: ratio(predicted),
            metric: "iops".to_owned(),
            over: "16".to_owned(),
            study: "depth".to_owned(),
        };
        Score::of(&predicted, &claim)
    }

    #[test]
    fn a_prediction_holds_under_one_load_or_misses_under_all() {
        assert_eq!(score((1.14, 1.23), &[(0.97, 1.04)]), Some(Score::Missed));
        assert_eq!(score((1.14, 1.23), &[(0.97, 1.04), (1.10, 1.20)]), Some(Score::Held));
        assert_eq!(score((1.14, 1.23), &[(0.80, 1.40)]), Some(Score::TooWide), "the proof says little");
        assert_eq!(score((0.90, 1.40), &[(1.10, 1.20)]), Some(Score::TooWide), "the prediction says little");
        assert_eq!(score((1.14, 1.23), &[]), None);
    }
}
