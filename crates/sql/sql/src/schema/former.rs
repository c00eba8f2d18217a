//! Functions and views of an earlier version that CREATE OR REPLACE refuses to change: names of parameters, types of results and
//! columns of views. They are dropped before the new ones are made. What an application's own views, columns or indexes use stays
//! under another name, and computes as the new one does.

use std::fmt::Write as _;

/// A function that a text makes: how it is called, what it gives, and how its parameters are named.
struct Coming<'t> {
    name: &'t str,
    types: Vec<&'t str>,
    names: Vec<&'t str>,
    result: &'t str,
}

/// Returns these texts, with what makes room for them in front and behind.
pub(super) fn replacing(texts: &[&str]) -> String {
    let all = texts.join("\n");
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}{}{}",
        include_str!("former_begin.sql"),
        rows(&functions(&all)),
        include_str!("former_aside.sql")
    );
    out.push_str(&views(&all));
    out.push_str(include_str!("former_end.sql"));
    out
}

/// Returns the functions as rows of VALUES.
fn rows(functions: &[Coming<'_>]) -> String {
    let row = |Coming { name, types, names, result }: &Coming<'_>| {
        let names = if names.iter().all(|name| name.is_empty()) { String::new() } else { quoted(names) };
        format!("('{name}({})', '{result}', '{{{names}}}'::text[])", types.join(", "))
    };
    functions.iter().map(row).collect::<Vec<_>>().join(",\n        ")
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",")
}

const FUNCTION: &str = "CREATE OR REPLACE FUNCTION ";
const VIEW: &str = "CREATE OR REPLACE VIEW ";

/// Finds the functions that a text makes, but for those that its DO blocks make.
fn functions(text: &str) -> Vec<Coming<'_>> {
    text.split('\n').filter_map(|line| function(line.strip_prefix(FUNCTION)?)).collect()
}

/// Reads `schema.name(type, type) RETURNS type LANGUAGE …`.
fn function(line: &str) -> Option<Coming<'_>> {
    let (name, rest) = line.split_once('(')?;
    let (parameters, rest) = rest.split_once(") RETURNS ")?;
    let (result, _) = rest.split_once(" LANGUAGE ")?;
    let (names, types) = parameters.split(", ").filter(|text| !text.is_empty()).map(parameter).unzip();
    Some(Coming { name, types, names, result })
}

/// Returns the name, which may be empty, and the type of a parameter.
fn parameter(text: &str) -> (&str, &str) {
    let text = text.strip_prefix("VARIADIC ").unwrap_or(text);
    match text.split_once(' ') {
        Some((name, kind)) if name != "double" => (name, kind),
        _ => ("", text),
    }
}

/// Returns a text whose views replace those that have other columns, too.
fn views(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(VIEW) {
        let (before, from) = rest.split_at(at);
        let (view, behind) = from.split_once(";\n").unwrap_or((from, ""));
        let name = view[VIEW.len()..].split_whitespace().next().unwrap_or_default();
        out.push_str(before);
        let relation = name.rsplit('.').next().unwrap_or_default();
        let _ = writeln!(
            out,
            "DO $former$\nBEGIN\n{view};\nEXCEPTION WHEN invalid_table_definition THEN\n    \
             EXECUTE format('ALTER VIEW {name} RENAME TO %I', format('{relation} (%s)', '{name}'::regclass::oid));\n    \
             {view};\nEND$former$;"
        );
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in SQL of a function with some names and some numbers is not written into a dump as it was: a backup of it cannot
    /// be restored.
    #[test]
    fn no_function_has_parameters_with_and_without_names() {
        for text in super::super::TEXTS {
            let lines = text.split('\n').filter(|line| line.starts_with(FUNCTION)).count();
            let functions = functions(text);
            assert_eq!(
                functions.len(),
                lines,
                "each function begins on one line with its parameters and result"
            );
            for Coming { name, names, .. } in functions {
                let named = names.iter().filter(|name| !name.is_empty()).count();
                assert!(
                    named == 0 || named == names.len(),
                    "{name} has names for some parameters: {names:?}"
                );
            }
        }
    }
}
