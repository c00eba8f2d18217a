//! DEFINE: from what a command says to what the catalogues keep.

use std::mem::discriminant;

use diagnostics::{Diagnostic, TextPlace};
use idcams::{Cluster, Gdg, Log, Name, Nonvsam, Organization};
use records::Recovery;
use vsam::{AlternateIndex, Definition, Error, KeyField, Path};

use super::{Carried, DONE, Refusal, Run};
use crate::attributes::Shown;
use crate::codes;
use crate::file::Shape;
use crate::sequential::{DatasetEntry, Group};

impl Run<'_> {
    pub(super) async fn define_cluster(&mut self, command: &Cluster) -> Carried {
        let recoverable = (self.wants_recovery)(&command.name.text);
        let mut shown = Shown::of(&command.attributes);
        shown.components = component_names(&command.data, &command.index);
        self.define(cluster(command, recoverable)?, &shown, &command.name.place).await
    }

    pub(super) async fn define_index(&mut self, command: &idcams::AlternateIndex) -> Carried {
        let mut shown = Shown::of(&command.attributes);
        shown.components = component_names(&command.data, &command.index);
        let definition = Definition::AlternateIndex(AlternateIndex {
            name: command.name.text.parse()?,
            relate: command.relate.text.parse()?,
            key: field(command.keys()),
            unique: command.is_unique(),
            upgrade: command.upgrades(),
        });
        self.define(definition, &shown, &command.name.place).await
    }

    pub(super) async fn define_path(&mut self, command: &idcams::Path) -> Carried {
        let shown = Shown { no_update: !command.update, ..Shown::default() };
        let (name, entry) = (command.name.text.parse()?, command.entry.text.parse()?);
        self.define(Definition::Path(Path { name, entry }), &shown, &command.name.place).await
    }

    async fn define(&mut self, definition: Definition, shown: &Shown, place: &TextPlace) -> Carried {
        let name = definition.name().clone();
        let there = self.site.vsam.entry(&name).ok();
        let there = there.filter(|entry| discriminant(&entry.definition) == discriminant(&definition));
        if self.is_done_already(&name, there.is_some()).await? {
            if there.is_some_and(|entry| differ(&entry.definition, &definition)) {
                let text = format!("{name} is in the catalogue with other attributes, which stay");
                let help = "ALTER changes them where that is possible; after a DELETE it is defined as it stands here";
                let message = Diagnostic::warning(codes::OTHERWISE, text).at(place.clone()).help(help);
                self.outcome.messages.push(message);
            }
            return Ok(DONE);
        }
        self.site.vsam.define(definition).await?;
        if *shown != Shown::default() {
            self.site.attributes.put(&name, Some(shown)).await?;
        }
        Ok(DONE)
    }

    pub(super) async fn define_group(&mut self, command: &Gdg) -> Carried {
        let Gdg { limit, empty, scratch, .. } = *command;
        self.define_other(&command.name, &DatasetEntry::Group(Group { limit, empty, scratch })).await
    }

    pub(super) async fn define_sequential(&mut self, command: &Nonvsam) -> Carried {
        self.define_other(&command.name, &DatasetEntry::Sequential(Shape::Lines)).await
    }

    pub(super) async fn define_alias(&mut self, command: &idcams::Alias) -> Carried {
        let relate: vsam::Name = command.relate.text.parse()?;
        if !self.site.knows(&relate).await? {
            return Err(Error::NoEntry(relate).into());
        }
        self.define_other(&command.name, &DatasetEntry::Alias(relate)).await
    }

    async fn define_other(&mut self, name: &Name, entry: &DatasetEntry) -> Carried {
        let name = name.text.parse()?;
        let there = self.site.sequential.entry(&name).await?;
        let there = there.is_some_and(|there| discriminant(&there) == discriminant(entry));
        if !self.is_done_already(&name, there).await? {
            self.site.sequential.put(&name, entry).await?;
        }
        Ok(DONE)
    }

    /// Returns true if an entry of the same kind exists (`there`), and that is as good as a definition; otherwise there
    /// must be no entry of this name.
    async fn is_done_already(&self, name: &vsam::Name, there: bool) -> Result<bool, Refusal> {
        match self.site.knows(name).await? {
            true if there && self.existing_is_done => Ok(true),
            true => Err(Error::EntryExists(name.clone()).into()),
            false => Ok(false),
        }
    }
}

/// Returns true if two definitions of one entry differ. The recovery of a data set follows its files.
fn differ(there: &Definition, here: &Definition) -> bool {
    match (there, here) {
        (Definition::Cluster(there), Definition::Cluster(here)) => {
            *there != vsam::Cluster { recovery: there.recovery, ..here.clone() }
        }
        _ => there != here,
    }
}

fn component_names(data: &Option<Name>, index: &Option<Name>) -> (Option<String>, Option<String>) {
    let text = |name: &Option<Name>| name.as_ref().map(|name| name.text.clone());
    (text(data), text(index))
}

/// A cluster. `recoverable`: a FILE definition wants its changes backed out, whatever LOG says.
fn cluster(command: &Cluster, recoverable: bool) -> Result<Definition, Refusal> {
    let size = command.record_size();
    let organization = match command.organization {
        Organization::Indexed => {
            let keys = command.keys().unwrap_or(idcams::Keys { length: 1, offset: 0 });
            vsam::Organization::Keyed(field(keys))
        }
        Organization::Entry => vsam::Organization::EntrySequenced,
        Organization::Numbered => vsam::Organization::Relative,
        Organization::Linear => {
            let text = "a LINEAR cluster is not built: nothing was done".into();
            return Err(Refusal::Other(codes::NOT_BUILT, text));
        }
    };
    let logged = matches!(command.attributes.log, Some(Log::Undo | Log::All));
    Ok(Definition::Cluster(vsam::Cluster {
        name: command.name.text.parse()?,
        organization,
        average: size.average as usize,
        maximum: size.maximum as usize,
        recovery: if logged || recoverable { Recovery::Recoverable } else { Recovery::NonRecoverable },
        reuse: command.attributes.reuse.unwrap_or(false),
    }))
}

pub(super) fn field(keys: idcams::Keys) -> KeyField {
    KeyField { offset: keys.offset as usize, length: keys.length as usize }
}
