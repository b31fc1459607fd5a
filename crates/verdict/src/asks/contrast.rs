//! The paired comparison of two arms. It alone decides whether one arm differs from another: the asks of a study use
//! it, and the rules of the crate `advice` use it ([`StudyVerdict::contrast`]), so a finding and an advice about the
//! same cells agree.
//!
//! Within each round it averages the log ratio of the two arms over the cells of the other factors. This gives one
//! value per round; the t interval and the equivalence test use these values. Before that it decides six things:
//!
//! - **It takes rounds whole and leaves a sparse cell out.** A mean over cells is the same mean in every round only if
//!   every round has every cell (a complete randomised block: Montgomery, *Design and Analysis of Experiments*, chapter
//!   4). Otherwise the difference between cells would look like a difference between arms. So a round with a missing
//!   trial is left out. A cell with fewer than half of the rounds of the best cell would remove almost every round: it
//!   is left out instead, a remark names it, and the answer rests on the other cells alone. Refusing to answer would
//!   let one configuration that keeps failing hide all the others.
//! - **It uses no figure that only some trials have.** A trial has a quantile if it was fast enough to complete enough
//!   operations. The rounds in which both arms have one are therefore selected by their outcome.
//! - **It withholds cells in which the metric times different work** (audit `comparable-metric`), and everything of
//!   engines that were not used alike (audit `same-knobs`).
//! - **It gives no main effect if cells have opposite directions**: their mean holds for none of them.
//! - **It allows for rounds that depend on each other** (`dependence.rs`), in its interval, its tests and the noise
//!   floor.
//! - **Its level** is the confidence of the study, minus what earlier looks spent, divided among the comparisons of the
//!   family. A family is what one reader takes together: the asks of a study, or the rules of a database.

use super::{interacting, opposing};
use crate::arms::Stratum;
use crate::audits;
use crate::basis::Basis;
use crate::blocks::{self, Block};
use crate::engines;
use crate::estimate;
use crate::finding::{Dependence, NoDependence, Opposing, Reason, Remark};
use crate::verdict::{Answer, Cell, Estimate, StudyVerdict};
use model::plan::StudyPlan;
use stats::contrast::{log_ratios, mean_over_cells};
use stats::{Decided, NoInterval, Rule};

/// Log ratios of two arms over complete rounds.
pub(super) struct LogRatios {
    pub(super) block: Block,
    /// `rounds[round][cell]` of the natural logarithm of second arm ÷ first.
    pub(super) by_cell: Vec<Vec<f64>>,
    /// Averaged over cells, one per round.
    pub(super) means: Vec<f64>,
}

/// What follows from the log ratios.
pub(super) struct Judged {
    /// For the mean over cells; not claimed if cells have opposite directions.
    pub(super) decision: Decided,
    /// If the effect is not the same in every cell.
    pub(super) interaction: Option<Remark>,
    /// If cells have opposite directions.
    pub(super) opposing: Option<Opposing>,
}

/// The complete block of the cells in which the metric times the same work in all arms. The arms differ in the
/// parameters `compared`.
pub(super) fn comparable(
    plan: &StudyPlan,
    cells: &[Cell],
    compared: &[&str],
    metric: &str,
    strata: Vec<Stratum>,
) -> Result<Block, Reason> {
    let mut unlike = strata
        .iter()
        .filter_map(|stratum| engines::unlike(plan, cells, compared, metric, &stratum.configurations));
    if let Some(unlike) = unlike.next() {
        return Err(Reason::UnlikeEngines(unlike));
    }
    let (strata, withheld) =
        audits::comparable(plan, compared, metric, strata).map_err(Reason::NotComparable)?;
    let mut block = blocks::complete(plan, cells, strata, metric)?;
    block.left_out.extend(withheld.map(Remark::Audit));
    Ok(block)
}

impl LogRatios {
    /// For pairs of configurations, one for each stratum, that differ in the parameters `compared`.
    pub(super) fn new(
        plan: &StudyPlan,
        cells: &[Cell],
        compared: &[&str],
        metric: &str,
        strata: Vec<Stratum>,
    ) -> Result<Self, Reason> {
        let block = comparable(plan, cells, compared, metric, strata)?;
        let of_round = |round: &Vec<Vec<f64>>| {
            let pairs: Vec<(f64, f64)> =
                round.iter().filter_map(|cell| Some((*cell.first()?, *cell.get(1)?))).collect();
            log_ratios(&pairs)
        };
        let by_cell: Vec<Vec<f64>> = block.values.iter().map(of_round).collect::<Result<_, _>>()?;
        let means = mean_over_cells(&by_cell)?;
        Ok(Self { block, by_cell, means })
    }

    /// Whether their rounds depend on each other: by all arms of the study, or by these ratios.
    pub(super) fn dependence(&self, of_all_arms: Dependence) -> Dependence {
        of_all_arms.or_of_series(&self.block.numbers, &self.means)
    }

    /// Decides by this rule, after a check for interaction.
    pub(super) fn judge(&self, plan: &StudyPlan, rule: &Rule) -> Result<Judged, NoInterval> {
        let decision = stats::equivalence::decide(&self.means, rule)?;
        let interaction = interacting::check(&self.by_cell, &self.block, rule.correlation);
        let opposing =
            interaction.as_ref().and_then(|_| opposing::check(plan, &self.by_cell, &self.block, rule));
        Ok(Judged { decision, interaction, opposing })
    }
}

/// A comparison of two arms of a study that no ask of the study makes.
#[derive(Clone, Debug)]
pub struct Contrast {
    /// Second arm ÷ first over all cells, with its simultaneous interval.
    pub ratio: Estimate,
    /// The answer that follows.
    pub answer: Answer,
    /// If cells have opposite directions, so that the ratio holds for none of them.
    pub opposing: Option<Opposing>,
    /// Number of complete rounds.
    pub rounds: usize,
    /// The total number of rounds that would decide an undecided comparison, if it is known.
    pub rounds_needed: Option<usize>,
    pub trials: usize,
    /// The configurations and parameters that it rests on, and the audits that this requires.
    pub rests_on: Basis,
    /// Its limits: cells and rounds left out, an effect that is not the same in every cell.
    pub remarks: Vec<Remark>,
}

/// Two arms, cell by cell.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// The parameters in which the arms differ.
    pub parameters: &'a [&'a str],
    /// For each cell the plan indices of the two configurations, the base first.
    pub configurations: &'a [(usize, usize)],
}

impl StudyVerdict {
    /// Compares two arms as an ask of the study would: one of `family` comparisons that share the study's error.
    ///
    /// # Errors
    /// [`Reason`] if no cell has values of both arms in one round, or there are fewer rounds than an interval needs.
    pub fn contrast(
        &self,
        plan: &StudyPlan,
        pairs: Pairs<'_>,
        metric: &str,
        family: usize,
    ) -> Result<Contrast, Reason> {
        let strata = pairs.configurations.iter().map(|pair| pairs.stratum(plan, *pair)).collect();
        let ratios = LogRatios::new(plan, &self.cells, pairs.parameters, metric, strata)?;
        let floor = self.noise.get(metric).and_then(|noise| noise.floor());
        let rule = Rule::at(self.confidence, family, floor.map_or(1.0, |floor| floor.max(1.0)));
        let unknown = Dependence::NotAssessable(NoDependence::NotAsked);
        let dependence = ratios.dependence(self.dependence.get(metric).copied().unwrap_or(unknown));
        let rule = rule.allowing_for(dependence.correlation());
        let Judged { decision, interaction, opposing } = ratios.judge(plan, &rule)?;
        let (answer, rounds_needed) = match decision.answer {
            stats::Answer::Different => (Answer::Different, None),
            stats::Answer::Equivalent => (Answer::Equivalent, None),
            stats::Answer::Undecided { rounds_needed } => (Answer::Undecided, rounds_needed),
        };
        let parameters: Vec<String> = pairs.parameters.iter().map(|name| (*name).to_owned()).collect();
        let mut remarks = ratios.block.left_out.clone();
        remarks.extend(interaction);
        remarks.extend(dependence.remark());
        Ok(Contrast {
            ratio: estimate::of_interval(&decision.ratio.interval),
            answer,
            opposing,
            rounds: ratios.block.rounds(),
            rounds_needed,
            trials: ratios.block.trials(),
            rests_on: Basis::new(plan, &self.cells, ratios.block.configurations(), parameters, &[metric]),
            remarks,
        })
    }
}

impl Pairs<'_> {
    /// One cell, named by the factors in which its two configurations agree.
    fn stratum(&self, plan: &StudyPlan, (base, other): (usize, usize)) -> Stratum {
        let factors = plan.factors.iter().map(|factor| factor.name.as_str());
        let shared = factors.filter(|name| *name != "arm" && !self.parameters.contains(name));
        let label = plan.configurations.get(base).map(|values| values.label(shared));
        Stratum { label: label.unwrap_or_default(), configurations: vec![base, other] }
    }
}
