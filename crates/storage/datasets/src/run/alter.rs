//! ALTER: names and attributes.

use idcams::{Alter, Attributes};
use vsam::{Definition, Error, Organization};

use super::define::field;
use super::{Carried, DONE, Run};
use crate::attributes::Shown;
use crate::codes;
use crate::sequential::{DatasetEntry, Group};

impl Run<'_> {
    pub(super) async fn alter(&mut self, command: &Alter) -> Carried {
        let name: vsam::Name = command.entry.text.parse()?;
        if command.volumes {
            self.say(codes::ALTERED, format_args!("{name}: volumes mean nothing here"));
        }
        if command.attributes != Attributes::default() {
            self.alter_attributes(&name, &command.attributes).await?;
        }
        if let Some(new) = &command.new_name {
            let new: vsam::Name = new.text.parse()?;
            if self.site.knows(&new).await? {
                return Err(Error::EntryExists(new).into());
            }
            if self.site.sequential.entry(&name).await?.is_some() {
                self.site.sequential.rename(&name, &new).await?;
            } else {
                self.site.vsam.rename(&name, &new).await?;
                self.move_attributes(&name, &new).await?;
            }
        }
        self.say(codes::ALTERED, format_args!("entry {name} altered"));
        Ok(DONE)
    }

    async fn move_attributes(&self, name: &vsam::Name, new: &vsam::Name) -> vsam::Result<()> {
        let shown = self.site.attributes.get(name).await?;
        if shown != Shown::default() {
            self.site.attributes.put(name, None).await?;
            self.site.attributes.put(new, Some(&shown)).await?;
        }
        Ok(())
    }

    async fn alter_attributes(&mut self, name: &vsam::Name, change: &Attributes) -> vsam::Result<()> {
        if let Some(entry) = self.site.sequential.entry(name).await? {
            let DatasetEntry::Group(group) = entry else {
                return Err(Error::WrongKind { name: name.clone(), expected: "an entry with attributes" });
            };
            let altered = Group {
                limit: change.limit.unwrap_or(group.limit),
                empty: change.empty.unwrap_or(group.empty),
                scratch: change.scratch.unwrap_or(group.scratch),
            };
            return self.site.sequential.put(name, &DatasetEntry::Group(altered)).await;
        }
        if change.keys.is_some() && !has_keys(&self.site.vsam.entry(name)?.definition) {
            return Err(Error::Invalid("it has no keys"));
        }
        self.site.vsam.alter(name, |definition| alter_definition(definition, change)).await?;
        let shown = self.site.attributes.get(name).await?;
        let altered = shown.clone().altered(change);
        if altered != shown {
            self.site.attributes.put(name, Some(&altered)).await?;
        }
        Ok(())
    }
}

/// Returns true if KEYS means something for an entry.
fn has_keys(definition: &Definition) -> bool {
    match definition {
        Definition::Cluster(cluster) => matches!(cluster.organization, Organization::Keyed(_)),
        Definition::AlternateIndex(_) => true,
        Definition::Path(_) => false,
    }
}

/// Applies the attributes of an ALTER that decide something.
fn alter_definition(definition: &mut Definition, change: &Attributes) {
    match definition {
        Definition::Cluster(cluster) => {
            if let (Some(keys), Organization::Keyed(own)) = (change.keys, &mut cluster.organization) {
                *own = field(keys);
            }
            if let Some(size) = change.record_size {
                (cluster.average, cluster.maximum) = (size.average as usize, size.maximum as usize);
            }
            cluster.reuse = change.reuse.unwrap_or(cluster.reuse);
        }
        Definition::AlternateIndex(index) => {
            index.key = change.keys.map_or(index.key, field);
            index.unique = change.unique_key.unwrap_or(index.unique);
            index.upgrade = change.upgrade.unwrap_or(index.upgrade);
        }
        Definition::Path(_) => {}
    }
}
