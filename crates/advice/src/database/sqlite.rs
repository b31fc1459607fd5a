//! SQLite: its journal, and what a commit waits for.
//!
//! Meanings and defaults: <https://www.sqlite.org/pragma.html#pragma_journal_mode>,
//! <https://www.sqlite.org/pragma.html#pragma_synchronous>, <https://www.sqlite.org/wal.html>.

use crate::caveat::Caveat;
use crate::compared::Compared;
use crate::comparison::Comparison;
use crate::decision::{Alternative, Loss};
use crate::effect::Effect;
use crate::effect::Standing;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, on_host};
use crate::measured_on::OfItself;
use crate::no_advice::{NoAdvice, Why};
use crate::rule::{Database, Decide, Hazard, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::values::Values;
use crate::weighed::{Choose, Weighed};
use model::LoadPart;
use settings::Syntax;
use workload::append::PARAMETERS as APPEND;

/// A note on `journal_mode`.
pub(crate) const DELETE_WITH_EXTRA: Caveat = Caveat::Note(
    "Measured with one entry per transaction and one writing connection. With DELETE, synchronous = EXTRA is what \
     survives a power loss as WAL with FULL does; with FULL, the default, it saves the sync of a directory, and may \
     lose the last transaction if the power fails.",
);

pub(super) const DATABASE: Database = Database {
    name: "SQLite 3",
    program: "SQLite",
    id: "sqlite",
    aliases: &["sqlite3"],
    fragment: "sqlite.sql",
    syntax: Syntax::SqlitePragmas,
    names: None,
    families: &[RULES],
    of_itself: &[OfItself { workload: "append", held: || vec![APPEND.engine.at("sqlite")] }],
    hazards: &[
        Hazard {
            setting: "synchronous",
            values: Values::These(&["OFF"]),
            loses: "a power loss or a kernel crash can corrupt the database",
        },
        Hazard {
            setting: "synchronous",
            values: Values::These(&["NORMAL"]),
            loses: "the last transactions can be lost in a power loss or a kernel crash, and a commit does not wait \
                for the disk",
        },
        Hazard {
            setting: "journal_mode",
            values: Values::These(&["OFF", "MEMORY"]),
            loses: "a process that is killed during a transaction can corrupt the database",
        },
        Hazard {
            setting: "wal_autocheckpoint",
            values: Values::These(&["0", "-1"]),
            loses: "the write-ahead log grows until the program itself checkpoints: reads slow down with it, and it \
                can fill the disk",
        },
    ],
    signs: Signs::NONE,
};

const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "journal_mode",
            ValueKind::Name,
            DefaultValue::Always("DELETE"),
            TakesEffect::AtOnce,
            "https://www.sqlite.org/pragma.html#pragma_journal_mode",
        )
        .acting_on(&[LoadPart::LogSyncs, LoadPart::DataWrites])
        .requires(&["for WAL: no connection from another host, because it needs shared memory"])
        .trying(&["WAL", "TRUNCATE", "PERSIST"])
        .provable(),
        source: Some(SOURCE),
        comparisons: ROLLBACK.len(),
        decide: Decide::Study(journal_mode),
    },
    Rule {
        facts: Facts::new(
            "synchronous",
            ValueKind::Name,
            DefaultValue::Always("FULL"),
            TakesEffect::Session,
            "https://www.sqlite.org/pragma.html#pragma_synchronous",
        )
        .acting_on(&[LoadPart::LogSyncs, LoadPart::DataWrites]),
        source: Some(SOURCE),
        comparisons: 1,
        decide: Decide::Study(synchronous),
    },
];

/// SQLite's arms of the study.
const SOURCE: Source = Source {
    study: "append",
    vary: &[(
        "arm",
        &[
            "sqlite_full",
            "sqlite_normal",
            "sqlite_delete",
            "sqlite_delete_full",
            "sqlite_truncate",
            "sqlite_persist",
        ],
    )],
    minutes: 1,
};
const ENTRIES: &str = "entries_per_s";

fn sqlite() -> [Level; 2] {
    [APPEND.engine.at("sqlite"), on_host()]
}

fn durability(level: &str) -> [Level; 1] {
    [APPEND.durability.at(level.to_owned())]
}

/// A rollback journal as it was measured.
struct Rollback {
    mode: &'static str,
    /// `synchronous`: with DELETE it decides what a power loss leaves.
    synchronous: &'static str,
    /// The level of Syncline's adapter.
    level: &'static str,
    /// Whether a power loss can undo the last transaction: the write-ahead log with FULL promises more.
    promises_less: bool,
    conditions: &'static str,
}

/// SQLite's default first, so that the ratio over it is the one that is printed.
const ROLLBACK: &[Rollback] = &[
    Rollback {
        mode: "DELETE",
        synchronous: "FULL",
        level: "delete_full",
        promises_less: true,
        conditions: "WAL and DELETE with synchronous = FULL, the default",
    },
    Rollback {
        mode: "DELETE",
        synchronous: "EXTRA",
        level: "delete",
        promises_less: false,
        conditions: "WAL with synchronous = FULL, DELETE with EXTRA",
    },
    Rollback {
        mode: "TRUNCATE",
        synchronous: "FULL",
        level: "truncate",
        promises_less: false,
        conditions: "WAL and TRUNCATE with synchronous = FULL",
    },
    Rollback {
        mode: "PERSIST",
        synchronous: "FULL",
        level: "persist",
        promises_less: false,
        conditions: "WAL and PERSIST with synchronous = FULL",
    },
];

/// A commit through the write-ahead log compared with a commit through each measured rollback journal. DELETE keeps the
/// last transaction through a power loss with EXTRA only, the others with FULL
/// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). The default, DELETE with FULL, promises less than the
/// write-ahead log, so a gain over the log is not a reason to leave it.
fn journal_mode(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let mut compared: Vec<(&Rollback, Comparison)> = Vec::new();
    let mut missing = None;
    for rollback in ROLLBACK {
        let arms = Arms {
            workload: "append",
            held: &sqlite(),
            base: &durability(rollback.level),
            other: &durability("full"),
            across_classes: rollback.promises_less,
        };
        match evidence.contrast(arms, ENTRIES) {
            Ok(contrast) => compared.push((rollback, contrast)),
            Err(none) if none.why == Why::NotMeasured => drop(missing.get_or_insert(none)),
            Err(none) => return Err(none),
        }
    }
    let name = |rollback: &Rollback| {
        format!("a rollback journal ({}, synchronous = {})", rollback.mode, rollback.synchronous)
    };
    let pair =
        |(rollback, contrast): &(&Rollback, Comparison)| contrast.pair("the write-ahead log", name(rollback));
    let pairs: Vec<Compared> = compared.iter().map(pair).collect();
    let promises_as_much = |(rollback, _): &&(&Rollback, Comparison)| !rollback.promises_less;
    let is_alone =
        |mode: &str| !compared.iter().filter(promises_as_much).any(|(other, _)| other.mode == mode);
    // Without the comparison at the same promise, a gain of the weaker one would advise it.
    let is_trade = |(rollback, contrast): &&(&Rollback, Comparison)| {
        rollback.promises_less && is_alone(rollback.mode) && contrast.outcome == Standing::Worse
    };
    if let Some(none) = missing.filter(|_| compared.is_empty()) {
        return Err(none);
    }
    let effect = |(rollback, contrast): &(&Rollback, Comparison)| Effect {
        conditions: Some(rollback.conditions.into()),
        ..contrast.effect("WAL", rollback.mode)
    };
    Ok(Weighed {
        effects: compared.iter().filter(|compared| !is_trade(compared)).map(effect).collect(),
        needs: compared.iter().find_map(|(_, contrast)| contrast.needs.clone()),
        grounds: compared.into_iter().map(|(_, contrast)| contrast.ground).collect(),
        caveats: vec![
            DELETE_WITH_EXTRA,
            Caveat::Note(
                "A write-ahead log needs shared memory, so it does not work on network file systems.",
            ),
        ],
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// With FULL, acknowledged transactions survive a power loss. The advice states what NORMAL would gain and lose.
fn synchronous(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "append",
        held: &sqlite(),
        base: &durability("full"),
        other: &durability("normal"),
        across_classes: true,
    };
    let normal = evidence.contrast(arms, ENTRIES)?;
    Ok(Weighed {
        stronger: &["EXTRA"],
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: Statement::of_pair(normal.pair("NORMAL", "FULL")),
            loses: Some(Loss::Note(
                "the last transactions if the power fails or the kernel crashes; the database stays intact, \
                 and a killed process loses nothing",
            )),
        }],
        grounds: vec![normal.ground],
        caveats: vec![Caveat::Note(
            "Measured with journal_mode = WAL, one entry per transaction. With a rollback journal NORMAL can \
             corrupt the database in a power loss, and with journal_mode = DELETE only EXTRA keeps the last \
             transaction.",
        )],
        ..Weighed::new(
            Choose::Guaranteed("FULL"),
            Statement::Keeps(
                "acknowledged transactions survive a power loss with journal_mode = WAL, TRUNCATE or PERSIST, if the \
                 drive honours flushes; with DELETE, the default, the last one can be lost",
            ),
        )
    })
}
