//! DELETE.

use idcams::{Delete, EntryKind};
use vsam::{Definition, Error, Name};

use super::{Carried, DONE, FAILED, Refusal, Run, WARNING};
use crate::codes;
use crate::locate::Located;
use crate::pattern;
use crate::sequential::DatasetEntry;

impl Run<'_> {
    pub(super) async fn delete(&mut self, command: &Delete) -> Carried {
        let mut code = DONE;
        for entry in &command.entries {
            if self.delete_member(entry, command, &mut code).await? {
                continue;
            }
            let mut names = self.meant(&entry.text).await?;
            if pattern::is_generic(&entry.text) {
                // A generic name means the entries of the kind that is asked for.
                let mut fitting = Vec::with_capacity(names.len());
                for name in names {
                    if self.is_of(&name, command.kind).await? {
                        fitting.push(name);
                    }
                }
                names = fitting;
            }
            if names.is_empty() {
                let text = format!("{} fits no entry", entry.text);
                self.warn(codes::NOT_FOUND, text, &entry.place);
                code = code.max(WARNING);
            }
            for name in names {
                if let Err(refusal) = self.delete_one(&name, command).await {
                    self.refused(refusal, &entry.place);
                    code = FAILED;
                }
            }
        }
        Ok(code)
    }

    /// Deletes a member of a library, if that is what a name means.
    async fn delete_member(
        &mut self,
        entry: &idcams::Name,
        command: &Delete,
        code: &mut u32,
    ) -> Result<bool, Refusal> {
        if !entry.text.contains('(') {
            return Ok(false);
        }
        let deleted = match self.site.locate(&entry.text, &mut self.generations).await {
            Ok(Located::Member(library, member, _))
                if matches!(command.kind, None | Some(EntryKind::Nonvsam)) =>
            {
                self.site.sequential.remove_member(&library, &member).map(|()| (library, member))
            }
            Ok(Located::Member(library, ..)) => {
                Err(Error::WrongKind { name: library, expected: "an entry of this kind" })
            }
            Ok(Located::NoLibrary(library, _)) => Err(Error::NoEntry(library)),
            Err(error) => Err(error),
            Ok(_) => return Ok(false),
        };
        match deleted {
            Ok((library, member)) => {
                self.say(codes::DELETED, format_args!("entry (A) {library}({member}) deleted"));
            }
            Err(error) => {
                self.refused(error.into(), &entry.place);
                *code = FAILED;
            }
        }
        Ok(true)
    }

    /// Returns true if an entry is of the kind that a command asks for, or it asks for none.
    async fn is_of(&self, name: &Name, kind: Option<EntryKind>) -> Result<bool, Refusal> {
        if let Some(entry) = self.site.sequential.entry(name).await? {
            return Ok(is_other(&entry, kind));
        }
        Ok(self.site.vsam.entry(name).is_ok_and(|found| expected(kind, &found.definition).is_none()))
    }

    /// The entries that a name means: itself, or all that it fits; a relative generation by its own name.
    pub(super) async fn meant(&mut self, text: &str) -> Result<Vec<Name>, Refusal> {
        if !pattern::is_generic(text) {
            return Ok(match text.contains('(') {
                true => match self.site.locate(text, &mut self.generations).await? {
                    Located::Sequential(name, _) => vec![name],
                    _ => Vec::new(),
                },
                false => vec![text.parse()?],
            });
        }
        let mut names: Vec<Name> =
            self.site.vsam.entries().iter().map(|entry| entry.name().clone()).collect();
        names.extend(self.site.sequential.entries().await?.into_iter().map(|(name, _)| name));
        names.retain(|name| pattern::matches(text, name.as_str()));
        names.sort();
        Ok(names)
    }

    async fn delete_one(&mut self, name: &Name, command: &Delete) -> Result<(), Refusal> {
        if let Some(entry) = self.site.sequential.entry(name).await? {
            return self.delete_other(name, &entry, command).await;
        }
        let found = match self.site.vsam.entry(name) {
            // One that went with what it belonged to.
            Err(_) if command.entries.iter().any(|entry| pattern::is_generic(&entry.text)) => return Ok(()),
            found => found?,
        };
        if let Some(expected) = expected(command.kind, &found.definition) {
            return Err(Error::WrongKind { name: name.clone(), expected }.into());
        }
        let letters = self.letters();
        let deleted = self.site.vsam.delete(name).await?;
        for name in deleted {
            let letter = letters.iter().find(|(known, _)| *known == name).map_or('C', |(_, letter)| *letter);
            self.say_deleted(letter, &name).await?;
        }
        Ok(())
    }

    /// Tells that an entry is gone, with its components, and forgets what was kept to be shown of it.
    async fn say_deleted(&mut self, letter: char, name: &Name) -> Result<(), Refusal> {
        let shown = self.site.attributes.get(name).await?;
        for (letter, component) in [('D', &shown.components.0), ('I', &shown.components.1)] {
            if let Some(component) = component {
                self.say(codes::DELETED, format_args!("entry ({letter}) {component} deleted"));
            }
        }
        self.say(codes::DELETED, format_args!("entry ({letter}) {name} deleted"));
        Ok(self.site.attributes.put(name, None).await?)
    }

    /// The kind of each entry as one letter.
    fn letters(&self) -> Vec<(Name, char)> {
        let entries = self.site.vsam.entries();
        let letter = |definition: &Definition| match definition {
            Definition::Cluster(_) => 'C',
            Definition::AlternateIndex(_) => 'G',
            Definition::Path(_) => 'R',
        };
        entries.iter().map(|entry| (entry.name().clone(), letter(&entry.definition))).collect()
    }

    async fn delete_other(
        &mut self,
        name: &Name,
        entry: &DatasetEntry,
        command: &Delete,
    ) -> Result<(), Refusal> {
        if !is_other(entry, command.kind) {
            return Err(Error::WrongKind { name: name.clone(), expected: "an entry of this kind" }.into());
        }
        let letter = match entry {
            DatasetEntry::Sequential(_) | DatasetEntry::Library(_) => 'A',
            DatasetEntry::Group(_) => 'B',
            DatasetEntry::Alias(_) => 'X',
        };
        if matches!(entry, DatasetEntry::Group(_)) {
            let generations = self.site.sequential.generations(name).await?;
            if !generations.is_empty() && !command.force {
                return Err(Error::NotEmpty(name.clone()).into());
            }
            for number in generations {
                let generation = crate::sequential::generation_name(name, number)?;
                self.site.sequential.remove(&generation, !command.no_scratch).await?;
                self.say(codes::DELETED, format_args!("entry (A) {generation} deleted"));
            }
        }
        self.site.sequential.remove(name, !command.no_scratch).await?;
        self.say(codes::DELETED, format_args!("entry ({letter}) {name} deleted"));
        Ok(())
    }
}

/// Returns true if an entry that is none of VSAM's is of the kind that a command asks for, or it asks for none.
fn is_other(entry: &DatasetEntry, kind: Option<EntryKind>) -> bool {
    match kind {
        None => true,
        Some(EntryKind::Nonvsam) => matches!(entry, DatasetEntry::Sequential(_) | DatasetEntry::Library(_)),
        Some(EntryKind::Gdg) => matches!(entry, DatasetEntry::Group(_)),
        Some(EntryKind::Alias) => matches!(entry, DatasetEntry::Alias(_)),
        Some(_) => false,
    }
}

/// Returns the kind that a command expects, if the entry is of another.
fn expected(kind: Option<EntryKind>, definition: &Definition) -> Option<&'static str> {
    match (kind?, definition) {
        (EntryKind::Cluster, Definition::Cluster(_))
        | (EntryKind::AlternateIndex, Definition::AlternateIndex(_))
        | (EntryKind::Path, Definition::Path(_)) => None,
        (EntryKind::Cluster, _) => Some("a cluster"),
        (EntryKind::AlternateIndex, _) => Some("an alternate index"),
        (EntryKind::Path, _) => Some("a path"),
        _ => Some("an entry of this kind"),
    }
}
