//! No modules of a crate import each other in a circle: each can be read, tested and moved after what it imports.
//!
//! The nodes are the modules that stand side by side, each with everything below it, and beside them the file of their
//! parent. What counts is where a name is defined: a re-export is looked through, on every path that is written outside
//! of test code. So a parent that lists its children and re-exports what they define is not a part of a circle. One
//! that also
//! *uses* a child, and defines what this child uses, is: what both use goes into a child of its own (`checks/check.rs`
//! below `checks/mod.rs`, which holds the list). Methods are not followed: who calls one has the type's name from
//! somewhere.

mod graph;
mod source;

use graph::Circle;
use std::path::Path;

fn crates() -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for name in crates() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&name).join("src");
        found.extend(circles_below(&root).iter().map(|circle| format!("{name}: {}", circle.told())));
    }
    assert!(found.is_empty(), "{} circles:\n{}", found.len(), found.join("\n"));
}

fn circles_below(root: &Path) -> Vec<Circle> {
    let top = ["lib.rs", "main.rs"].map(|name| root.join(name)).into_iter().find(|file| file.exists());
    graph::circles(&source::modules(&top.expect("a crate has a lib.rs or a main.rs")))
}

/// The circles of a crate of these files, as they are reported.
fn planted(files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    circles_below(directory.path()).iter().map(Circle::told).collect()
}

#[test]
fn a_planted_circle_is_found_and_named_with_its_lines() {
    let found = planted(&[
        ("lib.rs", "mod disk;\nmod files;\nmod place;\n"),
        ("disk.rs", "use crate::files::{Kind, File as Opened};\npub struct Disk(Opened, Kind);"),
        ("files.rs", "pub enum Kind { Plain }\npub struct File;\nfn f() -> u8 { crate::place::HERE }"),
        ("place.rs", "pub const HERE: u8 = 1;\nfn f() {\n    assert!(super::disk::Disk::new());\n}"),
    ]);
    let expected = "disk → files → place → disk\n  \
        disk.rs:1 crate::files::Kind\n  files.rs:3 crate::place::HERE\n  place.rs:3 super::disk::Disk::new";
    assert_eq!(found, [expected]);
}

#[test]
fn a_circle_hides_behind_no_reexport() {
    let found = planted(&[
        ("lib.rs", "mod a;\nmod b;\nmod front;\npub use a::A;\npub use front::*;\n"),
        ("a.rs", "use crate::B as Other;\npub struct A(Other);"),
        ("b.rs", "pub struct B(crate::A);"),
        ("front.rs", "pub use super::b::{self as behind, B};"),
    ]);
    assert_eq!(found, ["a → b → a\n  a.rs:1 crate::B\n  b.rs:1 crate::A"]);
}

#[test]
fn a_parent_that_uses_its_child_defines_nothing_for_it() {
    let uses = "mod child;\nuse child::Child;\npub struct Shared(Child);";
    let lists = "mod child;\nmod shared;\npub use child::Child;\npub use shared::Shared;";
    let child = ("parent/child.rs", "use super::Shared;\npub struct Child(Box<Shared>);");
    let top = ("lib.rs", "mod parent;");
    let found = planted(&[top, ("parent/mod.rs", uses), child]);
    assert_eq!(
        found,
        [
            "parent → parent::child → parent\n  parent/mod.rs:2 child::Child\n  parent/child.rs:1 super::Shared"
        ]
    );
    let shared = ("parent/shared.rs", "pub struct Shared;");
    assert!(planted(&[top, ("parent/mod.rs", lists), child, shared]).is_empty());
    let reexports = "mod child;\npub use child::Child;\npub struct Shared;";
    assert!(planted(&[top, ("parent/mod.rs", reexports), child]).is_empty());
}

#[test]
fn tests_comments_and_strings_import_nothing() {
    let found = planted(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "use crate::b::B;\npub struct A(B);"),
        (
            "b.rs",
            "//! See [`crate::a::A`].\npub struct B;\n/* crate::a::A */ const C: &str = \"crate::a::A\";\n\
             #[cfg(test)]\n#[derive(Debug)]\nfn f() { crate::a::f() }\n#[cfg(test)]\nmod tests { use crate::a::A; }",
        ),
    ]);
    assert_eq!(found, Vec::<String>::new());
}
