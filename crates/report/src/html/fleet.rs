//! A fleet as one offline page: who is slow, how each question is distributed, and a row for each disk. Only sorting needs a script.

use super::contents::{self, Entry};
use super::{fleet_plot, page};
use crate::quantity;
use crate::wording::{counted, fleet as words};
use ::fleet::{DiskResult, Distribution, Question, Standing, Statement, Suspect};
use maud::{Markup, PreEscaped, html as markup};
use model::figure::round_figure;

const SUSPECTS: &str = "Slow, suspected and unchecked disks";
const SORTING: &str = include_str!("../../assets/sorting.js");

/// Renders the page: offline like the report, light and dark.
pub fn fleet_html(statement: &Statement) -> String {
    let title = words::title(statement);
    let named = [Entry::new("#suspects", SUSPECTS)];
    let rest = [
        Entry::new("#disks", "Every disk"),
        Entry::new("#strata", "Strata"),
        Entry::new("#rules", "What a name requires"),
    ];
    let asked = asked(statement);
    let question = |(place, asked): (usize, &Asked<'_>)| {
        Entry::new(format!("#question-{place}"), words::question(asked.question))
    };
    let questions: Vec<Entry> = asked.iter().enumerate().map(question).collect();
    let contents = contents::navigation(&named, "Distributions", &questions, &rest);
    let text = markup! {
        header.page {
            h1 { (title) }
            p.lead { (words::summary(statement)) }
        }
        main #main {
            (suspects(statement))
            section aria-labelledby="distributions" {
                h2 #distributions { "The first measurement of every disk" }
                p.caption { (fleet_plot::CAPTION) }
                @for (place, asked) in asked.iter().enumerate() { (distributions(statement, asked, place)) }
            }
            (disks(statement))
            (strata(statement))
            section aria-labelledby="rules" {
                h2 #rules { "What a name requires" }
                @for rule in words::rules(statement) { p { (rule) } }
            }
        }
        footer { p { "Syncline " (env!("CARGO_PKG_VERSION")) " · median and MAD over disks · Holm's procedure" } }
    };
    let script = markup! { script { (PreEscaped(SORTING)) } };
    page(&title, &super::unbreakable(contents), &super::unbreakable(text), &script).into_string()
}

/// A question and its distribution in each stratum.
struct Asked<'a> {
    question: &'a Question,
    distributions: Vec<&'a Distribution>,
}

fn asked(statement: &Statement) -> Vec<Asked<'_>> {
    let of = |place: usize| statement.distributions.iter().filter(move |it| it.question == place).collect();
    let asked = |(place, question)| Asked { question, distributions: of(place) };
    let all = statement.questions.iter().enumerate().map(asked);
    all.filter(|asked| !asked.distributions.is_empty()).collect()
}

fn suspects(statement: &Statement) -> Markup {
    let suspected =
        statement.disks.iter().enumerate().filter(|(_, disk)| disk.standing <= Standing::NotConfirmed);
    let mut suspected: Vec<(usize, &DiskResult)> = suspected.collect();
    suspected.sort_by_key(|(_, disk)| disk.standing);
    markup! {
        section aria-labelledby="suspects" {
            h2 #suspects { (SUSPECTS) }
            @if statement.suspects.is_empty() { p { "No first measurement lies beyond a limit." } }
            @for (index, result) in suspected {
                h3 { (words::disk(&result.disk)) " " (badge(result.standing)) }
                p { (words::stratum(&statement.strata[result.stratum].stratum)) }
                @if result.standing == Standing::NotChecked || result.failed.count > 0 { p { (words::lacks(result)) "." } }
                @if !result.differences.is_empty() {
                    p { "Differs from most disks of its stratum: " (differences(result)) "." }
                }
                ul.lines { @for suspect in statement.suspicions_of(index) { (suspicion(statement, suspect)) } }
            }
            @for gap in words::gaps(statement) { p.remark { (gap) } }
        }
    }
}

fn differences(result: &DiskResult) -> String {
    result.differences.iter().map(words::difference).collect::<Vec<_>>().join(", ")
}

fn suspicion(statement: &Statement, suspect: &Suspect) -> Markup {
    let distribution = &statement.distributions[suspect.distribution];
    let asked = &statement.questions[distribution.question];
    markup! { li { (words::first(suspect, distribution, asked)) ". " (words::second(suspect, asked)) "." } }
}

fn badge(standing: Standing) -> Markup {
    let (class, symbol) = match standing {
        Standing::Slow => ("badge fail", "✗"),
        Standing::Suspect | Standing::NotChecked => ("badge warn", "!"),
        Standing::NotConfirmed | Standing::NotAssessable => ("badge unknown", "?"),
        Standing::WithinLimits => ("badge pass", "✓"),
    };
    markup! { span class=(class) { span.symbol aria-hidden="true" { (symbol) } " " (words::standing(standing)) } }
}

/// A question: its strata on one axis, as a plot and as a table.
fn distributions(statement: &Statement, asked: &Asked<'_>, place: usize) -> Markup {
    let named = quantity::named(&asked.question.metric);
    let show = |value: f64| round_figure(value, named.unit);
    let title = words::question(asked.question);
    markup! {
        h3 id={ "question-" (place) } {
            (title) @if !named.direction().is_empty() { " (" (named.direction()) ")" }
        }
        (fleet_plot::draw(statement, &asked.distributions, &named))
        div.scroll role="group" aria-label=(title) tabindex="0" {
            table {
                thead {
                    tr {
                        th scope="col" { "Stratum" }
                        th.number scope="col" { "Disks" }
                        th.number scope="col" { "Slowest" }
                        th.number scope="col" { "Median" }
                        th.number scope="col" { "Fastest" }
                        th.number scope="col" { "Limit" }
                    }
                }
                tbody {
                    @for distribution in &asked.distributions {
                        @let (slow, fast) = words::ends(distribution, &named);
                        tr {
                            th scope="row" { (words::stratum(&statement.strata[distribution.stratum].stratum)) }
                            td.number { (distribution.figures.len()) }
                            td.number { (show(slow)) }
                            td.number { (show(distribution.median)) }
                            td.number { (show(fast)) }
                            td.number { (distribution.limit.map_or_else(|| "–".to_owned(), show)) }
                        }
                    }
                }
            }
        }
        @for distribution in &asked.distributions {
            @if let Some(latencies) = words::latencies(distribution, &named) {
                p.note { "Stratum " (distribution.stratum + 1) ", histograms added: " (latencies) "." }
            }
        }
    }
}

fn disks(statement: &Statement) -> Markup {
    markup! {
        section aria-labelledby="disks" {
            h2 #disks { "Every disk" }
            p.caption { "Press a heading to sort. The slowest question is the one in which the disk's first measurement is the furthest from the median of its stratum." }
            div.scroll role="group" aria-label="Every disk" tabindex="0" {
                table.sortable {
                    thead {
                        tr {
                            th scope="col" { "Host" }
                            th scope="col" { "Directory" }
                            th scope="col" { "Standing" }
                            th.number scope="col" { "Slowest question" }
                            th.number scope="col" { "Stratum" }
                            th.number scope="col" { "Runs" }
                        }
                    }
                    tbody { @for result in &statement.disks { (disk(statement, result)) } }
                }
            }
        }
    }
}

fn disk(statement: &Statement, result: &DiskResult) -> Markup {
    let slowest = words::slowest(result, statement).unwrap_or_else(|| "–".to_owned());
    let times = result.slowest.map(|(_, times)| times.to_string()).unwrap_or_default();
    let runs: Vec<String> = result.runs.iter().map(words::run).collect();
    markup! {
        tr {
            th scope="row" { (result.disk.host) }
            td { (result.disk.directory) }
            td data-value=(result.standing as u8) { (badge(result.standing)) }
            td.number data-value=(times) { (slowest) }
            td.number data-value=(result.stratum + 1) { (result.stratum + 1) }
            td.number data-value=(result.runs.len()) title=(runs.join("\n")) { (result.runs.len()) }
        }
    }
}

fn strata(statement: &Statement) -> Markup {
    markup! {
        section aria-labelledby="strata" {
            h2 #strata { "Strata" }
            ol {
                @for result in &statement.strata {
                    li {
                        (words::stratum(&result.stratum)) ": " (counted(result.disks, "disk"))
                        @if let Some(measured) = words::measured(result) { ", " (measured) }
                        @if !result.assessable { ", " (words::too_small(result)) }
                    }
                }
            }
        }
    }
}
