//! The modules of a crate, read from its sources: what each defines, what names it brings in, which paths it writes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A path of names from the crate's root, or as it is written.
pub(super) type Names = Vec<String>;

#[derive(Default)]
pub(super) struct Module {
    /// Below the directory of the crate's sources.
    pub(super) file: String,
    pub(super) children: BTreeSet<String>,
    pub(super) defined: BTreeSet<String>,
    /// A name that `use` brings in, and the path that it stands for.
    pub(super) brought_in: BTreeMap<String, Names>,
    /// Paths whose names are all brought in.
    pub(super) globs: Vec<Names>,
    pub(super) written: Vec<Written>,
    /// Every word outside of `use`: whether a re-exported name is used in the module itself.
    pub(super) words: BTreeSet<String>,
}

/// A path of more than one name, or one in a `use`.
pub(super) struct Written {
    pub(super) path: Names,
    pub(super) line: usize,
    /// The name that a `pub use` gives it.
    pub(super) reexported: Option<String>,
}

pub(super) fn modules(top: &Path) -> BTreeMap<Names, Module> {
    let mut reader = Reader { root: top.parent().unwrap().to_path_buf(), found: BTreeMap::new() };
    let directory = reader.root.clone();
    reader.file(Names::new(), top, &directory);
    reader.found
}

struct Token {
    text: String,
    line: usize,
}

struct Reader {
    root: PathBuf,
    found: BTreeMap<Names, Module>,
}

impl Reader {
    fn file(&mut self, name: Names, file: &Path, below: &Path) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let told = file.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned();
        self.module(name, &told, &without_tests(tokens), below);
    }

    fn module(&mut self, name: Names, file: &str, tokens: &[Token], below: &Path) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let (mut at, mut depth) = (0, 0_usize);
        while at < tokens.len() {
            let next = at + 1;
            match text(at) {
                "mod" if depth == 0 && matches!(text(at + 2), ";" | "{") => {
                    let child: Names = name.iter().cloned().chain([text(next).to_owned()]).collect();
                    module.children.insert(text(next).to_owned());
                    let below_child = below.join(text(next));
                    let end = if text(at + 2) == "{" { after_group(tokens, at + 2) } else { at + 3 };
                    if text(at + 2) == "{" {
                        self.module(child, file, &tokens[at + 3..end - 1], &below_child);
                    } else {
                        let beside = below.join(format!("{}.rs", text(next)));
                        let inside = below_child.join("mod.rs");
                        self.file(child, if beside.exists() { &beside } else { &inside }, &below_child);
                    }
                    at = end;
                    continue;
                }
                "use" => {
                    let is_public = at > 0 && matches!(text(at - 1), "pub" | ")");
                    at = module.bring_in(tokens, next, is_public, depth == 0);
                    continue;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" if depth == 0 => {
                    module.defined.insert(text(next).to_owned());
                }
                "macro_rules" => {
                    module.defined.insert(text(at + 2).to_owned());
                }
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            // `pub(in crate::a)` imports nothing.
            let is_visibility = at > 1 && text(at - 1) == "in" && text(at - 2) == "(";
            if is_word(text(at)) && !is_visibility && (at == 0 || text(at - 1) != "::") {
                let mut path = vec![text(at).to_owned()];
                let line = tokens[at].line;
                while text(at + 1) == "::" && is_word(text(at + 2)) {
                    path.push(text(at + 2).to_owned());
                    at += 2;
                }
                module.words.insert(path[0].clone());
                if path.len() > 1 {
                    module.written.push(Written { path, line, reexported: None });
                }
            }
            at += 1;
        }
        self.found.insert(name, module);
    }
}

impl Module {
    /// Reads the tree of a `use` that begins here, and says what comes after it.
    fn bring_in(&mut self, tokens: &[Token], at: usize, is_public: bool, for_the_module: bool) -> usize {
        let mut leaves = Vec::new();
        let end = use_tree(tokens, at, Names::new(), &mut leaves);
        for (path, name, line) in leaves {
            let is_glob = name == "*";
            if for_the_module && is_glob {
                self.globs.push(path.clone());
            } else if for_the_module {
                self.brought_in.insert(name.clone(), path.clone());
            }
            self.written.push(Written { path, line, reexported: is_public.then_some(name) });
        }
        end
    }
}

/// Each leaf: its path, the name that it gets (`*` for all below the path), its line.
fn use_tree(
    tokens: &[Token],
    mut at: usize,
    mut path: Names,
    leaves: &mut Vec<(Names, String, usize)>,
) -> usize {
    loop {
        let Token { text, line } = &tokens[at];
        match text.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens[at].text != "}" {
                    at = use_tree(tokens, at, path.clone(), leaves);
                    at += usize::from(tokens[at].text == ",");
                }
                return at + 1;
            }
            "*" => {
                leaves.push((path, "*".to_owned(), *line));
                return at + 1;
            }
            word => {
                // `a::{self}` is `a`.
                if word != "self" || path.is_empty() {
                    path.push(word.to_owned());
                }
                at += 1;
                if tokens[at].text == "::" {
                    continue;
                }
                let renamed = tokens[at].text == "as";
                let name = if renamed { tokens[at + 1].text.clone() } else { path.last().unwrap().clone() };
                leaves.push((path, name, *line));
                return at + if renamed { 2 } else { 0 };
            }
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Words, brackets, punctuation and `::`; a literal is kept only as a mark.
fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut stream = stream.into_iter().peekable();
    while let Some(tree) = stream.next() {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => continue,
                };
                tokens.push(Token { text: open.to_owned(), line });
                flatten(group.stream(), tokens);
                tokens.push(Token { text: close.to_owned(), line: group.span_close().start().line });
            }
            TokenTree::Punct(punct)
                if punct.as_char() == ':'
                    && matches!(stream.peek(), Some(TokenTree::Punct(second)) if second.as_char() == ':') =>
            {
                stream.next();
                tokens.push(Token { text: "::".to_owned(), line });
            }
            TokenTree::Punct(punct) => tokens.push(Token { text: punct.to_string(), line }),
            TokenTree::Ident(word) => tokens.push(Token { text: word.to_string(), line }),
            TokenTree::Literal(_) => tokens.push(Token { text: "\"".to_owned(), line }),
        }
    }
}

/// Without the items, fields and statements under `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut kept = vec![true; tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        if !(0..7).map(|ahead| text(at + ahead)).eq(["#", "[", "cfg", "(", "test", ")", "]"]) {
            at += 1;
            continue;
        }
        let begin = at;
        while text(at) == "#" {
            at = after_group(&tokens, at + 1);
        }
        // An item ends at its semicolon or its body, a field or a variant at its comma or the end of the list.
        while at < tokens.len() && !matches!(text(at), ";" | "," | "{" | "}" | ")") {
            at = if matches!(text(at), "(" | "[") { after_group(&tokens, at) } else { at + 1 };
        }
        at = match text(at) {
            "{" => after_group(&tokens, at),
            ";" | "," => at + 1,
            _ => at,
        };
        kept[begin..at].fill(false);
    }
    tokens.into_iter().zip(kept).filter_map(|(token, kept)| kept.then_some(token)).collect()
}

/// What comes after the bracket that closes the one here.
fn after_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}
