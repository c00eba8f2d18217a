//! The difference between two contents, and its texts.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::places::{Edit, Writable};
use crate::command::Command;
use crate::definition::{Attribute, Definition};
use crate::store::{Csd, position};

/// The changes that make one content of another.
pub(super) struct Difference<'a> {
    before: &'a Csd,
    after: &'a Csd,
    added: Vec<&'a Definition>,
    removed: Vec<&'a Definition>,
    /// As it was, and as it is to be.
    changed: Vec<(&'a Definition, &'a Definition)>,
    lists: Vec<&'a str>,
    locks: Vec<&'a str>,
}

fn find<'a>(csd: &'a Csd, like: &Definition) -> Option<&'a Definition> {
    let group = csd.group(&like.group);
    position(group, like.resource, &like.name).map(|at| &group[at])
}

fn all(csd: &Csd) -> impl Iterator<Item = &Definition> {
    csd.groups.values().flatten()
}

fn value<'a>(definition: &'a Definition, name: &str) -> Option<&'a str> {
    definition.given(name).map(|attribute| attribute.value.as_str())
}

/// The attributes of a definition that another does not have so.
fn differing<'a>(definition: &'a Definition, other: &Definition) -> Vec<&'a Attribute> {
    let differs = |a: &&Attribute| value(other, a.spec.name) != Some(a.value.as_str());
    definition.attributes.iter().filter(differs).collect()
}

fn equal(one: &Definition, other: &Definition) -> bool {
    one.attributes.len() == other.attributes.len() && differing(one, other).is_empty()
}

impl<'a> Difference<'a> {
    pub fn between(before: &'a Csd, after: &'a Csd) -> Self {
        let pairs = all(before).filter_map(|was| Some((was, find(after, was)?)));
        let names: BTreeSet<&str> = before.lists().chain(after.lists()).collect();
        let locked: BTreeSet<&str> = before.locked().chain(after.locked()).map(|(name, _)| name).collect();
        Self {
            added: all(after).filter(|is| find(before, is).is_none()).collect(),
            removed: all(before).filter(|was| find(after, was).is_none()).collect(),
            changed: pairs.filter(|(was, is)| !equal(was, is)).collect(),
            lists: names.into_iter().filter(|name| before.list(name) != after.list(name)).collect(),
            locks: locked.into_iter().filter(|n| before.lock(n) != after.lock(n)).collect(),
            before,
            after,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.lists.is_empty()
            && self.locks.is_empty()
    }

    /// The groups and lists that change.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let definitions = self.added.iter().chain(&self.removed).chain(self.changed.iter().map(|(_, is)| is));
        definitions
            .map(|d| d.group.as_str())
            .chain(self.lists.iter().copied())
            .chain(self.locks.iter().copied())
    }

    /// The edits at the places where the definitions stand; `None` if they are in several texts.
    pub fn in_place(&self, texts: &[Writable<'_>], command: &Command) -> Option<(usize, Vec<Edit>)> {
        let mut edits: Vec<(usize, Edit)> = Vec::new();
        let mut added = self.added.clone();
        for was in &self.removed {
            match renamed(was, &mut added, command) {
                Some(is) => edits.push(find_in(texts, |text| text.rename(was, is))?),
                None => edits.extend(every(texts, |text| text.without(was))),
            }
        }
        for (was, is) in &self.changed {
            let keeps_all = was.attributes.iter().all(|a| is.given(a.spec.name).is_some());
            let new = differing(is, was);
            match keeps_all {
                true => {
                    let (index, own) = find_in(texts, |text| text.alter(was, &new))?;
                    edits.extend(own.into_iter().map(|edit| (index, edit)));
                }
                false => edits.push(find_in(texts, |text| text.replace(was, &is.to_string()))?),
            }
        }
        for is in added {
            let beside = texts
                .iter()
                .enumerate()
                .rev()
                .find_map(|(index, text)| Some((index, text.behind_group(&is.group, &is.to_string())?)));
            edits.push(beside.or_else(|| last(texts, &is.to_string()))?);
        }
        for list in &self.lists {
            edits.extend(self.list(texts, list)?);
        }
        for name in &self.locks {
            edits.extend(every(texts, |text| text.without_lock(name)));
            if let Some(by) = self.after.lock(name) {
                let list = self.after.lists.contains_key(*name);
                edits.push(last(texts, &crate::lock::line(name, list, by))?);
            }
        }
        let index = edits.first()?.0;
        let in_one = edits.iter().all(|(other, _)| *other == index);
        in_one.then(|| (index, edits.into_iter().map(|(_, edit)| edit).collect()))
    }

    /// The edits of a list: ADD commands that go, and come.
    fn list(&self, texts: &[Writable<'_>], list: &str) -> Option<Vec<(usize, Edit)>> {
        let (was, is) = (self.before.list(list), self.after.list(list));
        let mut edits: Vec<(usize, Edit)> = Vec::new();
        for group in was.iter().filter(|group| !is.contains(group)) {
            edits.extend(every(texts, |text| text.without_add(group, list)));
        }
        for (at, group) in is.iter().enumerate().filter(|(_, group)| !was.contains(group)) {
            let command = format!("ADD GROUP({group}) LIST({list})");
            let next = is[at + 1..].iter().find(|next| was.contains(next));
            let beside = texts.iter().enumerate().find_map(|(index, text)| {
                Some((index, text.beside_add(next.map(String::as_str), list, &command)?))
            });
            edits.push(beside.or_else(|| last(texts, &command))?);
        }
        Some(edits)
    }

    /// Further commands behind all others of a text.
    pub fn behind(&self, texts: &[Writable<'_>], index: usize) -> Option<(usize, Vec<Edit>)> {
        let mut commands = String::new();
        // Writing to a String does not fail.
        for was in &self.removed {
            let _ = writeln!(commands, "DELETE {}({}) GROUP({})", was.resource, was.name, was.group);
        }
        for (was, is) in &self.changed {
            if was.attributes.iter().all(|a| is.given(a.spec.name).is_some()) {
                let given = differing(is, was).into_iter().cloned().collect();
                let part = Definition { attributes: given, ..(*is).clone() }.to_string();
                let _ = writeln!(commands, "{}", part.replacen("DEFINE", "ALTER", 1));
            } else {
                let _ = writeln!(commands, "DELETE {}({}) GROUP({})\n{is}", is.resource, is.name, is.group);
            }
        }
        for is in &self.added {
            let _ = writeln!(commands, "{is}");
        }
        for list in &self.lists {
            let (was, is) = (self.before.list(list), self.after.list(list));
            let kept = if is.starts_with(was) { was.len() } else { 0 };
            if kept == 0 && !was.is_empty() {
                let _ = writeln!(commands, "DELETE LIST({list})");
            }
            for group in &is[kept..] {
                let _ = writeln!(commands, "ADD GROUP({group}) LIST({list})");
            }
        }
        Some((index, vec![texts[index].at_end(commands.trim_end())?]))
    }
}

/// The definition that a removed one becomes by RENAME or MOVE.
fn renamed<'a>(
    was: &Definition,
    added: &mut Vec<&'a Definition>,
    command: &Command,
) -> Option<&'a Definition> {
    let named = match command {
        Command::Rename { named, .. } => Some(named),
        Command::Move { named, .. } => named.as_ref(),
        _ => return None,
    };
    let name = named.unwrap_or(&was.name);
    let is = |is: &&Definition| is.resource == was.resource && is.name == *name && equal(is, was);
    let at = added.iter().position(is)?;
    Some(added.remove(at))
}

fn find_in<T>(texts: &[Writable<'_>], edit: impl Fn(&Writable<'_>) -> Option<T>) -> Option<(usize, T)> {
    texts.iter().enumerate().find_map(|(index, text)| Some((index, edit(text)?)))
}

fn every<'t>(
    texts: &'t [Writable<'_>],
    edits: impl Fn(&Writable<'_>) -> Vec<Edit> + 't,
) -> impl Iterator<Item = (usize, Edit)> + 't {
    let own = move |(index, text)| edits(text).into_iter().map(move |edit| (index, edit));
    texts.iter().enumerate().flat_map(own)
}

/// Behind everything in the last text that can be changed.
fn last(texts: &[Writable<'_>], command: &str) -> Option<(usize, Edit)> {
    texts.iter().enumerate().rev().find_map(|(index, text)| Some((index, text.at_end(command)?)))
}
