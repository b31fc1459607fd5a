//! What a proof says: of a change, of a load, of the whole.

use crate::quantity;
use model::figure::{count, exact_percent, ratio, ratios, round_figures};
use model::{Action, Script, Settings};
use proof::{
    Agreement, Asked, Claim, Doubt, Ending, Judged, Load, Outcome, Predicted, Proof, Ratio, Standing,
    StoreWork, Subject, Work,
};
use verdict::EQUIVALENCE_MARGIN;

/// The outcome in a word.
pub(crate) const fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Proven => "proven",
        Outcome::Harmless => "harmless",
        Outcome::Refuted => "refuted",
        Outcome::Undecided { .. } => "undecided",
    }
}

/// What the proof is about.
pub(crate) fn title(proof: &Proof) -> String {
    let database = proof.design.database;
    let on = match &proof.design.users_server {
        Some(_) => format!("your {}", database.instance),
        None => format!("real {}s", database.instance),
    };
    let against = format!("compared with what runs now, on {on}");
    match &proof.design.asked {
        Asked::Changes(changes) => match changes.len() {
            0 => format!("No change {against}"),
            1 => format!("1 change {against}"),
            changes => format!("{changes} changes {against}"),
        },
        Asked::Race(candidates) => format!("The best of {} {against}", count(candidates.len(), "candidate")),
        Asked::Servers(servers) => format!("{} {against}", count(servers.len(), "server")),
    }
}

/// What it comes to, as a sentence.
pub(crate) fn ending(proof: &Proof) -> String {
    let is_race = matches!(proof.design.asked, Asked::Race(_));
    let text = match proof.ending {
        Ending::Proven if is_race && proof.bundle.is_none() => "No candidate is better than what runs now.",
        Ending::Undecided if is_race && proof.bundle.is_none() => {
            "No candidate looked better than what runs now; some are undecided."
        }
        Ending::Proven => "Every change is proven better or harmless.",
        Ending::Refuted => "A change is proven worse.",
        Ending::Undecided => "A change is neither proven nor refuted.",
    };
    if proof.is_complete { text.to_owned() } else { format!("{text} The proof is not complete.") }
}

/// `wal_sync_method = open_datasync, now fdatasync`.
pub(crate) fn change(standing: &Standing) -> String {
    let now = match standing.now.as_deref() {
        Some("") | None => String::new(),
        Some(now) => format!(", now {now}"),
    };
    format!("{} = {}{now}", standing.name, standing.value)
}

/// What a claim is about, in a few words.
pub(crate) fn subject(proof: &Proof, claim: &Claim) -> String {
    match &claim.subject {
        Subject::Bundle => match proof.settings.len() {
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

/// `8 clients of simple_update`, `2 threads that read a store in memory`.
pub(crate) fn load(load: Load) -> String {
    let clients = load.clients as usize;
    let work = match load.work {
        Work::Transactions(script) => {
            let fresh = if load.has_fresh_segments { ", into fresh segments of the log" } else { "" };
            let cycles = if load.has_checkpoints {
                ", over whole cycles of checkpoints (sizes of the log divided by cycle_scale)"
            } else {
                ""
            };
            return format!("{} of {script}{}{fresh}{cycles}", count(clients, "client"), reads(script));
        }
        Work::Store(work) => work,
    };
    let does = match work {
        StoreWork::Fill => {
            ["fills a store and waits until it has drained", "fill a store and wait until it has drained"]
        }
        StoreWork::ReadWarm => ["reads a store that memory can hold", "read a store that memory can hold"],
        StoreWork::ReadCold => {
            ["reads a store that the memory cap cannot hold", "read a store that the memory cap cannot hold"]
        }
        StoreWork::PutDurable => ["puts entries durably", "put entries durably"],
        StoreWork::MixDurable => ["reads entries and puts them durably", "read entries and put them durably"],
    };
    format!("{} that {}", count(clients, "thread"), does[usize::from(clients != 1)])
}

/// What a script that reads from the device reads.
fn reads(script: Script) -> String {
    match script.action() {
        Action::Scan(scan) => format!(" ({})", scan.words()),
        Action::Analyze => " (300 pages anywhere)".to_owned(),
        Action::TpcbLike | Action::SimpleUpdate | Action::SelectOnly | Action::Insert | Action::Queries => {
            String::new()
        }
    }
}

/// `1.20× (1.16–1.24, 99.4 %)`.
pub(crate) fn times(found: &Ratio) -> String {
    format!("{} ({}, {})", ratio(found.point), ratios((found.low, found.high)), exact_percent(found.level))
}

/// What a claim rests on, in sentences: the decisive load, each load if there is no ratio for all of them, or why nothing is decided.
pub(crate) fn claim(claim: &Claim) -> String {
    if let Some(beginning) = disagreement(claim) {
        let effects =
            effects(claim).into_iter().map(|(word, sentence)| format!(" {}: {sentence}", capitalised(word)));
        return beginning.to_owned() + &effects.collect::<String>();
    }
    match claim.decisive() {
        Some(judged) => sentence(judged, &claim.outcome),
        None => match &claim.outcome {
            Outcome::Undecided { doubt: found, .. } => format!("{}.", capitalised(&doubt(found))),
            Outcome::Proven | Outcome::Harmless | Outcome::Refuted => String::new(),
        },
    }
}

/// Why a claim has no ratio for all of its loads, as a sentence; `None` if it has one, or if it has no loads.
pub(crate) const fn disagreement(claim: &Claim) -> Option<&'static str> {
    match claim.agreement {
        Agreement::OneLoad | Agreement::Equal => None,
        Agreement::Undecided => Some("No load shows a difference, and not all of them show equality."),
        Agreement::SameDirection => Some("Each load has its own ratio."),
        Agreement::Mixed => Some("The loads differ, so there is no ratio for all of them."),
    }
}

/// The effect under each load: a word, and the sentence behind it.
pub(crate) fn effects(claim: &Claim) -> Vec<(&'static str, String)> {
    claim.by_load.iter().map(|found| (effect(&found.outcome), judged(found))).collect()
}

const fn effect(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Proven => "faster",
        Outcome::Harmless => "equal",
        Outcome::Refuted => "slower",
        Outcome::Undecided { .. } => "undecided",
    }
}

/// To what a claim is limited beside its loads, a sentence for the loads that were measured alike.
pub(crate) fn scope(claim: &Claim) -> Vec<String> {
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for found in &claim.by_load {
        let Some(circumstances) = &found.scope.circumstances else { continue };
        let words = circumstances.words();
        match alike.iter_mut().find(|(known, _)| *known == words) {
            Some((_, loads)) => loads.push(found.load.to_string()),
            None => alike.push((words, vec![found.load.to_string()])),
        }
    }
    alike.into_iter().map(|(words, loads)| format!("Scope of {}: {words}.", loads.join(", "))).collect()
}

/// What is known under one load, as a sentence.
pub(crate) fn judged(found: &Judged) -> String {
    sentence(found, &found.outcome)
}

fn sentence(found: &Judged, outcome: &Outcome) -> String {
    let measured = measured(found);
    match outcome {
        Outcome::Proven | Outcome::Refuted => format!("{measured}."),
        Outcome::Harmless => {
            format!("{measured}: proven to lie within {}.", exact_percent(EQUIVALENCE_MARGIN - 1.0))
        }
        Outcome::Undecided { doubt: why, smallest_effect } => {
            let seen = smallest_effect.filter(|_| matches!(why, Doubt::Scatter { .. }));
            let seen = seen.map_or_else(String::new, |factor| {
                format!("; an effect below about {} could not have been seen", ratio(factor))
            });
            format!("{measured}: {}{seen}.", doubt(why).trim_end_matches('.'))
        }
    }
}

/// `transactions/s 1.20× (1.16–1.24, 99.4 %) with 1 client of insert: 9 800 against 8 160/s, 6 rounds`.
fn measured(found: &Judged) -> String {
    let named = quantity::named(&found.metric);
    let load = load(found.load);
    let Some(ratio) = &found.ratio else { return format!("With {load}") };
    let means = found.means.map_or_else(String::new, |(base, other)| {
        let (other, base) = round_figures(other, base, named.unit);
        format!(": {other} against {base}")
    });
    let plans = found
        .plans
        .map_or_else(String::new, |plans| format!(", {} of {} plans changed", plans.changed, plans.of));
    format!("{} {} with {load}{means}, {}{plans}", named.title, times(ratio), count(found.rounds, "round"))
}

/// Why nothing is decided, as a clause.
pub(crate) fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Scatter { rounds_needed: Some(rounds) } => {
            format!(
                "neither a difference nor equality is proven; about {} would decide",
                count(*rounds, "round")
            )
        }
        Doubt::Scatter { rounds_needed: None } => "neither a difference nor equality is proven".to_owned(),
        Doubt::Audit { audit, has_failed: true, summary } => format!("the audit {audit} failed: {summary}"),
        Doubt::Audit { audit, has_failed: false, summary } => {
            format!("the audit {audit} could not be carried out: {summary}")
        }
        Doubt::NotAssessable(why) => format!("there is no ratio: {why}"),
        Doubt::TrialsFailed(why) => format!("no trial succeeded: {why}"),
        Doubt::NoTime => "the time was up before it was measured".to_owned(),
        Doubt::BundleUndecided => {
            "all changes together are undecided, so they were not taken apart".to_owned()
        }
        Doubt::NotApplied { name, why } => format!("{name} was not applied: {why}"),
        Doubt::NoLoad => "no load of Syncline shows what it does".to_owned(),
    }
}

/// What the disk predicted, as a sentence.
pub(crate) fn predicted(found: &Predicted) -> String {
    let named = quantity::named(&found.metric);
    let study = if found.study.is_empty() { String::new() } else { format!(" in the study {}", found.study) };
    format!("The disk predicted {} {} over {}{study}.", named.title, times(&found.ratio), found.over)
}

/// How far the baseline differed from itself, as a sentence; `None` if that is not known.
pub(crate) fn floor(proof: &Proof) -> Option<String> {
    let all = claims(proof).flat_map(|claim| &claim.by_load).filter_map(|judged| judged.floor);
    let widest =
        all.fold(None, |widest: Option<f64>, floor| Some(widest.map_or(floor, |widest| widest.max(floor))));
    let percent = exact_percent(((widest? - 1.0) * 1e4 - 1e-6).ceil() / 1e4);
    Some(format!("The baseline differs from itself by at most {percent} in every study (A/A, noise floor)."))
}

/// How many comparisons share the error, and what was checked, as a sentence.
pub(crate) const CHECKED: &str = "Each server's settings were read back before it was measured, and a trial whose server has other values \
     fails. The intervals are simultaneous: all comparisons of the proof share 5 % of error.";

/// On the user's server: where the values of now are from, and what is not checked there.
const ON_USERS_SERVER: &str = "It ran on your server, in a scratch database. The values of now are those that the server reported (SHOW) before the proof. Not \
     checked: how often the log was flushed, which segments and checkpoints were made, and what pg_stat_io counted, because the \
     server counts that for all of its sessions together.";

/// What a reader has to know about all of the figures, a sentence or a few each.
pub(crate) fn notes(proof: &Proof) -> Vec<&'static str> {
    let users = proof.design.users_server.as_ref().map(|_| ON_USERS_SERVER);
    users.into_iter().chain(proof.design.database.note).collect()
}

/// The settings of what runs now.
pub(crate) fn runs_now(proof: &Proof) -> String {
    let mut settings = proof.design.users_server.clone().unwrap_or_default();
    settings.extend(proof.design.current.settings.clone());
    let beginning = match &proof.design.users_server {
        Some(_) if settings.is_empty() => return "your server".to_owned(),
        Some(_) => "your server, with ",
        None => "",
    };
    let text = Settings::new(settings).map_or_else(|why| why, |settings| settings.to_string());
    format!("{beginning}{text}")
}

/// That a line of the file was measured among others that it does not set, as a sentence.
pub(crate) fn measured_among(standing: &Standing) -> Option<String> {
    let (last, others) = standing.measured_among.split_last()?;
    let (names, are) = match others {
        [] => (last.clone(), "is a comment"),
        _ => (format!("{} and {last}", others.join(", ")), "are comments"),
    };
    Some(format!("It was measured only together with {names}, which {are} here."))
}

/// Every claim of a proof, the bundle first.
pub(crate) fn claims(proof: &Proof) -> impl Iterator<Item = &Claim> {
    let settings = proof.settings.iter().map(|standing| &standing.claim);
    let candidates = proof.candidates.iter().map(|standing| &standing.claim);
    proof.bundle.iter().chain(&proof.mended).chain(&proof.servers).chain(settings).chain(candidates)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
