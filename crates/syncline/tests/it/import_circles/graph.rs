//! From modules to circles: each written path leads to the module that defines it, side by side with the one that wrote
//! it.

use super::source::{Module, Names};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Modules = BTreeMap<Names, Module>;
/// From one node to another of the same parent: the lines that import.
type Edges = BTreeMap<Names, BTreeMap<Names, Vec<String>>>;

/// Modules side by side that import each other.
pub(super) struct Circle {
    way: Vec<String>,
    /// One for each step.
    lines: Vec<String>,
}

impl Circle {
    pub(super) fn told(&self) -> String {
        format!("{}\n  {}", self.way.join(" → "), self.lines.join("\n  "))
    }
}

/// The shortest circle among the modules of each parent.
pub(super) fn circles(modules: &Modules) -> Vec<Circle> {
    let shortest = |edges: Edges| {
        let way = edges.keys().filter_map(|node| way_round(&edges, node)).min_by_key(Vec::len)?;
        Some(Circle {
            lines: way.windows(2).map(|step| edges[&step[0]][&step[1]][0].clone()).collect(),
            way: way.iter().map(told).collect(),
        })
    };
    edges(modules).into_values().filter_map(shortest).collect()
}

fn told(node: &Names) -> String {
    if node.is_empty() { "the root's own file".to_owned() } else { node.join("::") }
}

/// For each parent, the edges between its children and its own file.
fn edges(modules: &Modules) -> BTreeMap<Names, Edges> {
    let mut all: BTreeMap<Names, Edges> = BTreeMap::new();
    for (name, module) in modules {
        for written in &module.written {
            let Some(target) = definer(modules, name, &written.path, 0) else { continue };
            if target == *name {
                continue;
            }
            let is_below = target.starts_with(name);
            let is_listed_only = written.reexported.as_ref().is_some_and(|name| !module.words.contains(name));
            if is_below && is_listed_only {
                continue;
            }
            let shared = name.iter().zip(&target).take_while(|(one, other)| one == other).count();
            let node = |of: &Names| of[..of.len().min(shared + 1)].to_vec();
            let line = format!("{}:{} {}", module.file, written.line, written.path.join("::"));
            let between = all.entry(name[..shared].to_vec()).or_default();
            between.entry(node(name)).or_default().entry(node(&target)).or_default().push(line);
        }
    }
    all
}

/// The module that defines what a path leads to, if it is one of the crate's.
fn definer(modules: &Modules, from: &Names, path: &[String], followed: usize) -> Option<Names> {
    // A name that is brought in by itself, or two globs of each other: no path of Syncline is that long.
    if followed > 16 {
        return None;
    }
    let mut at = from.clone();
    let mut names = path.iter().enumerate().peekable();
    while let Some((_, prefix)) =
        names.next_if(|(_, name)| matches!(name.as_str(), "crate" | "self" | "super"))
    {
        match prefix.as_str() {
            "crate" => at.clear(),
            "super" => _ = at.pop(),
            _ => {}
        }
    }
    let is_relative = names.peek().is_some_and(|(index, _)| *index == 0);
    let mut is_known = !is_relative;
    for (index, name) in names {
        let module = &modules[&at];
        if module.children.contains(name) {
            at.push(name.clone());
        } else if module.defined.contains(name) {
            return Some(at);
        } else if let Some(stands_for) = module.brought_in.get(name) {
            let whole = [stands_for.as_slice(), &path[index + 1..]].concat();
            return if whole == path { None } else { definer(modules, &at, &whole, followed + 1) };
        } else {
            let through = module.globs.iter().find_map(|glob| {
                let whole = [glob.as_slice(), &path[index..]].concat();
                let target = definer(modules, &at, &whole, followed + 1)?;
                let defines = &modules[&target];
                path[index..].iter().any(|name| defines.defined.contains(name)).then_some(target)
            });
            return through.or(is_known.then_some(at));
        }
        is_known = true;
    }
    Some(at)
}

/// The shortest way from a node back to it.
fn way_round(edges: &Edges, node: &Names) -> Option<Vec<Names>> {
    let mut ways = VecDeque::from([vec![node.clone()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in edges.get(way.last()?).into_iter().flat_map(BTreeMap::keys) {
            let longer: Vec<Names> = way.iter().cloned().chain([next.clone()]).collect();
            if next == node {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                ways.push_back(longer);
            }
        }
    }
    None
}
