-- 5 changes compared with what runs now, on real SQLite databases, 2026-11-23T00:00:00Z.
-- Every change is proven better or harmless.
-- harmless: all 5 changes together. read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1
-- thread that reads a store that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie
-- within 5 %.
-- The baseline differs from itself by at most 1.2 % in every study (A/A, noise floor).
-- A database with journal_mode = DELETE was measured with synchronous = EXTRA: with FULL a power
-- loss can undo its last transaction.

-- harmless: read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1 thread that reads a store
-- that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie within 5 %.
PRAGMA page_size = 8192;

-- harmless: read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1 thread that reads a store
-- that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie within 5 %.
PRAGMA cache_size = -16000;

-- harmless: read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1 thread that reads a store
-- that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie within 5 %.
PRAGMA journal_mode = WAL;

-- harmless: read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1 thread that reads a store
-- that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie within 5 %.
PRAGMA mmap_size = 268435456;

-- harmless: read rate of loaded keys 1.00× (0.970–1.03, 99.37 %) with 1 thread that reads a store
-- that memory can hold: 8 160 against 8 160/s, 9 rounds: proven to lie within 5 %.
PRAGMA wal_autocheckpoint = 100;
