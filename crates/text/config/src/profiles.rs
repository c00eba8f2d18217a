//! `security.toml`: profiles, each with its class, its resources, and who may do what with them.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, TextPlace, nearest};
use security::{Class, Classes, Level, Pattern, Profile, Profiles};

use crate::names::{LONG_NAME, resource_name};
use crate::reader::{Table, refused};
use crate::{Located, at, codes};

/// Longest name of a resource, with the prefix of SECPRFX before it.
const RESOURCE_NAME: usize = 246;

/// Reads all profiles. Classes that no parameter names are reported: they are never used.
pub(crate) fn read(root: Table<'_>, classes: &Classes) -> Profiles {
    let mut all: Vec<(Profile, TextPlace)> = Vec::new();
    for table in root.tables("profile") {
        let place = table.place();
        for profile in of_table(table, classes) {
            let same = |(other, _): &&(Profile, TextPlace)| {
                (&other.class, &other.pattern) == (&profile.class, &profile.pattern)
            };
            if let Some((_, first)) = all.iter().find(same) {
                let text = format!("class {} has profile {} twice", profile.class, profile.pattern);
                let help = format!("remove one of the two; the other begins in line {}", first.line);
                let message = Diagnostic::error(codes::DUPLICATE_PROFILE, text);
                root.report(message.at(place.clone()).help(help));
                continue;
            }
            all.push((profile, place.clone()));
        }
    }
    root.finish();
    Profiles::new(all.into_iter().map(|(profile, _)| profile))
}

/// The profiles of one `[[profile]]`: one for each of its names.
fn of_table(table: Table<'_>, classes: &Classes) -> Vec<Profile> {
    let class = table.required_string("class", "XTRAN").and_then(|class| class_name(&table, &class, classes));
    let names = table.strings("name").unwrap_or_default();
    if names.is_empty() {
        let message = Diagnostic::error(codes::MISSING, "[[profile]] needs `name`")
            .help("name the resources: name = \"BANK\", name = \"ACC*\" or name = [\"BNK1\", \"BNK2\"]");
        table.report(message.at(table.place()));
    }
    let everybody = table.string("uacc").and_then(|word| level(&table, "uacc", &word)).unwrap_or_default();
    let users = access(table.table("users"), "a user id");
    let groups = access(table.table("groups"), "a group");
    let patterns: Vec<Pattern> = names.iter().filter_map(|name| pattern(&table, name)).collect();
    table.finish();
    let Some(class) = class else { return Vec::new() };
    let profile = |pattern| Profile {
        class: class.clone(),
        pattern,
        everybody,
        users: users.clone(),
        groups: groups.clone(),
    };
    patterns.into_iter().map(profile).collect()
}

fn class_name(table: &Table<'_>, class: &Located<String>, classes: &Classes) -> Option<String> {
    let upper = class.value.to_ascii_uppercase();
    let known = classes.names().chain(Class::ALL.iter().map(|(name, _)| *name)).collect::<Vec<_>>();
    if known.contains(&upper.as_str()) {
        return Some(upper);
    }
    let message = Diagnostic::error(codes::CLASS, format!("{upper} is not a class of this region"));
    let help = match nearest(&upper, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("the classes are {}; [sit] can name others: XTRAN = \"{upper}\"", known.join(", ")),
    };
    table.report(at(message, class).help(help));
    None
}

fn pattern(table: &Table<'_>, name: &Located<String>) -> Option<Pattern> {
    let allowed = |c: char| c.is_ascii_graphic() && c != '"';
    let length = name.value.chars().count();
    if (1..=RESOURCE_NAME).contains(&length) && name.value.chars().all(allowed) {
        return Some(Pattern::new(&name.value));
    }
    let text = format!("`name` takes names of 1 to {RESOURCE_NAME} characters without blanks");
    let help = "% stands for one character, * for any number of them";
    table.report(at(Diagnostic::error(codes::NAME, text), name).help(help));
    None
}

/// A table of names and levels.
fn access(table: Option<Table<'_>>, what: &str) -> BTreeMap<String, Level> {
    let Some(table) = table else { return BTreeMap::new() };
    let entries = table.string_entries().into_iter();
    entries
        .filter_map(|(name, word)| {
            let level = level(&table, &name.value, &word)?;
            Some((resource_name(&table, what, &name, LONG_NAME), level))
        })
        .collect()
}

fn level(table: &Table<'_>, key: &str, word: &Located<String>) -> Option<Level> {
    let found = Level::of_word(&word.value);
    if found.is_none() {
        let words = Level::ALL.map(|(word, _)| word);
        table.report(refused(key, word, &format!("one of {}", words.join(", ")), words));
    }
    found
}
