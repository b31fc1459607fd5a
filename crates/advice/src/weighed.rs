//! What was measured of a setting, before it is held against a value in use.

use crate::caveat::Caveat;
use crate::decision::Alternative;
use crate::effect::Effect;
use crate::expiry::Expiry;
use crate::ground::Ground;
use crate::measured_on::MeasuredOn;
use crate::no_advice::Needs;
use crate::statement::Statement;
use crate::withdrawn::Withdrawn;
use verdict::Estimate;

/// What was measured of a setting: the same whatever value is in use.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// How a value follows from it.
    pub choose: Choose,
    pub statement: Statement,
    /// Why no gain is predicted of a value that is better on the disk; `None` if one is.
    pub withdrawn: Option<Withdrawn>,
    /// On what it was measured.
    pub measured_on: MeasuredOn,
    /// Pairs of values that were compared.
    pub effects: Vec<Effect>,
    /// Values whose price a user may want to know.
    pub alternatives: Vec<Alternative>,
    /// Values that guarantee more than those compared.
    pub stronger: &'static [&'static str],
    /// What the measured machine has now, if the run knows it: a setting of the kernel.
    pub in_use: Option<String>,
    /// The findings and figures that it rests on.
    pub grounds: Vec<Ground>,
    /// What would decide more.
    pub needs: Option<Needs>,
    /// Names of the audits that support it.
    pub audits: Vec<String>,
    /// Names of the audits that could limit it and could not be carried out.
    pub unchecked: Vec<String>,
    pub caveats: Vec<Caveat>,
    /// What it holds for.
    pub expires: Expiry,
}

/// How a value follows from what was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Choose {
    /// The best of the values that were compared with the value in use.
    Compared,
    /// The value is an estimate: a value outside its interval is refuted, and values inside cannot be distinguished.
    Estimated {
        estimate: Estimate,
        /// The candidate nearest to it.
        nearest: String,
        /// The values that a user would choose among, ascending; the setting has no effect beyond them.
        among: Vec<f64>,
    },
    /// The estimate is the most that the value can be; a smaller one is not refuted by it.
    AtMost {
        estimate: Estimate,
        /// A value just below it.
        nearest: String,
    },
    /// This value keeps what was acknowledged.
    Guaranteed(&'static str),
    /// This value follows from what was measured, without a gain: it is kept if it is in use, and else to be tried.
    Favoured(&'static str),
    /// In words, because it depends on the user's data; or not a setting at all.
    Said {
        words: String,
        /// Its estimate, if it has one.
        estimate: Option<Estimate>,
    },
    /// Only the database itself shows whether one of these is better.
    Untried(Vec<String>),
}

impl Weighed {
    /// Chosen like this, because of that, and nothing else.
    pub fn new(choose: Choose, statement: Statement) -> Self {
        Self {
            choose,
            statement,
            withdrawn: None,
            measured_on: MeasuredOn::Disk,
            effects: Vec::new(),
            alternatives: Vec::new(),
            stronger: &[],
            in_use: None,
            grounds: Vec::new(),
            needs: None,
            audits: Vec::new(),
            unchecked: Vec::new(),
            caveats: Vec::new(),
            expires: Expiry::default(),
        }
    }
}
