//! Phrases that a reader stumbles over, each with its replacement, a sentence that has it and a sentence that may stay.

/// A banned phrase. Its pattern is a list of words: `a|b` matches either word, `!a|b` any other word, `_` any word. A
/// word in lower case matches in any case; a capital letter matches the beginning of a sentence only. A punctuation
/// mark is a word.
pub(super) struct Phrase {
    pub(super) pattern: &'static str,
    pub(super) instead: &'static str,
    pub(super) wrong: &'static str,
    pub(super) right: &'static str,
}

const fn phrase(
    pattern: &'static str,
    instead: &'static str,
    wrong: &'static str,
    right: &'static str,
) -> Phrase {
    Phrase { pattern, instead, wrong, right }
}

/// The list. Its rules are those of PostgreSQL's manual: name the actor, use the active voice, `if` for a condition.
pub(super) const BANNED: &[Phrase] = &[
    phrase(
        "is|are|was|were|be|been|than told",
        "Syncline reports, prints, lists; is configured",
        "The user is told so.",
        "Syncline prints a warning.",
    ),
    phrase(
        "told apart|by|of|from|.|,|;|:",
        "distinguished, reported",
        "Two arms are not to be told apart.",
        "Two arms cannot be distinguished.",
    ),
    phrase(
        "tell|tells of|each|.|,|;|:",
        "describes, shows, reports",
        "The chapter tells of it.",
        "The chapter describes it.",
    ),
    phrase(
        "is|are|was|were|be|and|kernel said",
        "Syncline prints, states, logs; the kernel's error",
        "A torn line is dropped and said.",
        "Syncline drops a torn line and reports it.",
    ),
    phrase("said of|so|to", "stated", "The word is said of it.", "The report states it."),
    phrase(
        "say|says|know|knows|known of",
        "about",
        "The backend knows nothing; what is known of it?",
        "What is known about it?",
    ),
    phrase("speaks|speak !another|another's", "reports", "The audit speaks there.", "The audit warns."),
    phrase(
        "!there|there's is|are|was|were no !longer|more|less|larger|smaller|slower|faster|better|worse|wider|easier|different|matter",
        "is not a",
        "A failed get is no throughput.",
        "There is no checksum, and it is no longer valid.",
    ),
    phrase(
        "Who",
        "A user who, a program that",
        "Who looks every round errs.",
        "A user who looks every round errs.",
    ),
    phrase(
        ",|;|: who|whoever types|looks|asks|takes|wants|runs|reads|knows|gives|promises|finds",
        "a user who",
        "It is narrow; who asks twice errs.",
        "A user who asks twice errs.",
    ),
    phrase(
        "Of !course",
        "For X, Y; or name the actor",
        "Of 4 KiB the mean is 3.",
        "For 4 KiB the mean is 3.",
    ),
    phrase("; of", "; for", "It takes bytes; of a file none.", "It takes bytes; for a file none."),
    phrase(
        "Where that|there|more|none|nothing|some|both|two|rounds|one|no",
        "If",
        "Where more rounds would decide, it says so.",
        "Where are the files?",
    ),
    phrase("where it|that does|has|can|had", "if it", "It reads ahead where it can.", "It is where it was."),
    phrase(
        "where there is|are !none",
        "if there is",
        "Skipped where there is a file.",
        "Found where there is none.",
    ),
    phrase(
        "where nothing|none|need|possible|permitted|nobody",
        "if",
        "Say it where possible.",
        "Say it if possible.",
    ),
    phrase(
        "only where",
        "only if",
        "Root is needed only where it mounts.",
        "Root is needed only if it mounts.",
    ),
    phrase(
        "is|are|was|were|than|bytes|as asked for|.|,|;|:",
        "requested; Syncline measures, the study compares",
        "More than is asked for.",
        "The study asks for that state.",
    ),
    phrase(
        "came to !the|a|an|be|rest|its|this|that|light|mind",
        "was, reached",
        "It came to 46.",
        "It came to rest.",
    ),
    phrase("anew", "again", "It is mapped anew.", "It is mapped again."),
    phrase("for certain", "certainly", "It is a hole for certain.", "It is certainly a hole."),
    phrase(
        "left|leave|leaves|leaving away|aside",
        "left out, ignored",
        "It is left aside.",
        "It is left out.",
    ),
    phrase(
        "is|are|be|was held|hold to",
        "is checked against",
        "Real runs are held to it.",
        "The lock is held.",
    ),
    phrase(
        "whoever",
        "a user who, the process that",
        "Whoever asks twice errs.",
        "A user who asks twice errs.",
    ),
    phrase(
        "around the page cache",
        "with direct I/O; bypasses the page cache",
        "Reads go around the page cache.",
        "Direct reads bypass the page cache.",
    ),
    phrase(
        "all the same .|,|;|:",
        "nevertheless, still",
        "It is reported all the same.",
        "All the same files are reported.",
    ),
    phrase(
        "none|nothing|empty|false|zero|unsupported where",
        "if",
        "The device; `None` where it is not known.",
        "The device; `None` if it is not known.",
    ),
    phrase("of our own", "Syncline's own", "A server of our own.", "Syncline's own server."),
    phrase("end|ends|ended well", "succeeds", "No trial ended well.", "No trial succeeded."),
    phrase(
        "vouch|vouches|vouched for",
        "supports, guarantees",
        "The audits vouch for it.",
        "The audits support it.",
    ),
    phrase(
        "tell|tells them|it|these|arms apart",
        "distinguishes",
        "The data do not tell them apart.",
        "The data cannot distinguish them.",
    ),
    phrase("lean|leans|leaned|leaning on", "depends on", "It leans on an audit.", "It depends on an audit."),
    phrase(
        "asked metric|metrics",
        "the metrics of the asks",
        "The asked metrics by configuration.",
        "The metrics of the asks by configuration.",
    ),
    phrase("that|which is|are none .|,|;|:", "that is not one", "A limit that is none.", "There is none."),
    phrase("so many !that", "this number of", "Sync after so many writes.", "So many that it stalls."),
    phrase(
        "with how to",
        "with the remedy",
        "It is printed with how to have it.",
        "It prints how to get it.",
    ),
    phrase("go|goes|went|going on with", "continue", "It goes on with a run.", "It continues a run."),
    phrase("without meaning", "no effect if", "It is without meaning there.", "It has no effect there."),
    phrase("of ours", "Syncline's", "A server of ours dies.", "Syncline's server stops."),
    phrase("strangers", "other people", "Files of strangers.", "Other people's files."),
    phrase(
        "stand|stands|stood beside|below|above|there|on|in|at",
        "is printed, is listed, is",
        "The price stands beside it.",
        "EIO stands for an I/O error.",
    ),
    phrase(
        "in small .|,|;|:",
        "with smaller parameters",
        "The tests run it in small.",
        "It is stored in small blocks.",
    ),
    phrase(
        "furnish|furnishes|furnished",
        "allocate, prepare",
        "A trial is furnished.",
        "A trial is prepared.",
    ),
    phrase(
        "impugn|impugns|impugned|impugning",
        "affect, refute",
        "It impugns an answer.",
        "It refutes an answer.",
    ),
    phrase(
        "thereof|therein|whereof|wherein|whereby|thereby",
        "of it, in it, so that",
        "The reason thereof.",
        "The reason for it.",
    ),
    phrase(
        "has|have|had no meaning",
        "has no effect",
        "An interval has no meaning there.",
        "It has no effect there.",
    ),
    phrase(
        "a word about",
        "prints the reason",
        "It ends, with a word about it.",
        "It ends and prints the reason.",
    ),
    phrase("less what", "except", "The example, less what explains it.", "It costs less."),
];
