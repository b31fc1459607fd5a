//! Checkpoints, and what they write to the log. After a checkpoint the first change of each page writes the whole page
//! to the log, so fewer checkpoints write less. How much less depends on the load, and no pattern of I/O stands for it:
//! a proof measures whole cycles of checkpoints. A timeout of minutes has no cycle that is as short as a trial.

use crate::rule::{Rule, on_postgresql};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::takes_effect::TakesEffect;
use model::LoadPart;

const RECOVERY: &str = "recovery after a crash replays the log since the last checkpoint, so it takes longer";

pub(super) const RULES: &[Rule] = &[
    on_postgresql(
        Facts::new(
            "max_wal_size",
            ValueKind::Name,
            DefaultValue::Always("1GB"),
            TakesEffect::Reload,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-MAX-WAL-SIZE",
        )
        .acting_on(&[LoadPart::LogWrites])
        .requires(&["this much room beside the data, and some to spare: it is a soft limit"])
        .risks(&[RECOVERY])
        .trying(&["4GB", "16GB"])
        .provable(),
    ),
    on_postgresql(
        Facts::new(
            "checkpoint_timeout",
            ValueKind::Microseconds,
            DefaultValue::Always("5min"),
            TakesEffect::Reload,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-CHECKPOINT-TIMEOUT",
        )
        .acting_on(&[LoadPart::LogWrites])
        .requires(&["a max_wal_size that lasts as long"])
        .risks(&[RECOVERY])
        .trying(&["15min", "30min"]),
    ),
    on_postgresql(
        Facts::new(
            "checkpoint_flush_after",
            ValueKind::Name,
            DefaultValue::Always("256kB"),
            TakesEffect::Reload,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-CHECKPOINT-FLUSH-AFTER",
        )
        .acting_on(&[LoadPart::LogWrites, LoadPart::DataWrites])
        .risks(&["with 0 the kernel decides when to write, and the fsync at the end of a checkpoint can stall commits"])
        .trying(&["0", "1MB"])
        .provable(),
    ),
    on_postgresql(
        Facts::new(
            "backend_flush_after",
            ValueKind::Name,
            DefaultValue::Always("0"),
            TakesEffect::Session,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-BACKEND-FLUSH-AFTER",
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(&["pages that are changed again soon are written more often"])
        .trying(&["256kB", "1MB"])
        .provable(),
    ),
];
