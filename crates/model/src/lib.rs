//! The nouns of Syncline: operations, studies, trials, records, metrics, units
