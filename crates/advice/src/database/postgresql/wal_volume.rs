//! How much is written to the log, and from how large a buffer.

use crate::rule::{Rule, on_postgresql};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::takes_effect::TakesEffect;
use model::LoadPart;

pub(super) const RULES: &[Rule] = &[
    on_postgresql(
        Facts::new(
            "wal_compression",
            ValueKind::Name,
            DefaultValue::Always("off"),
            TakesEffect::SuperuserSession,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-COMPRESSION",
        )
        .acting_on(&[LoadPart::LogWrites])
        .requires(&["for lz4 and zstd: a server that was built with them"])
        .risks(&["CPU time for each full page, at commit and in recovery"])
        .trying(&["pglz", "lz4", "zstd"])
        .provable(),
    ),
    on_postgresql(
        Facts::new(
            "wal_buffers",
            ValueKind::Name,
            DefaultValue::Always("-1"),
            TakesEffect::Restart,
            "https://www.postgresql.org/docs/18/runtime-config-wal.html#GUC-WAL-BUFFERS",
        )
        .acting_on(&[LoadPart::LogWrites])
        .trying(&["16MB", "64MB"])
        .provable(),
    ),
];
