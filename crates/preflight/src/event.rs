//! The event: a result in one line of JSON, as a pod's log and its termination message show it.

use crate::judge::{JudgedRow, Ruling, over_all};
use model::printable_json;
use page::quantity::named;
use serde::Serialize;
use verdict::compare::LimitOutcome;

/// What a kubelet takes of a container's termination message, bytes
/// (<https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/>).
pub const MESSAGE_BYTES_MAX: usize = 4096;

const KIND: &str = "syncline-preflight";

/// How a preflight ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventOutcome {
    /// A limit is proven to be broken.
    Broken,
    /// No limit is broken, and one cannot be judged.
    NotJudged,
    /// Every limit was judged, and one is neither proven to be kept nor to be broken.
    Undecided,
    /// Every limit is proven to be kept.
    Kept,
    /// There is no result: an error, or a signal.
    NotMeasured,
}

/// A preflight in one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// What identifies the line in a log.
    #[serde(rename = "event")]
    kind: &'static str,
    version: &'static str,
    pub outcome: EventOutcome,
    /// The exit code of the process.
    pub exit_code: u8,
    /// The directory that was measured.
    pub directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The run directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One for each limit, broken ones first.
    pub limits: Vec<EventLimit>,
    /// Limits that a line of limited length has no room for.
    #[serde(skip_serializing_if = "is_zero")]
    limits_left_out: usize,
}

/// A limit, with the configuration that decided its outcome.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventLimit {
    pub limit: String,
    pub outcome: LimitOutcome,
    /// Study and configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// The mean over trials, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Its simultaneous interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    pub unit: &'static str,
    /// Why it is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<LimitOutcome> for EventOutcome {
    fn from(outcome: LimitOutcome) -> Self {
        match outcome {
            LimitOutcome::Broken => Self::Broken,
            LimitOutcome::NotJudged => Self::NotJudged,
            LimitOutcome::Undecided => Self::Undecided,
            LimitOutcome::Kept => Self::Kept,
        }
    }
}

impl EventLimit {
    fn of(ruling: &Ruling) -> Self {
        let deciding = ruling.rows.iter().find(|row| row.outcome == ruling.outcome);
        let estimate = deciding.and_then(|row| row.estimate.as_ref());
        Self {
            limit: ruling.limit.text.clone(),
            outcome: ruling.outcome,
            row: deciding.map(|row: &JudgedRow| row.row.clone()),
            mean: estimate.and_then(|estimate| estimate.point),
            interval: estimate.and_then(|estimate| estimate.interval),
            unit: named(&ruling.limit.metric).symbol(),
            why: deciding.and_then(|row| row.why.clone()).or_else(|| ruling.why.clone()),
        }
    }
}

impl Event {
    /// The event of these rulings.
    pub fn judged(directory: String, rulings: &[Ruling], exit_code: u8) -> Self {
        let mut limits: Vec<EventLimit> = rulings.iter().map(EventLimit::of).collect();
        limits.sort_by_key(|limit| EventOutcome::from(limit.outcome) as u8);
        let outcome = EventOutcome::from(over_all(rulings));
        Self { limits, ..Self::of(directory, outcome, exit_code) }
    }

    /// The event of a preflight without a result.
    pub fn not_measured(directory: String, reason: String, exit_code: u8) -> Self {
        Self { reason: Some(reason), ..Self::of(directory, EventOutcome::NotMeasured, exit_code) }
    }

    fn of(directory: String, outcome: EventOutcome, exit_code: u8) -> Self {
        Self {
            kind: KIND,
            version: env!("CARGO_PKG_VERSION"),
            outcome,
            exit_code,
            directory,
            filesystem: None,
            device: None,
            run: None,
            reason: None,
            limits: Vec::new(),
            limits_left_out: 0,
        }
    }

    /// The event in one line of JSON, without a line break at its end.
    pub fn line(&self) -> String {
        // It has no map, and a number that is not finite is written as null: this cannot fail.
        let line = serde_json::to_string(self).unwrap_or_default();
        printable_json(&line).into_owned()
    }

    /// The same in at most this number of bytes: the last limits are left out first, then the ends of long texts.
    pub fn fitted(&self, bytes_max: usize) -> String {
        let mut event = self.clone();
        loop {
            let line = event.line();
            let has_left_out = line.len() > bytes_max && event.leave_out();
            if !has_left_out {
                return line;
            }
        }
    }

    /// Leaves a part out, if there is one.
    fn leave_out(&mut self) -> bool {
        if self.limits.pop().is_some() {
            self.limits_left_out += 1;
            return true;
        }
        let optional = [&mut self.filesystem, &mut self.device, &mut self.run, &mut self.reason];
        let texts = optional.into_iter().flatten().chain([&mut self.directory]);
        let Some(longest) = texts.max_by_key(|text| text.len()).filter(|text| !text.is_empty()) else {
            return false;
        };
        let half = longest.floor_char_boundary(longest.len() / 2);
        longest.truncate(half);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Limit, Side};
    use serde_json::Value;
    use verdict::Estimate;

    fn ruling(place: usize, outcome: LimitOutcome) -> Ruling {
        let limit = Limit {
            text: format!("commits_per_s >= {place}"),
            metric: "commits_per_s".to_owned(),
            side: Side::AtLeast,
            value: place as f64,
        };
        let estimate =
            Estimate { point: Some(500.0), interval: Some((450.0, 550.0)), level: Some(0.98), reason: None };
        let row = JudgedRow { row: "commit-modes".to_owned(), outcome, estimate: Some(estimate), why: None };
        Ruling { limit, outcome, rows: vec![row], why: None }
    }

    fn parsed(line: &str) -> Value {
        assert!(!line.contains('\n'));
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn a_line_has_the_outcome_and_the_broken_limits_first() {
        let rulings = [ruling(1, LimitOutcome::Kept), ruling(2, LimitOutcome::Broken)];
        let event = Event::judged("/data\nx".to_owned(), &rulings, 99);
        let line = parsed(&event.line());
        assert_eq!((&line["event"], &line["outcome"]), (&"syncline-preflight".into(), &"broken".into()));
        assert_eq!((&line["exit_code"], &line["directory"]), (&99.into(), &"/data\nx".into()));
        assert_eq!(line["limits"][0]["limit"], "commits_per_s >= 2");
        assert_eq!(line["limits"][0]["interval"], serde_json::json!([450.0, 550.0]));
        assert_eq!(line["limits"][0]["unit"], "commits/s");
        assert!(line.get("reason").is_none() && line.get("limits_left_out").is_none());
    }

    #[test]
    fn a_termination_message_is_cut_between_limits() {
        let rulings: Vec<Ruling> = (0..64).map(|place| ruling(place, LimitOutcome::Kept)).collect();
        let event = Event::judged("/data".to_owned(), &rulings, 0);
        assert!(event.line().len() > MESSAGE_BYTES_MAX);
        let message = event.fitted(MESSAGE_BYTES_MAX);
        assert!((MESSAGE_BYTES_MAX / 2..=MESSAGE_BYTES_MAX).contains(&message.len()), "{}", message.len());
        let message = parsed(&message);
        let shown = message["limits"].as_array().unwrap().len();
        assert_eq!(message["limits_left_out"], 64 - shown);
        assert_eq!(message["outcome"], "kept");
    }

    #[test]
    fn a_long_reason_is_cut_and_the_rest_stays() {
        let event = Event::not_measured("/data".to_owned(), "ö".repeat(9000), 1);
        let message = event.fitted(MESSAGE_BYTES_MAX);
        assert!(message.len() <= MESSAGE_BYTES_MAX);
        let message = parsed(&message);
        assert_eq!((&message["outcome"], &message["directory"]), (&"not_measured".into(), &"/data".into()));
        assert!(message["reason"].as_str().unwrap().starts_with("öö"));
        // Less than an event without any text is not possible, and this ends.
        assert!(!event.fitted(10).is_empty());
    }
}
