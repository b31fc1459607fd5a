//! Names of parameters that mean something else where they stand.

/// Names of parameters that mean something else there: each with what.
pub(super) const OTHER_MEANINGS: &[(&str, &[&str])] = &[
    // fio's options, which some of the device workload's parameters are named after; and whether an old run recorded
    // its pages.
    (
        "fio/src/export/mod.rs",
        &[
            "atomic",
            "beside",
            "bs",
            "bssplit",
            "buffer_compress_percentage",
            "end_fsync",
            "fdatasync",
            "flow",
            "iodepth",
            "ioengine",
            "number_ios",
            "numjobs",
            "ramp_time",
            "random_distribution",
            "rate",
            "rate_iops",
            "runtime",
            "rw",
            "rwmixread",
            "size",
            "start_delay",
            "sync_file_range",
            "thinktime",
            "thinktime_blocks",
            "verify",
        ],
    ),
    ("fio/src/export/plan.rs", &["buffer_pages"]),
    // What `--cpu` fixes.
    ("lab/src/plan.rs", &["cpu"]),
    // What was done to a file.
    ("lab/src/run_directory/files.rs", &["open"]),
    // What a cell of somebody's table calls memory.
    ("tables/src/cell.rs", &["cache"]),
    // Names of a tables table's settings, from any program.
    ("laws/src/list/same_knobs.rs", &["iodepth", "ioengine", "mode", "numjobs", "passes", "sync"]),
    ("laws/src/list/timers_differ.rs", &["mode"]),
    // A rate of anything, in a tables table and in fio's JSON.
    ("laws/src/list/derived_rate.rs", &["rate"]),
    ("tables/src/read/fio.rs", &["flow", "rate"]),
    // Roles that a column of somebody's table can have, and the names of such columns.
    ("tables/src/mapping/column.rs", &["mode", "reads_per_commit"]),
    ("tables/src/read/rows.rs", &["rate_iops"]),
    // Words of other people's headers, labels and units.
    ("tables/src/guess/header.rs", &["io", "reads"]),
    (
        "tables/src/guess/mod.rs",
        &[
            "bs",
            "clients",
            "concurrency",
            "data",
            "durability",
            "entries",
            "fdatasync",
            "io",
            "iodepth",
            "keys",
            "mode",
            "numjobs",
            "request",
            "runtime",
            "rw",
            "sync",
            "threads",
        ],
    ),
    ("tables/src/hint/durability.rs", &["sync"]),
    ("tables/src/hint/label.rs", &["iodepth", "reads", "rw"]),
    ("tables/src/hint/prose/fact.rs", &["iodepth", "numjobs", "passes"]),
    (
        "tables/src/hint/prose/statements.rs",
        &["cache", "clients", "cpu", "data", "passes", "server", "size", "threads"],
    ),
    ("tables/src/language.rs", &["concurrency", "durability", "sync", "threads"]),
    ("laws/src/claim/sync.rs", &["fdatasync"]),
    ("tables/src/hint/sync.rs", &["end_fsync", "sync"]),
    ("tables/src/unit.rs", &["io", "keys", "reads", "rows"]),
    ("tables/src/read/html.rs", &["script", "table"]),
    ("tables/src/role/apply.rs", &["durability"]),
    // The same names, of what a table and its page state or do not.
    ("laws/src/list/ratio_column.rs", &["runtime"]),
    ("laws/src/claim/setting.rs", &["durability", "iodepth", "ioengine", "mode", "numjobs", "passes"]),
    ("tables/src/unstated.rs", &["mode", "passes", "sync"]),
    (
        "tables/src/role/names.rs",
        &[
            "block_size",
            "bs",
            "durability",
            "end_fsync",
            "engine",
            "iodepth",
            "ioengine",
            "memory_cap",
            "mode",
            "numjobs",
            "page_size",
            "passes",
            "rate_iops",
            "reads_per_commit",
            "runtime",
            "rw",
            "size",
            "sync",
            "threads",
        ],
    ),
    // Rows of a table on a page, and the word for what a proof compares.
    ("report/src/html/data.rs", &["rows"]),
    ("proof/src/proof.rs", &["server"]),
    // The role of a file, and a pattern of fio's.
    ("verdict/src/claims.rs", &["data", "rw"]),
    // fio's options, as its report repeats them.
    (
        "tables/src/read/fio.rs",
        &[
            "bs",
            "bssplit",
            "buffer_compress_percentage",
            "end_fsync",
            "fdatasync",
            "ioengine",
            "numjobs",
            "random_distribution",
            "rate_iops",
            "rw",
            "rwmixread",
            "size",
            "sync",
            "sync_file_range",
            "thinktime",
        ],
    ),
    // JMH's column, and fio's options of a command above a table.
    ("tables/src/read/jmh.rs", &["mode"]),
    (
        "tables/src/read/fio_command.rs",
        &["bs", "end_fsync", "fdatasync", "iodepth", "ioengine", "numjobs", "rw", "size", "sync"],
    ),
    // Options of other programs, as they were typed or printed.
    ("tables/src/read/program/db_bench.rs", &["sync", "threads"]),
    ("tables/src/read/program/fio_normal/line.rs", &["sync"]),
    (
        "tables/src/read/program/fio_normal/mod.rs",
        &["bs", "end_fsync", "fdatasync", "iodepth", "ioengine", "numjobs", "rw", "sync"],
    ),
    (
        "tables/src/read/program/fio_options.rs",
        &["bs", "end_fsync", "fdatasync", "numjobs", "rate_iops", "rw", "size", "sync", "thinktime"],
    ),
    ("tables/src/read/program/pg_test_fsync.rs", &["fdatasync"]),
    ("tables/src/read/program/sysbench.rs", &["sync"]),
    // fio's patterns and ways to sync.
    ("laws/src/claim/setting.rs", &["rw", "sync"]),
    // The columns of page 000, which is the table of one study.
    ("report/src/csv_page_000.rs", &["group_size", "mode", "reads_per_commit"]),
    // What a finding is about.
    ("report/src/html/data.rs", &["subject"]),
    // Settings of databases, their values, and a study.
    ("advice/src/database/innodb/mod.rs", &["fdatasync"]),
    ("advice/src/database/linux.rs", &["filesystem"]),
    ("advice/src/database/postgresql/asynchronous_io.rs", &["sync"]),
    ("advice/src/database/postgresql/commit_delay.rs", &["committers"]),
    ("advice/src/database/postgresql/wal.rs", &["fdatasync"]),
    ("proof/src/database/rocksdb.rs", &["sync"]),
    ("proof/src/database/sqlite.rs", &["cache_size", "page_size"]),
    // A stage of a proof.
    ("proof/src/stage_kind.rs", &["settings"]),
    // Parts of a page.
    ("advice/src/document.rs", &["advice"]),
    ("advice/src/to_do.rs", &["settings"]),
    // The parameter of every trial that the audit is about.
    ("verdict/src/audits/buffer_pages.rs", &["buffer_pages"]),
    ("verdict/src/audits/factor_took_effect/io_cap.rs", &["io_cap", "reads"]),
    ("verdict/src/audits/factor_took_effect/memory_cap.rs", &["memory_cap"]),
    // An audit, and the role of a file.
    ("verdict/src/audits/layout.rs", &["layout"]),
    ("verdict/src/described/cached.rs", &["data"]),
    // A verb.
    ("verdict/src/sentence/comparison.rs", &["reads"]),
];
