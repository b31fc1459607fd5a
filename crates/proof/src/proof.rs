//! The result of a proof, and what it says as a whole.

use crate::change::Predicted;
use crate::claim::Claim;
use crate::comparison::Subject;
use crate::design::{Asked, Design};
use crate::outcome::{Doubt, ProofOutcome};
use crate::score::Score;
use crate::stage_kind::StageKind;
use model::Settings;
use model::figure::{count, exact_percent};
use serde::Serialize;

/// On the user's server: where the values of now are from, and what is not checked there.
const ON_USERS_SERVER: &str = "It ran on your server, in a scratch database. The values of now are those that the \
     server reported (SHOW) before the proof. Not checked: how often the log was flushed, which segments and \
     checkpoints were made, and what pg_stat_io counted, because the server counts that for all of its sessions \
     together.";

/// The result of a proof.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    pub design: Design,
    /// The stages, in order.
    pub stages: Vec<StageKind>,
    /// Whether the whole is at its end: no stage is missing.
    pub is_complete: bool,
    /// The command that continues it, if it is not complete: the program knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
    /// All changes together; `None` if servers were compared, or if a race picked nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Claim>,
    /// The bundle without what is refuted, if it was proven again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<Claim>,
    /// The settings of the bundle.
    pub settings: Vec<JudgedSetting>,
    /// The candidates of a race, as its last heat left them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<JudgedSetting>,
    /// Named servers against the baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Claim>,
    /// What it all comes to.
    pub ending: Ending,
}

/// One change, and what is known about it.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedSetting {
    pub name: String,
    /// The value that is proposed.
    pub value: String,
    /// The value that it has now: of the user's server, of the user's file, or the default; `None` if none is known.
    pub now: Option<String>,
    /// What a run on the disk predicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
    /// Whether that came true; `None` if nothing was predicted, or if no load has an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    pub claim: Claim,
    /// Its line in the settings file.
    pub line: FileLine,
    /// Settings that the file has as comments, although this one was measured only among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured_among: Vec<String>,
}

/// How the file has a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileLine {
    /// As a setting: it is proven or harmless, and so is the bundle that it belongs to.
    Active,
    Comment,
}

/// What a proof comes to: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every change that was asked about is proven or harmless.
    Proven,
    /// A change is proven worse.
    Refuted,
    /// Neither.
    Undecided,
}

impl JudgedSetting {
    /// `wal_sync_method = open_datasync, now fdatasync`.
    pub(crate) fn change(&self) -> String {
        let now = match self.now.as_deref() {
            Some("") | None => String::new(),
            Some(now) => format!(", now {now}"),
        };
        format!("{} = {}{now}", self.name, self.value)
    }

    /// Whether an arm has it.
    fn is_measured(&self) -> bool {
        !matches!(self.claim.outcome, ProofOutcome::Undecided { doubt: Doubt::NotPossible(_), .. })
    }

    /// That a line of the file was measured among others that it does not set, as a sentence.
    pub fn among(&self) -> Option<String> {
        let (last, others) = self.measured_among.split_last()?;
        let (names, are) = match others {
            [] => (last.clone(), "is a comment"),
            _ => (format!("{} and {last}", others.join(", ")), "are comments"),
        };
        Some(format!("It was measured only together with {names}, which {are} here."))
    }
}

impl Proof {
    /// What it is about.
    pub fn title(&self) -> String {
        let instance = &self.design.database.instance;
        let on = match &self.design.users_server {
            Some(_) => format!("your {instance}"),
            None => format!("real {instance}s"),
        };
        let what = match &self.design.asked {
            Asked::Changes(changes) if changes.is_empty() => "No change".to_owned(),
            Asked::Changes(changes) => count(changes.len(), "change"),
            Asked::Race(candidates) => {
                let candidates = count(candidates.len(), "candidate");
                if self.bundle.is_some() { format!("The best of {candidates}") } else { candidates }
            }
            Asked::Servers(servers) => count(servers.len(), "server"),
        };
        format!("{what} compared with what runs now, on {on}")
    }

    /// What it comes to, in a sentence or two.
    pub fn conclusion(&self) -> String {
        let is_race = matches!(self.design.asked, Asked::Race(_));
        let text = match self.ending {
            Ending::Proven if is_race && self.bundle.is_none() => {
                "No candidate is better than what runs now."
            }
            Ending::Undecided if is_race && self.bundle.is_none() => {
                "No candidate looked better than what runs now; some are undecided."
            }
            Ending::Proven => "Every change is proven better or harmless.",
            Ending::Refuted => "A change is proven worse.",
            Ending::Undecided => "A change is neither proven nor refuted.",
        };
        if self.is_complete { text.to_owned() } else { format!("{text} The proof is not complete.") }
    }

    /// How to continue a proof that is not complete, as a sentence.
    pub(crate) fn next_step(&self) -> Option<String> {
        self.next_command.as_ref().map(|command| format!("To continue: {command}"))
    }

    /// What a claim is about, in a few words.
    pub fn subject(&self, claim: &Claim) -> String {
        match &claim.subject {
            Subject::Bundle => match self.settings.iter().filter(|setting| setting.is_measured()).count() {
                0 => "the same settings".to_owned(),
                1 => "the change".to_owned(),
                2 => "both changes together".to_owned(),
                changes => format!("all {changes} changes together"),
            },
            Subject::Mended => "the rest of the bundle, without what is refuted".to_owned(),
            Subject::Setting(name) | Subject::Server(name) => name.clone(),
            Subject::Candidate { name, value } => format!("{name} = {value}"),
        }
    }

    /// How far the baseline differed from itself, as a sentence; `None` if that is not known.
    pub fn floor(&self) -> Option<String> {
        let settings = self.settings.iter().chain(&self.candidates).map(|standing| &standing.claim);
        let claims = self.bundle.iter().chain(&self.mended).chain(&self.servers).chain(settings);
        let floors = claims.flat_map(|claim| &claim.by_load).filter_map(|judged| judged.floor);
        let percent = exact_percent(((floors.reduce(f64::max)? - 1.0) * 1e4 - 1e-6).ceil() / 1e4);
        Some(format!(
            "The baseline differs from itself by at most {percent} in every study (A/A, noise floor)."
        ))
    }

    /// What a reader has to know about all of the figures, a sentence or a few each.
    pub fn notes(&self) -> Vec<&'static str> {
        let users = self.design.users_server.as_ref().map(|_| ON_USERS_SERVER);
        users.into_iter().chain(self.design.database.note).collect()
    }

    /// The settings of what runs now.
    pub(crate) fn runs_now(&self) -> String {
        let mut settings = self.design.users_server.clone().unwrap_or_default();
        settings.extend(self.design.current.settings.clone());
        let beginning = match &self.design.users_server {
            Some(_) if settings.is_empty() => return "your server".to_owned(),
            Some(_) => "your server, with ",
            None => "",
        };
        let text = Settings::new(settings).map_or_else(|why| why, |settings| settings.to_string());
        format!("{beginning}{text}")
    }
}
