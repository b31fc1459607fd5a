//! Block backends, files, page cache, device counters: everything that touches the kernel
