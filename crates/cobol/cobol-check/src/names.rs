//! The names of a program: what each stands for, and which of several is meant.

use std::collections::HashMap;
use std::rc::Rc;

use cobol_data::{Area, ItemId, Items};
use cobol_syntax::tree::{Name, Reference};

use crate::files::File;
use crate::procedures::ProcedureDef;

/// Targets of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameTarget {
    /// An item, a condition-name, an index.
    Item(ItemId),
    /// A file, by its place in [`crate::CheckedProgram::files`].
    File(usize),
    /// A section or paragraph, by its place in [`crate::CheckedProgram::procedures`].
    Procedure(usize),
    /// A device or switch of SPECIAL-NAMES, by its place there.
    Mnemonic(usize),
    /// The condition of a switch: the mnemonic's place, and whether it is that of ON.
    Switch(usize, bool),
    /// A class of SPECIAL-NAMES.
    Class(usize),
    /// An alphabet of SPECIAL-NAMES.
    Alphabet(usize),
    /// A symbolic character.
    Symbolic(usize),
    /// A GLOBAL file of a program around this one: how many levels out, and which.
    GlobalFile(usize, usize),
}

/// All names of a program.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_name: HashMap<Rc<str>, Vec<NameTarget>>,
    /// The GLOBAL files, which contained programs see.
    pub(crate) global_files: HashMap<Rc<str>, usize>,
}

/// Reasons why a name has no target.
pub(crate) enum Missing {
    /// There is none of that name.
    Unknown,
    /// There are several, and nothing says which.
    Ambiguous(Vec<NameTarget>),
    /// There is that name, but not so qualified.
    Qualifier,
}

impl Names {
    pub(crate) fn add(&mut self, name: &Name, target: NameTarget) {
        self.by_name.entry(Rc::clone(&name.text)).or_default().push(target);
    }

    pub(crate) fn all(&self, name: &str) -> &[NameTarget] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every name of something that a filter takes, for "did you mean".
    pub(crate) fn matching(&self, filter: impl Fn(&NameTarget) -> bool) -> Vec<&str> {
        let found = self.by_name.iter().filter(|(_, targets)| targets.iter().any(&filter));
        let mut names: Vec<&str> = found.map(|(name, _)| &**name).collect();
        // A map has no order: of two names that are as near, the message names the same one each time.
        names.sort_unstable();
        names
    }

    /// Notes the names of items.
    pub(crate) fn add_items(&mut self, items: &Items) {
        for (id, item) in items.all() {
            let Some(name) = &item.name else { continue };
            self.add(name, NameTarget::Item(id));
        }
    }

    /// The one item that a reference means.
    pub(crate) fn item(
        &self,
        reference: &Reference,
        items: &Items,
        files: &[File],
    ) -> Result<NameTarget, Missing> {
        let all = self.all(&reference.name.text);
        let kind = |target: &&NameTarget| !matches!(target, NameTarget::Procedure(_) | NameTarget::File(_));
        let candidates: Vec<NameTarget> = all.iter().filter(kind).copied().collect();
        if candidates.is_empty() {
            return Err(Missing::Unknown);
        }
        let fits = |target: &NameTarget| match target {
            NameTarget::Item(id) => is_qualified(*id, &reference.qualifiers, items, files),
            _ => reference.qualifiers.is_empty(),
        };
        let mut fitting: Vec<NameTarget> = candidates.into_iter().filter(fits).collect();
        match fitting.len() {
            0 => Err(Missing::Qualifier),
            1 => Ok(fitting.swap_remove(0)),
            _ => Err(Missing::Ambiguous(fitting)),
        }
    }

    /// The section or paragraph that a reference means, seen from a section.
    pub(crate) fn procedure(
        &self,
        reference: &Reference,
        from: Option<usize>,
        procedures: &[ProcedureDef],
    ) -> Result<NameTarget, Missing> {
        let all = self.all(&reference.name.text).iter().copied();
        let candidates: Vec<NameTarget> =
            all.filter(|target| matches!(target, NameTarget::Procedure(_))).collect();
        let section_of = |target: &NameTarget| match target {
            NameTarget::Procedure(index) => procedures[*index].section,
            _ => None,
        };
        if candidates.is_empty() {
            return Err(Missing::Unknown);
        }
        if let Some(qualifier) = reference.qualifiers.first() {
            let fits = |target: &&NameTarget| {
                section_of(target).is_some_and(|section| procedures[section].name.text == qualifier.text)
            };
            return candidates.iter().find(fits).copied().ok_or(Missing::Qualifier);
        }
        if let [one] = candidates[..] {
            return Ok(one);
        }
        let near = candidates.iter().find(|target| from.is_some() && section_of(target) == from);
        near.copied().ok_or(Missing::Ambiguous(candidates))
    }
}

/// Returns true if the qualifiers name groups around an item, from the inside out, or its file.
fn is_qualified(id: ItemId, qualifiers: &[Name], items: &Items, files: &[File]) -> bool {
    let mut rest = qualifiers;
    for group in items.groups(id) {
        let Some(next) = rest.first() else { return true };
        if items.get(group).name.as_ref().is_some_and(|name| name.text == next.text) {
            rest = &rest[1..];
        }
    }
    let file = match items.get(id).area {
        Area::File(index) => files.get(index),
        _ => None,
    };
    match rest {
        [] => true,
        [one] => file.is_some_and(|file| file.name.text == one.text),
        _ => false,
    }
}
