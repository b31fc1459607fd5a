//! From records to findings, audits and advice: a pure function of a run
