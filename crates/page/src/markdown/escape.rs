//! Text that stays text in Markdown: names of hosts, paths and device models may contain anything.

use model::printable;

/// Escapes what CommonMark, its GitHub flavour and HTML in it would read as markup, and characters that control a
/// terminal or reorder a line.
///
/// An underscore inside a word is not emphasis there and stays as it is, so that names of metrics stay readable.
pub fn text(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len());
    let mut before = ' ';
    let line = raw.replace(['\n', '\r', '\t'], " ");
    let shown = printable(&line);
    let mut rest = shown.chars().peekable();
    while let Some(c) = rest.next() {
        let inside_word = before.is_alphanumeric()
            && rest.peek().is_some_and(|next| next.is_alphanumeric() || *next == '_');
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '_' if inside_word => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
        before = c;
    }
    escaped
}

/// Lines without changes, in a fence longer than any run of backticks in them.
pub fn code_block(language: &str, lines: &[String]) -> String {
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = lines.iter().map(|line| format!("$ {}", printable(line))).collect();
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

/// Text as it is typed, between backticks of which it has no run as long.
pub(super) fn code(raw: &str) -> String {
    let shown = printable(raw);
    let fence = "`".repeat(longest_run(&shown) + 1);
    let space = if shown.starts_with('`') || shown.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{shown}{space}{fence}")
}

/// The address of a link between angle brackets.
pub(super) fn target(raw: &str) -> String {
    let escape = |c: char| match c {
        '<' | '>' | '\\' => format!("\\{c}"),
        _ => c.to_string(),
    };
    printable(raw).chars().map(escape).collect()
}

fn longest_run(line: &str) -> usize {
    line.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        for (raw, escaped) in [
            ("commit_latency_p99_us", "commit_latency_p99_us"),
            ("_a_ *b* `c`", "\\_a\\_ \\*b\\* \\`c\\`"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a|b\nc", "a\\|b c"),
            ("[x](http://y)", "\\[x\\](http://y)"),
            ("\u{1b}[31mred", "\\\\u{1b}\\[31mred"),
            ("C:\\d", "C:\\\\d"),
        ] {
            assert_eq!(text(raw), escaped);
        }
    }

    #[test]
    fn code_and_addresses_keep_their_ends() {
        assert_eq!(code("fsync = off"), "`fsync = off`");
        assert_eq!(code("`a` ``b"), "``` `a` ``b ```");
        assert_eq!(target("stages/a>b\n"), "stages/a\\>b\\\\n");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        let block = code_block("console", &["run '````'\n".to_owned()]);
        assert_eq!(block, "`````console\n$ run '````'\\n\n`````");
    }
}
