//! Renders a verdict and the advice that follows: terminal, HTML, Markdown, CSV, and the formats of tools that follow
//! figures from run to run.
//!
//! A result whose crate offers it as a document ([`mod@page`]) is rendered as one: a study, an advice, a fleet, what
//! ranks on shared storage got, a comparison, a proof.
//!
//! Everything here is a pure function of a run, its verdict and its advice: no I/O, no clock, no statistics. A number
//! is printed with its unit, and a mean with its interval or the reason why it has none.
//!
//! - **An editorial order chooses the first answers of a report.** It is a table of the questions that a database
//!   administrator asks (`headline/question.rs`). Decided answers come before undecided ones; nothing else changes the
//!   order. A score would hide the reason.
//! - **Text from outside is escaped** (`model/src/printable.rs`), so that it cannot control a terminal or reorder a
//!   line.

mod among;
mod beside;
mod comparison;
mod csv_history;
mod csv_long;
mod csv_page_000;
mod disk;
mod doubt;
mod explanation;
mod facts;
mod fleet;
mod headline;
mod history;
mod html;
mod label;
mod markdown;
mod proof;
mod quantity;
mod records;
mod terminal;
mod tracker;
mod wording;

pub use self::comparison::{comparison, comparison_html};
pub use self::fleet::{fleet, fleet_html, scaling};
pub use self::proof::{proof, proof_beside, proof_html};
pub use among::among_published;
pub use beside::Beside;
pub use csv_history::csv_history;
pub use csv_long::csv_long;
pub use csv_page_000::csv_page_000;
pub use explanation::explanation;
pub use headline::figure;
pub use history::history;
pub use html::{html, html_with, page};
pub use markdown::{Repeat, markdown, markdown_with};
pub use terminal::{
    advice, distrust, items, job, of_rank, outcome, published_table, rated, review, run_audits, terminal,
};
pub use tracker::{
    bmf, github_action_benchmark, junit, otava, preflight_junit, prometheus, prometheus_labelled,
    prometheus_name,
};
pub use wording::Activity;
