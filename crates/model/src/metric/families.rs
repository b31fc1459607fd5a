//! The metric table. Adding a metric is one row here.

use super::family::{Better, Family, Source, Unit, latency, plain};

/// Every metric there is.
pub const FAMILIES: &[Family] = &[
    plain(
        "commits_per_s",
        "commits/s",
        Unit::PerSecond,
        Better::Higher,
        "groups acknowledged per second, over all committers",
    ),
    plain(
        "transactions_per_s",
        "transactions/s",
        Unit::PerSecond,
        Better::Higher,
        "transactions acknowledged per second; the workload commit counts its records: commits × group size",
    ),
    latency(
        "transaction_latency",
        "transaction latency",
        "of a transaction with all its statements: from its start (open loop: from its intended start) to the \
         acknowledgement of its commit",
    ),
    plain(
        "requests_per_s",
        "requests/s",
        Unit::PerSecond,
        Better::Higher,
        "requests to a database server answered per second, over all clients",
    ),
    latency(
        "request_latency",
        "request latency",
        "of a request to a database server: from its first byte to the end of its answer",
    ),
    plain(
        "device_flushes_per_request",
        "device flushes per request",
        Unit::Count,
        Better::Lower,
        "flush requests that the device completed for each request to the server (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_written_bytes_per_request",
        "device bytes written per request",
        Unit::Bytes,
        Better::Lower,
        "bytes written to the device for each request to the server (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_read_bytes_per_request",
        "device bytes read per request",
        Unit::Bytes,
        Better::Lower,
        "bytes read from the device for each request to the server (diskstats)",
    )
    .from(Source::Device),
    plain(
        "wal_bytes_per_transaction",
        "WAL bytes per transaction",
        Unit::Bytes,
        Better::Lower,
        "bytes of the server's write-ahead log for each transaction",
    ),
    plain(
        "wal_syncs_per_transaction",
        "WAL syncs per transaction",
        Unit::Count,
        Better::Neither,
        "fsync and fdatasync calls on the server's write-ahead log for each transaction; a method that syncs by \
         writing (open_datasync) makes none",
    ),
    plain(
        "full_page_images_per_transaction",
        "full-page images per transaction",
        Unit::Count,
        Better::Lower,
        "pages that the server's write-ahead log holds whole, for each transaction",
    ),
    plain(
        "blocks_read_per_transaction",
        "blocks read per transaction",
        Unit::Count,
        Better::Lower,
        "blocks of tables and indexes that the server read into its buffers, for each transaction",
    ),
    plain(
        "wal_segments_created",
        "WAL segments created",
        Unit::Count,
        Better::Neither,
        "segments of the server's write-ahead log that were made instead of reused, in all turns",
    ),
    plain("checkpoints", "checkpoints", Unit::Count, Better::Neither, "checkpoints that the server began, in all \
        turns"),
    plain(
        "device_flushes_per_transaction",
        "device flushes per transaction",
        Unit::Count,
        Better::Lower,
        "flush requests that the device completed for each transaction (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_written_bytes_per_transaction",
        "device bytes written per transaction",
        Unit::Bytes,
        Better::Lower,
        "bytes written to the device for each transaction (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_read_bytes_per_transaction",
        "device bytes read per transaction",
        Unit::Bytes,
        Better::Lower,
        "bytes read from the device for each transaction (diskstats)",
    )
    .from(Source::Device),
    latency(
        "commit_latency",
        "commit latency",
        "from the submission of the first record to the acknowledgement of the group; comparable between modes",
    ),
    latency(
        "sync_latency",
        "sync latency",
        "from the submission of the sync to its completion; it covers different work in each mode, so it is not \
         compared between modes",
    ),
    latency(
        "sync_file_range_latency",
        "sync_file_range latency",
        "from the submission of sync_file_range to its completion; what it waits for depends on its flags",
    ),
    latency(
        "write_latency",
        "write latency",
        "of a write, or of a group's writes: from the submission of the first to the completion of the last",
    ),
    latency("read_latency", "read latency", "of a read: from its submission to its completion"),
    latency(
        "trim_latency",
        "trim latency",
        "of a hole that is punched in the file (fallocate): from its submission to its completion; the file system may \
         trim the device later",
    ),
    plain("reads_per_s", "reads/s", Unit::PerSecond, Better::Higher, "page reads completed per second"),
    plain(
        "realised_reads_per_commit",
        "reads per commit",
        Unit::Count,
        Better::Neither,
        "page reads completed ÷ commits acknowledged: the value that reads_per_commit reached",
    ),
    plain(
        "device_writes_per_commit",
        "device writes per commit",
        Unit::Count,
        Better::Lower,
        "write requests that reached the device ÷ commits (diskstats; a bare flush counts as one)",
    )
    .from(Source::Device),
    plain(
        "device_written_bytes_per_commit",
        "device bytes written per commit",
        Unit::Bytes,
        Better::Lower,
        "bytes that reached the device ÷ commits (diskstats sectors)",
    )
    .from(Source::Device),
    plain(
        "device_flushes_per_commit",
        "device flushes per commit",
        Unit::Count,
        Better::Lower,
        "flush requests completed by the device ÷ commits (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_read_bytes_per_read",
        "device bytes per read",
        Unit::Bytes,
        Better::Neither,
        "bytes read from the device ÷ page reads; distinguishes disk from cache",
    )
    .from(Source::Device),
    plain(
        "iops",
        "IOPS",
        Unit::PerSecond,
        Better::Higher,
        "reads, writes and trims completed per second, over all jobs; syncs do not count, but their time does",
    ),
    plain(
        "read_iops",
        "read IOPS",
        Unit::PerSecond,
        Better::Higher,
        "reads completed per second, over all jobs",
    ),
    plain(
        "write_iops",
        "write IOPS",
        Unit::PerSecond,
        Better::Higher,
        "writes completed per second, over all jobs",
    ),
    plain(
        "trim_iops",
        "trim IOPS",
        Unit::PerSecond,
        Better::Higher,
        "holes punched in the file per second, over all jobs",
    ),
    plain(
        "syncs_per_s",
        "syncs/s",
        Unit::PerSecond,
        Better::Higher,
        "syncs completed per second, over all jobs",
    ),
    plain(
        "bytes_per_operation",
        "bytes per operation",
        Unit::Bytes,
        Better::Neither,
        "bytes read and written ÷ reads and writes completed, over all jobs",
    ),
    plain(
        "bandwidth_bytes_per_s",
        "bandwidth",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes read and written per second, over all jobs",
    ),
    latency(
        "completion_latency",
        "completion latency",
        "of a read or write: from its submission (open loop: from its intended start) to its completion",
    ),
    plain(
        "page_cache_hit_share",
        "page cache hits",
        Unit::Share,
        Better::Neither,
        "1 − bytes that the device read for this process ÷ bytes that it requested; distinguishes cache from disk. \
         Unsupported if readahead fetched more than was requested",
    )
    .from(Source::Process),
    plain(
        "device_written_bytes_per_written_byte",
        "device bytes per byte written",
        Unit::Count,
        Better::Neither,
        "bytes that reached the device ÷ bytes written, until the end of the last operation; if less than 1, the \
         rest is still in memory",
    )
    .from(Source::Device),
    plain(
        "device_queue_depth_mean",
        "device queue depth",
        Unit::Count,
        Better::Neither,
        "requests in the device's queue, averaged over time by the kernel (diskstats)",
    )
    .from(Source::Device),
    plain(
        "system_calls_per_operation",
        "system calls per operation",
        Unit::Count,
        Better::Lower,
        "system calls that submitted, waited or synced ÷ operations; page faults are not system calls",
    )
    .from(Source::Process),
    plain(
        "minor_faults_per_operation",
        "minor faults per operation",
        Unit::Count,
        Better::Lower,
        "page faults served without I/O ÷ operations",
    )
    .from(Source::Process),
    plain(
        "major_faults_per_operation",
        "major faults per operation",
        Unit::Count,
        Better::Lower,
        "page faults that waited for the device ÷ operations",
    )
    .from(Source::Process),
    plain(
        "efficiency_share",
        "efficiency",
        Unit::Share,
        Better::Higher,
        "commits/s × mean sync latency ÷ committers: the share of time inside the sync",
    )
    .from(Source::Clock),
    plain(
        "in_flight_mean",
        "operations in flight",
        Unit::Count,
        Better::Neither,
        "mean number of operations in flight over time, integrated by the driver",
    )
    .from(Source::Clock),
    plain(
        "cpu_seconds_per_million_operations",
        "CPU per million operations",
        Unit::Seconds,
        Better::Lower,
        "user and system time of the worker ÷ operations × 10⁶",
    )
    .from(Source::Process),
    plain(
        "entries_per_s",
        "entries/s",
        Unit::PerSecond,
        Better::Higher,
        "entries acknowledged per second, over all threads, until the end of the last sync",
    ),
    plain(
        "user_bytes_per_s",
        "user data",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes of keys and values acknowledged per second",
    ),
    latency(
        "append_latency",
        "append latency",
        "from the submission of an entry to its acknowledgement, including the sync that it waits for",
    ),
    plain(
        "device_bytes_per_user_byte",
        "device bytes per user byte",
        Unit::Count,
        Better::Lower,
        "bytes that reached the device ÷ bytes of keys and values, until the end of the last operation; if less than \
         1, the rest is still in memory",
    )
    .from(Source::Device),
    plain(
        "device_flushes_per_entry",
        "device flushes per entry",
        Unit::Count,
        Better::Lower,
        "flush requests completed by the device ÷ entries (diskstats)",
    )
    .from(Source::Device),
    plain(
        "device_flushes_per_put",
        "device flushes per put",
        Unit::Count,
        Better::Lower,
        "flush requests completed by the device while keys were loaded ÷ keys (diskstats)",
    )
    .from(Source::Device)
    .during("load"),
    plain(
        "lost_after_kill",
        "entries lost by a kill",
        Unit::Count,
        Better::Lower,
        "acknowledged entries that are missing after the process is killed and the store is opened again",
    ),
    plain(
        "exposed_bytes_max",
        "exposed bytes, maximum",
        Unit::Bytes,
        Better::Lower,
        "largest number of bytes that were acknowledged but not on the device: in a buffer of the process, dirty or \
         under writeback",
    ),
    plain(
        "exposed_bytes_mean",
        "exposed bytes, mean",
        Unit::Bytes,
        Better::Lower,
        "mean number of bytes over time that were acknowledged but not on the device",
    ),
    plain(
        "exposed_drain_s",
        "time until nothing is exposed",
        Unit::Seconds,
        Better::Lower,
        "time from the last acknowledgement until the last byte is on the device, after an immediate sync of the \
         engine and then of the file system",
    ),
    plain(
        "load_operations_per_s",
        "load rate",
        Unit::PerSecond,
        Better::Higher,
        "puts acknowledged per second during the load, over all threads",
    )
    .counting("puts/s")
    .during("load"),
    plain(
        "load_and_drain_operations_per_s",
        "load-and-drain rate",
        Unit::PerSecond,
        Better::Higher,
        "puts ÷ the time of load and drain: the rate that the store can sustain",
    )
    .counting("puts/s")
    .during("load"),
    plain(
        "drain_s",
        "drain",
        Unit::Seconds,
        Better::Lower,
        "from the end of the load until no compaction is left",
    )
    .during("load"),
    plain(
        "hit_operations_per_s",
        "read rate of loaded keys",
        Unit::PerSecond,
        Better::Higher,
        "gets of existing keys completed per second, over all threads",
    )
    .counting("gets/s")
    .during("hit"),
    plain(
        "miss_operations_per_s",
        "read rate of absent keys",
        Unit::PerSecond,
        Better::Higher,
        "gets of absent keys completed per second, over all threads",
    )
    .counting("gets/s")
    .during("miss"),
    plain(
        "mixed_operations_per_s",
        "rate of mixed operations",
        Unit::PerSecond,
        Better::Higher,
        "operations of the mix completed per second, over all threads; by default half are gets and half puts",
    )
    .counting("operations/s")
    .during("mixed"),
    plain(
        "scan_operations_per_s",
        "scan rate",
        Unit::PerSecond,
        Better::Higher,
        "short scans completed per second, over all threads",
    )
    .counting("scans/s")
    .during("scan"),
    plain(
        "read_while_writing_operations_per_s",
        "read rate beside writers",
        Unit::PerSecond,
        Better::Higher,
        "gets of existing keys completed per second over all readers, while writers put; no put counts",
    )
    .counting("gets/s")
    .during("read_while_writing"),
    plain(
        "write_while_reading_operations_per_s",
        "write rate beside readers",
        Unit::PerSecond,
        Better::Higher,
        "puts acknowledged per second over all writers, while readers get; with writer_rate_ops as many as arrive, if \
         the engine keeps up",
    )
    .counting("puts/s")
    .during("read_while_writing"),
    latency(
        "load_latency",
        "load latency",
        "of a put during the load: from its submission to its acknowledgement",
    )
    .during("load"),
    latency(
        "hit_latency",
        "hit latency",
        "of a get of an existing key: from its submission (open loop: from its intended start) to its completion",
    )
    .during("hit"),
    latency(
        "miss_latency",
        "miss latency",
        "of a get of an absent key: from its submission (open loop: from its intended start) to its completion",
    )
    .during("miss"),
    latency(
        "mixed_latency",
        "mixed latency",
        "of the operations of the mix: from the submission (open loop: from the intended start) to the completion",
    )
    .during("mixed"),
    latency(
        "scan_latency",
        "scan latency",
        "of a short scan: from its submission (open loop: from its intended start) to its last entry",
    )
    .during("scan"),
    latency(
        "read_while_writing_latency",
        "read latency beside writers",
        "of a get while writers put: from its submission (open loop: from its intended start) to its completion",
    )
    .during("read_while_writing"),
    latency(
        "write_while_reading_latency",
        "write latency beside readers",
        "of a put while readers get: from its submission (with writer_rate_ops: from its intended start) to its \
         acknowledgement",
    )
    .during("read_while_writing"),
    plain(
        "write_stall_s",
        "write stalls",
        Unit::Seconds,
        Better::Lower,
        "time for which flushes and compactions stalled writers during load and drain, summed over writers, as the \
         engine reports it",
    )
    .during("load"),
    plain(
        "write_amplification",
        "write amplification",
        Unit::Count,
        Better::Lower,
        "bytes that reached the device during load and drain ÷ bytes of keys and values",
    )
    .from(Source::Device)
    .during("load"),
    plain(
        "space_amplification",
        "space amplification",
        Unit::Count,
        Better::Lower,
        "space that the store occupies on disk after the drain ÷ bytes of keys and values",
    )
    .during("load"),
    plain(
        "load_cpu_seconds_per_million_operations",
        "CPU per million puts, load and drain",
        Unit::Seconds,
        Better::Lower,
        "user and system time of the worker during load and drain, compaction included ÷ puts × 10⁶",
    )
    .from(Source::Process)
    .during("load"),
    plain(
        "hit_cpu_seconds_per_million_operations",
        "CPU per million reads",
        Unit::Seconds,
        Better::Lower,
        "user and system time of the worker during the reads of loaded keys ÷ gets × 10⁶",
    )
    .from(Source::Process)
    .during("hit"),
    plain(
        "accelerator_utilization",
        "accelerator utilization (AU)",
        Unit::Share,
        Better::Higher,
        "share of the accelerator's time in which it worked, from its first step to the begin of its last one: the rest \
         is waiting for batches. As in MLPerf Storage, what comes before the first step counts nowhere",
    )
    .from(Source::Clock),
    plain(
        "first_pass_bandwidth_bytes_per_s",
        "bandwidth, first pass",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes read per second in the first pass over the dataset, over all readers",
    ),
    plain(
        "later_passes_bandwidth_bytes_per_s",
        "bandwidth, later passes",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes read per second from the second pass on, over all readers",
    ),
    plain(
        "files_per_s",
        "files/s",
        Unit::PerSecond,
        Better::Higher,
        "complete files, objects or pieces of them read per second, over all readers",
    ),
    latency(
        "block_latency",
        "block latency",
        "of one block of a file, including the open and the hint if they are repeated for each block",
    ),
    latency(
        "file_latency",
        "file latency",
        "of a whole file, object or piece: from the open or the first request until it is closed or complete, \
         without waiting for the accelerator",
    ),
    plain(
        "minor_faults",
        "minor faults",
        Unit::Count,
        Better::Lower,
        "page faults served without I/O, over all passes",
    )
    .from(Source::Process),
    plain(
        "major_faults",
        "major faults",
        Unit::Count,
        Better::Lower,
        "page faults that waited for the device, over all passes",
    )
    .from(Source::Process),
    plain(
        "cpu_seconds_per_gib",
        "CPU per GiB",
        Unit::Seconds,
        Better::Lower,
        "user and system time of the worker ÷ GiB read",
    )
    .from(Source::Process),
    plain(
        "system_calls_per_gib",
        "system calls per GiB",
        Unit::Count,
        Better::Lower,
        "system calls that opened, advised, read and closed files ÷ GiB read; page faults are not system calls",
    )
    .from(Source::Process),
    plain(
        "device_read_bytes_per_byte_read",
        "device bytes per byte read",
        Unit::Count,
        Better::Lower,
        "bytes read from the device ÷ bytes read (diskstats); if less than 1, the rest came from the page cache; if \
         more than 1, readahead fetched more than was used",
    )
    .from(Source::Device),
    plain(
        "cached_share_after",
        "dataset cached after",
        Unit::Share,
        Better::Neither,
        "share of the dataset's pages in the page cache after the last pass",
    ),
    plain(
        "request_retries",
        "requests retried",
        Unit::Count,
        Better::Lower,
        "requests to an object store that repeated failed ones; every other figure includes their time",
    ),
    plain(
        "object_operations_per_s",
        "rate of operations on objects",
        Unit::PerSecond,
        Better::Higher,
        "operations on objects completed per second, over all clients; those that failed do not count",
    )
    .counting("operations/s"),
    plain(
        "object_read_bytes_per_s",
        "bytes read from objects",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes of objects read per second, over all clients",
    ),
    plain(
        "object_written_bytes_per_s",
        "bytes written to objects",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes of objects written per second, over all clients",
    ),
    plain(
        "object_gets_per_s",
        "rate of gets",
        Unit::PerSecond,
        Better::Higher,
        "objects read whole per second, over all clients",
    )
    .counting("gets/s"),
    plain(
        "object_ranges_per_s",
        "rate of range gets",
        Unit::PerSecond,
        Better::Higher,
        "ranges of objects read per second, over all clients",
    )
    .counting("range gets/s"),
    plain(
        "object_puts_per_s",
        "rate of puts",
        Unit::PerSecond,
        Better::Higher,
        "objects written per second, over all clients",
    )
    .counting("puts/s"),
    plain(
        "object_multiparts_per_s",
        "rate of puts in parts",
        Unit::PerSecond,
        Better::Higher,
        "objects written in parts per second, over all clients",
    )
    .counting("puts/s"),
    plain(
        "object_stats_per_s",
        "rate of stats",
        Unit::PerSecond,
        Better::Higher,
        "requests for the size of an object answered per second, over all clients",
    )
    .counting("stats/s"),
    plain(
        "object_lists_per_s",
        "rate of lists",
        Unit::PerSecond,
        Better::Higher,
        "folders listed per second, all pages of each, over all clients",
    )
    .counting("lists/s"),
    plain(
        "object_deletes_per_s",
        "rate of deletes",
        Unit::PerSecond,
        Better::Higher,
        "objects removed per second, over all clients",
    )
    .counting("deletes/s"),
    plain(
        "object_names_per_s",
        "rate of listed names",
        Unit::PerSecond,
        Better::Higher,
        "names of objects listed per second, over all clients",
    )
    .counting("names/s"),
    latency(
        "object_latency",
        "latency of operations on objects",
        "of any operation on objects: from its submission (open loop: from its intended start) to its \
         completion",
    ),
    plain(
        "object_puts_seconds",
        "time of the puts",
        Unit::Seconds,
        Better::Lower,
        "time that the slowest client spends in the puts of the trial, until the last one is acknowledged; for files \
         without the time between two of them, in which bytes are made. With sync_puts it is the time to durable",
    ),
    plain(
        "object_puts_bytes_per_s",
        "bandwidth of the puts",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes that the puts of the trial wrote ÷ their time",
    ),
    plain(
        "object_restore_seconds",
        "time of the restore",
        Unit::Seconds,
        Better::Lower,
        "time that the slowest client spends in reading what it has put, after the measurement; for files without the \
         time in which bytes are compared",
    ),
    plain(
        "object_restore_bytes_per_s",
        "bandwidth of the restore",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes that the restore read ÷ its time",
    ),
    plain(
        "object_restore_cached_share",
        "cached before the restore",
        Unit::Share,
        Better::Neither,
        "share of what the puts have left that was in the page cache when the restore began",
    ),
    latency(
        "object_first_byte_latency",
        "time to first byte",
        "of a get or a range get: from its submission (open loop: from its intended start) until the first \
         bytes are there; a file is opened and read once until then",
    ),
    latency(
        "object_page_latency",
        "page latency of lists",
        "of one page of a list: from its request to its last name",
    ),
    latency(
        "object_get_latency",
        "get latency",
        "of an object that is read whole: from its submission (open loop: from its intended start) to its \
         completion",
    ),
    latency(
        "object_range_latency",
        "range get latency",
        "of a range of an object that is read: from its submission (open loop: from its intended start) to \
         its completion",
    ),
    latency(
        "object_put_latency",
        "put latency",
        "of an object that is written, with its sync if it has one: from its submission (open loop: from \
         its intended start) to its completion",
    ),
    latency(
        "object_multipart_latency",
        "latency of puts in parts",
        "of an object that is written in parts: from the request that begins it (open loop: from its \
         intended start) to the answer that completes it",
    ),
    latency(
        "object_stat_latency",
        "stat latency",
        "of a request for the size of an object: from its submission (open loop: from its intended start) \
         to its completion",
    ),
    latency(
        "object_list_latency",
        "list latency",
        "of all pages of a folder: from its submission (open loop: from its intended start) to the last name",
    ),
    latency(
        "object_delete_latency",
        "delete latency",
        "of the removal of an object: from its submission (open loop: from its intended start) to its \
         completion",
    ),
    plain(
        "failed_operations",
        "operations failed",
        Unit::Count,
        Better::Lower,
        "operations that failed in the end and that the trial tolerated; no rate and no latency has them",
    ),
    plain(
        "overloaded_answers",
        "answers that the store is overloaded",
        Unit::Count,
        Better::Lower,
        "answers of an object store by which it refuses a request because of its load (503, 429)",
    ),
    plain(
        "write_requests_per_operation",
        "write requests per operation",
        Unit::Count,
        Better::Neither,
        "puts sent to an object store, and the begin, the parts and the end of puts in parts, with those that were \
         repeated, divided by the operations that completed",
    ),
    plain(
        "list_requests_per_operation",
        "list requests per operation",
        Unit::Count,
        Better::Neither,
        "pages of lists requested of an object store, with those that were repeated, divided by the operations that \
         completed",
    ),
    plain(
        "read_requests_per_operation",
        "read requests per operation",
        Unit::Count,
        Better::Neither,
        "gets and stats sent to an object store, with those that were repeated, divided by the operations that \
         completed",
    ),
    plain(
        "delete_requests_per_operation",
        "delete requests per operation",
        Unit::Count,
        Better::Neither,
        "deletes sent to an object store, and aborts of puts in parts, with those that were repeated, divided by the \
         operations that completed",
    ),
    plain("pass_read_bytes", "bytes of a pass", Unit::Bytes, Better::Neither, "bytes read in one pass"),
    plain(
        "pass_bandwidth_bytes_per_s",
        "bandwidth of a pass",
        Unit::BytesPerSecond,
        Better::Higher,
        "bytes read per second in one pass, over all readers",
    ),
    plain(
        "pass_hit_share",
        "page cache hits of a pass",
        Unit::Share,
        Better::Neither,
        "1 − bytes that the device read for this process ÷ bytes that it requested, in one pass. Unsupported if more \
         was fetched than requested",
    )
    .from(Source::Process),
    plain(
        "pass_cached_share_before",
        "cached before a pass",
        Unit::Share,
        Better::Neither,
        "share of the dataset's pages in the page cache at the start of a pass",
    ),
    plain(
        "resident_bytes_max",
        "peak memory",
        Unit::Bytes,
        Better::Lower,
        "largest resident set of the worker",
    )
    .from(Source::Process),
    plain(
        "load_page_cache_bytes",
        "page cache held after load and drain",
        Unit::Bytes,
        Better::Neither,
        "bytes of the store's files in the page cache after load and drain",
    )
    .during("load"),
    plain(
        "hit_page_cache_bytes",
        "page cache held after reads",
        Unit::Bytes,
        Better::Neither,
        "bytes of the store's files in the page cache after the reads of loaded keys",
    )
    .during("hit"),
    plain(
        "hit_device_reads_in_flight",
        "device reads in flight during the reads",
        Unit::Count,
        Better::Neither,
        "device reads per second × their mean time in the device's queue (Little's law), while loaded keys were read. \
         Unsupported if caches served more than half of the gets",
    )
    .from(Source::Device)
    .during("hit"),
    latency(
        "page_write_latency",
        "page write latency",
        "of writing back one dirty page: from the call until the kernel or the device has it, depending on the I/O \
         mode",
    ),
    latency(
        "page_read_latency",
        "page read latency",
        "of reading one page that was not in the pool, in the first pass: until it is in its frame",
    ),
    latency(
        "page_hit_latency",
        "page hit latency",
        "of reading one page that was in the pool, in the second pass",
    ),
    plain(
        "page_write_us",
        "page write",
        Unit::Microseconds,
        Better::Lower,
        "time spent writing dirty pages back ÷ pages written",
    ),
    plain(
        "page_read_us",
        "page read",
        Unit::Microseconds,
        Better::Lower,
        "time spent reading pages that were not in the pool ÷ pages read, in the first pass",
    ),
    plain(
        "page_write_read_ratio",
        "write/read ratio of means",
        Unit::Count,
        Better::Neither,
        "mean time of a page write ÷ mean time of a page read",
    )
    .from(Source::Clock),
    plain(
        "page_write_read_ratio_p50",
        "write/read ratio of medians",
        Unit::Count,
        Better::Neither,
        "median time of a page write ÷ median time of a page read",
    )
    .from(Source::Clock),
    plain(
        "fill_us",
        "page fill",
        Unit::Microseconds,
        Better::Lower,
        "time of the fill ÷ pages; each page is created in the pool, without a read",
    ),
    plain(
        "first_read_us",
        "first pass",
        Unit::Microseconds,
        Better::Lower,
        "time of the first pass over the table ÷ its pages, including the reader's own work",
    ),
    plain(
        "second_read_us",
        "second pass",
        Unit::Microseconds,
        Better::Lower,
        "time of the second pass over the table ÷ its pages, including the reader's own work",
    ),
    plain(
        "second_read_hit_share",
        "hit share in the second pass",
        Unit::Share,
        Better::Higher,
        "share of the table's pages that the second pass found in the pool",
    ),
    plain(
        "second_read_evictions",
        "evictions in the second pass",
        Unit::Count,
        Better::Lower,
        "pages evicted from the pool during the second pass",
    ),
    plain("pool_frames", "frames", Unit::Count, Better::Neither, "pages that the pool holds at most"),
    plain(
        "map_pages",
        "map pages",
        Unit::Count,
        Better::Neither,
        "pages that a pass needs besides the table's own: free-space and visibility maps",
    ),
    plain(
        "page_change_us",
        "page change",
        Unit::Microseconds,
        Better::Lower,
        "time of the statement that changes every page of the table once ÷ pages. It reads each page, and ends when \
         its write-ahead log is on the device",
    ),
    plain(
        "page_change_write_us",
        "page change and write",
        Unit::Microseconds,
        Better::Lower,
        "the page change plus the page write: the cost of a page that is changed once, until it has left the buffers",
    ),
    plain(
        "wal_bytes_per_page",
        "WAL per page",
        Unit::Bytes,
        Better::Lower,
        "bytes of write-ahead log ÷ pages written; zero for a temporary table",
    ),
    plain(
        "full_page_images_per_page",
        "full-page images per page",
        Unit::Count,
        Better::Lower,
        "whole pages in the write-ahead log ÷ pages written; PostgreSQL logs the first change of a page after a \
         checkpoint whole",
    ),
    plain(
        "instrument_overhead_ns",
        "instrument's own cost",
        Unit::Nanoseconds,
        Better::Lower,
        "time per operation of driver, workload and histograms on the null backend",
    ),
];
