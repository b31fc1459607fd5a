-- c; d
CREATE TABLE t(a TEXT DEFAULT ';');
PRAGMA main.synchronous = 1;
/* x
 */ pragma journal_mode('wal');
PRAGMA page_size;
PRAGMA "mmap_size"=268435456;
