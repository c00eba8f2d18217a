//! Crates that run programs, apart from those that compile them: by the word of cargo, all that a crate is built with, however far below.
//!
//! Only then a change of the compiler, such as another message of the checker, builds nothing of the kernel and its domains again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::metadata;

/// The parts of the compiler, and `toolchain`, which calls them.
const COMPILER: &[&str] = &["cobol-check", "cobol-exec", "cobol-lower", "cobol-codegen", "toolchain"];
/// The beginning of the names of the packages that make machine code.
const MACHINE_CODE: &str = "cranelift";
/// The readers of COBOL text, which data descriptions need as well.
const READERS: &[&str] = &["cobol-source", "cobol-syntax"];
/// The crates that compile programs.
const COMPILING: &[&str] = &["batch", "lsp", "region", "pages", "syncpoint", "testkit", "bench"];
/// The crates that run programs, and must not even read COBOL text.
const RUNNING: &[&str] = &[
    "cobol-ir",
    "cobol-run",
    "cobol-runtime",
    "areas",
    "native",
    "kernel",
    "domains",
    "operation",
    "exec-sql",
];

/// Returns a line for each crate of the project that is built with a part of the compiler and has no business with it.
pub(crate) fn complaints(root: &Path) -> Vec<String> {
    match metadata::read(root) {
        Ok(metadata) => faults(&Built::new(&metadata)),
        Err(why) => vec![format!("the parts of each crate cannot be looked at: {why}")],
    }
}

fn faults(built: &Built) -> Vec<String> {
    let mut faults = Vec::new();
    for (id, name) in &built.own {
        let parts = built.parts(id);
        let mut complain = |part: &str| faults.push(format!("{name} must not be built with {part}"));
        if !COMPILER.contains(name) && !COMPILING.contains(name) {
            let of_compiler = |part: &&&str| COMPILER.contains(*part) || part.starts_with(MACHINE_CODE);
            parts.iter().filter(of_compiler).for_each(|part| complain(part));
        }
        if RUNNING.contains(name) {
            parts.iter().filter(|part| READERS.contains(*part)).for_each(|part| complain(part));
        }
    }
    let is_there = |name: &&&str| !built.own.values().any(|own| own == *name);
    let tables = [COMPILER, READERS, COMPILING, RUNNING];
    faults.extend(
        tables.into_iter().flatten().filter(is_there).map(|name| format!("there is no crate {name}")),
    );
    faults
}

/// The packages that are built, by cargo's names.
struct Built<'a> {
    /// The project's own.
    own: BTreeMap<&'a str, &'a str>,
    names: BTreeMap<&'a str, &'a str>,
    /// The packages that each one needs to be built; those of its tests alone do not count.
    needs: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Built<'a> {
    fn new(metadata: &'a Value) -> Self {
        let text = metadata::text;
        let names: BTreeMap<&str, &str> = list(&metadata["packages"])
            .map(|package| (text(&package["id"]), text(&package["name"])))
            .collect();
        let own = list(&metadata["workspace_members"]).map(text);
        let own = own.filter_map(|id| Some((id, *names.get(id)?))).collect();
        let is_built = |need: &&Value| list(&need["dep_kinds"]).any(|kind| kind["kind"] != "dev");
        let needs = list(&metadata["resolve"]["nodes"]).map(|node| {
            let needs = list(&node["deps"]).filter(is_built).map(|need| text(&need["pkg"]));
            (text(&node["id"]), needs.collect())
        });
        Self { own, needs: needs.collect(), names }
    }

    /// The names of all packages with which one is built.
    fn parts(&self, id: &'a str) -> BTreeSet<&'a str> {
        let mut open = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            let needs = self.needs.get(id).into_iter().flatten().copied();
            open.extend(needs.filter(|need| seen.insert(*need)));
        }
        seen.iter().filter_map(|id| self.names.get(id).copied()).collect()
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_programs_is_built_without_the_compiler() {
        let complaints = complaints(&crate::root());
        assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
    }

    /// A project of all crates of the tables, with these needs: who, whom, and the kind of the need.
    fn project(needs: &[(&str, &str, &str)]) -> Vec<String> {
        let own = || [COMPILER, READERS, COMPILING, RUNNING].into_iter().flatten();
        let packages = own().chain(&["cranelift-codegen", "web"]);
        let packages: Vec<Value> =
            packages.map(|name| serde_json::json!({"id": name, "name": name})).collect();
        let members: Vec<&str> = own().chain(&["web"]).copied().collect();
        let node = |(who, whom, kind): &(&str, &str, &str)| serde_json::json!({"id": who, "deps": [{"pkg": whom, "dep_kinds": [{"kind": kind}]}]});
        let nodes: Vec<Value> = needs.iter().map(node).collect();
        let metadata = serde_json::json!(
            {"packages": packages, "workspace_members": members, "resolve": {"nodes": nodes}}
        );
        faults(&Built::new(&metadata))
    }

    #[test]
    fn a_part_is_found_however_far_below_it_is() {
        assert!(
            project(&[("region", "toolchain", "normal"), ("toolchain", "cobol-check", "normal")]).is_empty()
        );
        assert!(project(&[("kernel", "toolchain", "dev"), ("web", "cobol-syntax", "normal")]).is_empty());
        assert_eq!(
            project(&[("kernel", "native", "normal"), ("native", "cranelift-codegen", "build")]).len(),
            2
        );
        assert_eq!(project(&[("web", "cobol-check", "normal")]), ["web must not be built with cobol-check"]);
        assert_eq!(project(&[("kernel", "cobol-syntax", "normal")]).len(), 1);
    }
}
