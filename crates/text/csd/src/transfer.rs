//! COPY, MOVE and RENAME, and locks.

use diagnostics::{Diagnostic, TextPlace};

use crate::command::Duplicates;
use crate::store::{Applied, Csd, generic, not_found, position, same_name};
use crate::{Definition, ResourceType};

/// The definitions that COPY, MOVE and RENAME take.
pub(crate) struct From<'a> {
    pub group: &'a str,
    /// Only this one; its name may be generic.
    pub only: Option<&'a (ResourceType, String)>,
    /// The name that it gets.
    pub named: Option<&'a str>,
}

impl From<'_> {
    fn takes(&self, definition: &Definition) -> bool {
        self.only.is_none_or(|(resource, name)| {
            definition.resource == *resource && generic(name, &definition.name)
        })
    }
}

impl Csd {
    pub(crate) fn copy(
        &mut self,
        from: &From<'_>,
        to: &str,
        duplicates: Duplicates,
        place: &TextPlace,
    ) -> Applied {
        let copies = self.copies(from, to, place)?;
        if self.lists.contains_key(to) {
            return Err(same_name(to, place));
        }
        self.put(copies, to, duplicates, place)
    }

    /// The definitions as the target group gets them.
    fn copies(
        &self,
        from: &From<'_>,
        to: &str,
        place: &TextPlace,
    ) -> Result<Vec<Definition>, Box<Diagnostic>> {
        let taken: Vec<&Definition> = self.group(from.group).iter().filter(|d| from.takes(d)).collect();
        if taken.is_empty() {
            let what = from.only.map_or("any definition".to_owned(), |(r, name)| format!("{r} {name}"));
            return Err(not_found(&what, from.group, place));
        }
        if from.named.is_some() && taken.len() > 1 {
            let message = Diagnostic::error("SPCS027", "AS names one definition, and several fit");
            return Err(Box::new(message.at(place.clone()).help("name one definition, without * and +")));
        }
        let copy = |d: &Definition| Definition {
            group: to.to_owned(),
            name: from.named.map_or_else(|| d.name.clone(), str::to_owned),
            ..d.clone()
        };
        Ok(taken.into_iter().map(copy).collect())
    }

    fn put(
        &mut self,
        copies: Vec<Definition>,
        to: &str,
        duplicates: Duplicates,
        place: &TextPlace,
    ) -> Applied {
        let twice = copies.iter().find(|c| position(self.group(to), c.resource, &c.name).is_some());
        if let (Some(copy), Duplicates::Refuse) = (twice, duplicates) {
            let message = format!("{} {} is in group {to} already", copy.resource, copy.name);
            let refused = Diagnostic::error("SPCS025", message).at(place.clone());
            return Err(Box::new(refused.help("say MERGE to keep it, or REPLACE to take the copy")));
        }
        let target = self.groups.entry(to.to_owned()).or_default();
        for copy in copies {
            match position(target, copy.resource, &copy.name) {
                None => target.push(copy),
                Some(at) if duplicates == Duplicates::Replace => target[at] = copy,
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(crate) fn move_to(
        &mut self,
        from: &From<'_>,
        to: &str,
        duplicates: Duplicates,
        place: &TextPlace,
    ) -> Applied {
        if from.group == to && from.named.is_none() {
            let message = Diagnostic::error("SPCS028", format!("{to} is the group that they are in"));
            return Err(Box::new(
                message.at(place.clone()).help("name another group, or another name by AS"),
            ));
        }
        let mut moved = self.clone();
        moved.copy(from, to, duplicates, place)?;
        let stays =
            |d: &Definition| !from.takes(d) || (from.group == to && from.named == Some(d.name.as_str()));
        if let Some(group) = moved.groups.get_mut(from.group) {
            group.retain(stays);
            if group.is_empty() {
                moved.groups.remove(from.group);
            }
        }
        *self = moved;
        Ok(())
    }

    /// Checks that no list has the name of a group, nor a group that of a list.
    pub(crate) fn is_free(&self, name: &str, list: bool, place: &TextPlace) -> Applied {
        let taken = if list { self.groups.contains_key(name) } else { self.lists.contains_key(name) };
        if taken { Err(same_name(name, place)) } else { Ok(()) }
    }
}
