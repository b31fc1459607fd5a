//! A change of a setting, and what a disk predicts of it.

use crate::ratio::Ratio;
use page::quantity;
use serde::{Deserialize, Serialize};

/// A setting with a value that it does not have now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub name: String,
    /// Its value in the database's syntax, without quotes.
    pub value: String,
    /// What a run on the disk predicts of it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl Change {
    /// A change of which nothing is predicted.
    pub fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned(), predicted: None }
    }
}

/// What a run on the disk predicts of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Figure with the value ÷ figure with the one that it was compared with.
    pub ratio: Ratio,
    pub metric: String,
    /// The value that it was compared with.
    pub over: String,
    /// The study that measured it.
    pub study: String,
}

impl Predicted {
    pub fn text(&self) -> String {
        let Self { ratio, metric, over, study } = self;
        let title = quantity::named(metric).title;
        let study = if study.is_empty() { String::new() } else { format!(" in the study {study}") };
        format!("The disk predicted {title} {} over {over}{study}.", ratio.text())
    }
}
