//! Two traits and one loop: what drives every workload on every subject
