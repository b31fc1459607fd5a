//! Findings in words, one for every outcome; and a check that no text is taken apart again to make them.

use crate::fixture::specimen;
use model::Value;
use model::durability::DurabilityClass;
use model::every_trial::RANKS;
use model::study::AskKind;
use std::path::Path;
use verdict::Estimate;
use verdict::finding::{
    Answer, Asked, At, CellRange, CellRatio, Figures, Finding, Group, Held, Levels, Limit, NoReference,
    Opposing, Outcome, Outlook, Proven, Ranked, Reason, Remark, Rung, Side, Subject,
};

fn name(name: &str) -> Value {
    Value::Name(name.to_owned())
}

fn estimate(point: f64, low: f64, high: f64) -> Estimate {
    Estimate { point: Some(point), interval: Some((low, high)), level: Some(0.95), reason: None }
}

/// `direct` compared with `buffered` in commits/s: 9 900 against 8 250.
pub(crate) fn finding() -> Finding {
    let (_, mut verdict) = specimen(6);
    let finding = verdict.studies.remove(0).findings.remove(0);
    Finding {
        metric: "commits_per_s".to_owned(),
        subject: Subject::Levels(levels("mode", "direct", "buffered")),
        outcome: different(),
        ratio: Some(estimate(1.2, 1.16, 1.24)),
        figures: Some(Figures { level: 9900.0, baseline: 8250.0 }),
        remarks: Vec::new(),
        mechanism: Vec::new(),
        ..finding
    }
}

fn levels(factor: &str, level: &str, baseline: &str) -> Levels {
    Levels { factor: factor.to_owned(), level: name(level), baseline: name(baseline) }
}

pub(crate) fn different() -> Outcome {
    Outcome::Different { is_small: false, is_steady: true }
}

pub(crate) fn along(kind: AskKind, outcome: Outcome) -> Finding {
    let finding = finding();
    Finding {
        ask: Asked { kind, factor: "iodepth".to_owned(), ..finding.ask.clone() },
        metric: "iops".to_owned(),
        subject: Subject::Range { first: Value::Count(1), last: Value::Count(32) },
        outcome,
        ..finding
    }
}

fn latency(finding: Finding) -> Finding {
    let figures = Some(Figures { level: 98.12, baseline: 81.97 });
    Finding { metric: "commit_latency_p50_us".to_owned(), figures, ..finding }
}

fn slower(finding: Finding) -> Finding {
    let figures = Some(Figures { level: 8250.0, baseline: 9900.0 });
    Finding { ratio: Some(estimate(0.833, 0.806, 0.862)), figures, ..finding }
}

fn undecided(finding: Finding, outcome: Outcome, outlook: Outlook) -> Finding {
    Finding { outcome, outlook: Some(outlook), ratio: Some(estimate(1.2, 0.9, 1.6)), ..finding }
}

pub(crate) fn at(level: u64, figure: f64) -> At {
    At { level: Value::Count(level), figure }
}

fn told(title: &str, findings: &[Finding]) -> String {
    let lines =
        findings.iter().map(|finding| format!("{}\n  short: {}", finding.statement(), finding.brief()));
    format!("## {title}\n{}\n\n", lines.collect::<Vec<_>>().join("\n"))
}

fn comparisons() -> String {
    let rounds = Outlook::Rounds { in_all: 14, more: 8 };
    let interaction = Remark::Interaction {
        p: 0.002,
        farthest: CellRatio { cell: "group_size=4".to_owned(), ratio: 1.4 },
        range: Some(CellRange {
            least: CellRatio { cell: "group_size=1".to_owned(), ratio: 1.05 },
            most: CellRatio { cell: "group_size=4".to_owned(), ratio: 1.68 },
        }),
    };
    let classes =
        Remark::Durability { level: vec![DurabilityClass::Process], baseline: vec![DurabilityClass::Power] };
    let held = Held { factor: "cached_percentage".to_owned(), level: Value::Percent(0.0) };
    let asked_at = Asked { at: vec![held], ..finding().ask };
    told(
        "Comparisons",
        &[
            finding(),
            slower(finding()),
            latency(finding()),
            Finding { metric: "iops".to_owned(), ..finding() },
            Finding { outcome: Outcome::Different { is_small: true, is_steady: true }, ..finding() },
            Finding { remarks: vec![interaction], ..finding() },
            Finding { remarks: vec![classes], ..finding() },
            latency(Finding { ask: asked_at, ..finding() }),
            Finding { outcome: Outcome::Equivalent, ..finding() },
            latency(Finding { outcome: Outcome::Equivalent, ..finding() }),
            undecided(finding(), Outcome::Undecided, rounds),
            undecided(latency(finding()), Outcome::Undecided, Outlook::InsideNoise { floor: 1.03 }),
            undecided(finding(), Outcome::Undecided, Outlook::TooMany { over: 200 }),
            undecided(finding(), Outcome::Undecided, Outlook::OutOfSight),
        ],
    )
}

fn opposing() -> String {
    let group = |level: &str, proven, ratios, cells, of_cells| Group {
        level: name(level),
        proven,
        ratios,
        cells,
        of_cells,
    };
    let found = |is_decided| {
        Outcome::DependsOnCell(Opposing {
            factor: Some("rw".to_owned()),
            groups: vec![
                group("write", Some(Side::Above), (1.9, 1.9), 1, 1),
                group("randread", Some(Side::Below), (0.4, 0.61), 3, 4),
                group("read", None, (0.99, 0.99), 1, 1),
            ],
            is_decided,
        })
    };
    let rounds = Outlook::Rounds { in_all: 14, more: 8 };
    told(
        "Different from cell to cell",
        &[Finding { outcome: found(true), ..finding() }, undecided(latency(finding()), found(false), rounds)],
    )
}

fn ladder() -> String {
    let rung = |outcome, is_further| Finding {
        metric: "entries_per_s".to_owned(),
        subject: Subject::Rung(Rung {
            levels: levels("arm", "fdatasync", "pwrite"),
            stronger: DurabilityClass::Power,
            weaker: DurabilityClass::Process,
            is_further,
        }),
        outcome,
        ratio: Some(estimate(1.0 / 830.0, 1.0 / 860.0, 1.0 / 800.0)),
        figures: Some(Figures { level: 626.5, baseline: 520_000.0 }),
        ..finding()
    };
    let missing = vec![NoReference::LeftOut("pwrite".to_owned())];
    let gain = Finding { ratio: finding().ratio, figures: finding().figures, ..rung(different(), false) };
    told(
        "Durability",
        &[
            rung(different(), false),
            rung(different(), true),
            gain,
            rung(Outcome::Equivalent, false),
            Finding { outlook: Some(Outlook::OutOfSight), ..rung(Outcome::Undecided, false) },
            Finding {
                subject: Subject::Ladder,
                ratio: None,
                ..rung(Outcome::NotAssessable(Reason::NoReference(missing)), false)
            },
        ],
    )
}

fn along_a_factor() -> String {
    let (level, best) = (at(8, 11_800.0), at(32, 12_300.0));
    let open = Outlook::Rounds { in_all: 14, more: 8 };
    let arms = |outcome| Finding {
        subject: Subject::Arms {
            arms: levels("mode", "direct", "buffered"),
            range: Some((Value::Bytes(1 << 30), Value::Bytes(16 << 30))),
        },
        ..along(AskKind::Crossover, outcome)
    };
    let places = Outcome::ChangePlaces { at: estimate(4.2e9, 3.9e9, 4.7e9), starts: Side::Above };
    let limit = Limit::AtMost(2000.0);
    let counted = Proven::InEveryTrial { trials: 6, otherwise_at_most: 0.393 };
    let knee = |outcome| along(AskKind::Knee, outcome);
    let threshold = |outcome| latency(along(AskKind::Threshold, outcome));
    let ranked = |ranks: [usize; 3]| {
        let levels = ["direct", "buffered", "dontcache"].into_iter().zip([1500.0, 1010.0, 1000.0]);
        let levels = levels.map(|(level, figure)| At { level: name(level), figure });
        let places = ranks.into_iter().zip(levels).map(|(rank, at)| Ranked { rank, at });
        along(AskKind::Rank, Outcome::Ranked(places.collect()))
    };
    let typical = Outcome::Typical {
        mean: estimate(4000.0, 1000.0, 16_000.0),
        levels: 5,
        between: Answer::Different,
        spread: 2.8,
        heterogeneity: 0.999,
        lowest: at(1, 1000.0),
        highest: at(16, 16_000.0),
    };
    told(
        "Along a factor",
        &vec![
            along(AskKind::Trend, different()),
            latency(slower(along(AskKind::Trend, different()))),
            along(AskKind::Trend, Outcome::Different { is_small: false, is_steady: false }),
            along(AskKind::Trend, Outcome::Equivalent),
            undecided(along(AskKind::Trend, different()), Outcome::Undecided, open),
            arms(places),
            arms(Outcome::KeepPlaces { always: Side::Below }),
            arms(Outcome::ChangePlacesOften { changes: 3 }),
            undecided(arms(different()), Outcome::Undecided, open),
            knee(Outcome::Enough { level: level.clone(), best: best.clone() }),
            latency(knee(Outcome::Enough { level: at(8, 98.12), best: at(4, 95.0) })),
            knee(Outcome::OnlyBest { best: best.clone(), is_smallest: false }),
            knee(Outcome::OnlyBest { best: best.clone(), is_smallest: true }),
            undecided(knee(different()), Outcome::EnoughUndecided { best }, open),
            threshold(Outcome::Keeps { level: at(8, 1800.0), limit, proven: Proven::ByInterval }),
            threshold(Outcome::Keeps { level: at(8, 1800.0), limit, proven: counted }),
            threshold(Outcome::NoneKeeps { limit, proven: counted }),
            undecided(threshold(different()), Outcome::KeepsUndecided { limit }, open),
            ranked([1, 2, 2]),
            Finding { outlook: Some(open), ..ranked([1, 1, 1]) },
            along(AskKind::Across, typical),
        ],
    )
}

/// Shared storage: the records are those of rank 0.
fn of_ranks() -> String {
    let held = Held { factor: "iodepth".to_owned(), level: Value::Count(4) };
    let of = |finding: Finding| Finding {
        ask: Asked { factor: RANKS.to_owned(), at: vec![held.clone()], ..finding.ask.clone() },
        subject: Subject::Range { first: Value::Count(1), last: Value::Count(4) },
        ..finding
    };
    let trend = of(slower(along(AskKind::Trend, different())));
    let knee = of(along(AskKind::Knee, Outcome::Enough { level: at(2, 11_800.0), best: at(4, 12_300.0) }));
    let anywhere = |finding: &Finding| Finding {
        ask: Asked { at: Vec::new(), ..finding.ask.clone() },
        ..finding.clone()
    };
    told("Ranks", &[anywhere(&trend), anywhere(&knee), trend, knee])
}

fn not_assessable() -> String {
    let why = |reason| Finding { outcome: Outcome::NotAssessable(reason), ratio: None, ..finding() };
    let few = Estimate { point: Some(1.2), interval: None, level: None, reason: None };
    let no_value = Reason::NoValue {
        configuration: "mode=direct".to_owned(),
        why: "its trials do not report it".to_owned(),
    };
    told(
        "Not assessable",
        &[
            why(no_value),
            why(Reason::Zero),
            Finding { ratio: Some(few), ..why(Reason::NoCompleteRound) },
            Finding { subject: Subject::Factor, ..why(Reason::OneLevel("mode".to_owned())) },
        ],
    )
}

#[test]
fn findings_read_as_a_person_says_them() {
    let text = [comparisons(), opposing(), ladder(), along_a_factor(), of_ranks(), not_assessable()].concat();
    for phrase in ["is told", "is said", "who "] {
        assert!(!text.contains(phrase), "{phrase}");
    }
    insta::assert_snapshot!(text);
}

/// Sources of this crate that examine text, but not a finding's: their own, fio's, or a person's.
const READS_TEXT: [&str; 9] = [
    "disk.rs",               // the kernel's list of mount options
    "quantity.rs",           // the digits of a number
    "label.rs",              // whether a level, which a plan may hold as any text, begins with a digit
    "terminal/prose.rs",     // wraps a paragraph at its spaces
    "terminal/table.rs",     // aligns a column by what its cells begin with
    "markdown/escape.rs",    // escapes characters with a meaning in Markdown
    "device_files.rs",       // the disk in a partition's name
    "tracker/prometheus.rs", // the unit at the end of a metric's name
    "markdown/page.rs",      // whether the page written so far ends with an empty line
];

/// "brief" cut a sentence at `: the data decide` to make the short form, which lost its meaning when the verdict's
/// wording changed.
#[test]
fn no_text_of_a_verdict_is_taken_apart() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    visit(&sources, &sources, &mut found);
    assert!(found.is_empty(), "render it from the finding's fields instead: {found:#?}");
    // Checks that the check can fail.
    assert!(reads_text("let (level, rest) = statement.split_once(\" against \")?;"));
    assert!(!reads_text("finding.split_first()"));
}

fn reads_text(line: &str) -> bool {
    const PARSERS: [&str; 9] = [
        ".split(",
        ".split_once(",
        ".rsplit",
        ".strip_prefix(",
        ".strip_suffix(",
        ".starts_with(",
        ".ends_with(",
        ".contains(\"",
        ".find(\"",
    ];
    PARSERS.iter().any(|parser| line.contains(parser))
}

fn visit(root: &Path, directory: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            visit(root, &path, found);
        } else if path.extension().is_some_and(|it| it == "rs") && !READS_TEXT.contains(&name.as_str()) {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code.lines().enumerate().filter(|(_, line)| reads_text(line));
            found.extend(lines.map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim())));
        }
    }
}
