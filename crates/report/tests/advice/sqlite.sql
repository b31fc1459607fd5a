-- SQLite 3: settings that follow from Syncline's run of 2026-11-21T09:30:00Z on bench-07.
-- The measurement behind a value is in the comment above it. No value gives up durability. A
-- candidate is predicted from the disk and stands as a comment.
-- Audits that passed for every value: littles-law, same-knobs, volatile-cache.
-- Every value holds for Linux 6.18.0, Samsung SSD 990 PRO of 1.82 TiB, ext4, 64.0 GiB of memory,
-- files up to 1.00 GiB; measure again when one of these changes.

-- change journal_mode = WAL: 11 800 commits/s, and 9 100 with DELETE: 1.30× (1.23–1.37, 99.29 %).
-- Measured: WAL compared with DELETE: 11 800 and 9 100/s, 1.30× the commits/s (1.23–1.37, 99.29 %,
-- 10 rounds of study commit-modes).
-- From the run of 2026-11-21T09:30:00Z, study commit-modes (compare sync, dsync against fdatasync:
-- commits/s, 20 trials).
-- Risk: a full disk stops the server.
-- But: Measured with one write a commit.
PRAGMA journal_mode = WAL;

-- keep synchronous = FULL: FULL compared with NORMAL: 11 800 and 9 100/s, 1.30× the commits/s
-- (1.23–1.37, 99.29 %, 10 rounds of study commit-modes).
-- From the run of 2026-11-21T09:30:00Z, study commit-modes (compare sync, dsync against fdatasync:
-- commits/s, 20 trials).
-- But: Measured with one write a commit.
-- Not advised: synchronous = NORMAL: NORMAL compared with FULL: 183 000 and 9 100/s, 20.1× the
-- entries/s (19.1–21.1, 99.29 %, 10 rounds of study commit-modes); it loses the last transactions
-- when the power fails.
-- synchronous = FULL
