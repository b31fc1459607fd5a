//! How PostgreSQL 18 reads asynchronously: by workers, by a ring, or not at all. A ring of Syncline is none of the
//! three, so only the server itself shows which is best.

use crate::rule::{Rule, on_postgresql};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::takes_effect::TakesEffect;
use crate::values::{Override, Values};
use model::LoadPart;

pub(super) const RULES: &[Rule] = &[
    on_postgresql(
        Facts::new(
            "io_method",
            ValueKind::Name,
            DefaultValue::Always("worker"),
            TakesEffect::Restart,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-IO-METHOD",
        )
        .acting_on(&[LoadPart::DataReads])
        .requires(&["for io_uring: a server built with liburing, and a kernel that does not forbid io_uring"])
        .trying(&["io_uring", "sync"])
        .provable(),
    ),
    on_postgresql(
        Facts::new(
            "io_workers",
            ValueKind::Integer,
            DefaultValue::Always("3"),
            TakesEffect::Reload,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-IO-WORKERS",
        )
        .acting_on(&[LoadPart::DataReads])
        .requires(&["io_method = worker"])
        .overridden_by(&[Override { setting: "io_method", values: Values::AllBut("worker") }])
        .trying(&["1", "8", "16"])
        .provable(),
    ),
    on_postgresql(
        Facts::new(
            "io_combine_limit",
            ValueKind::Name,
            DefaultValue::Always("128kB"),
            TakesEffect::Session,
            "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-IO-COMBINE-LIMIT",
        )
        .acting_on(&[LoadPart::DataReads])
        .requires(&["above 128kB: io_max_combine_limit, which needs a restart"])
        .trying(&["32kB", "64kB"])
        .provable(),
    ),
];
