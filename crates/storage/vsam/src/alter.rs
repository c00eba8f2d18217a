//! ALTER: other attributes for an entry that is there.

use records::Recovery;

use crate::utility::Statistics;
use crate::{CatalogEntry, Definition, Error, Name, Result, Vsam};

impl Vsam {
    /// Changes what an entry says, but not its name or what it depends on. Its cluster must not be open.
    ///
    /// Attributes that decide where records and keys lie (keys, record sizes, uniqueness) can change only while there are no
    /// records: [`Error::NotEmpty`]. Organization and recovery never change.
    pub async fn alter(&self, name: &Name, change: impl FnOnce(&mut Definition)) -> Result<()> {
        let _changing = self.change().await?;
        let entry = self.entry(name)?;
        let alone = self.enter(&self.base_of(name)?, true).await?;
        let mut altered = entry.definition.clone();
        change(&mut altered);
        if altered == entry.definition {
            return Ok(());
        }
        if !same_promise(&entry.definition, &altered) {
            return Err(Error::Invalid("organization, recovery and relations cannot be altered"));
        }
        if !same_shape(&entry.definition, &altered) && self.statistics(name).await? != Statistics::default() {
            return Err(Error::NotEmpty(name.clone()));
        }
        self.check(&altered)?;
        self.redefine(name, altered).await?;
        self.leave(alone).await;
        Ok(())
    }

    /// From now on changes of the cluster behind a name, and of its alternate indexes, are part of units of work. It must not be open,
    /// unless they are so already: returns false then.
    pub async fn make_recoverable(&self, name: &Name) -> Result<bool> {
        let is_so = |base: &Name| Ok::<_, Error>(self.cluster(base)?.0.recovery == Recovery::Recoverable);
        if is_so(&self.base_of(name)?)? {
            return Ok(false);
        }
        let _changing = self.change().await?;
        let base = self.base_of(name)?;
        if is_so(&base)? {
            return Ok(false);
        }
        let alone = self.enter(&base, true).await?;
        let (mut cluster, store) = self.cluster(&base)?;
        cluster.recovery = Recovery::Recoverable;
        let entry = CatalogEntry { definition: Definition::Cluster(cluster), store: Some(store) };
        let mut unit = self.begin();
        unit.set_recovery(store, Recovery::Recoverable)?;
        for index in self.indexes_of(&base)? {
            unit.set_recovery(index.store, Recovery::Recoverable)?;
        }
        self.keep(unit, entry).await?;
        self.leave(alone).await;
        Ok(true)
    }
}

/// Returns true if two definitions agree in the attributes that can never be altered.
fn same_promise(before: &Definition, after: &Definition) -> bool {
    match (before, after) {
        (Definition::Cluster(before), Definition::Cluster(after)) => {
            std::mem::discriminant(&before.organization) == std::mem::discriminant(&after.organization)
                && (&before.name, before.recovery) == (&after.name, after.recovery)
        }
        (Definition::AlternateIndex(before), Definition::AlternateIndex(after)) => {
            (&before.name, &before.relate) == (&after.name, &after.relate)
        }
        (Definition::Path(before), Definition::Path(after)) => before.name == after.name,
        _ => false,
    }
}

/// Returns true if two definitions keep records and keys in the same way.
fn same_shape(before: &Definition, after: &Definition) -> bool {
    match (before, after) {
        (Definition::Cluster(before), Definition::Cluster(after)) => {
            let shape = |cluster: &crate::Cluster| (cluster.organization, cluster.average, cluster.maximum);
            shape(before) == shape(after)
        }
        (Definition::AlternateIndex(before), Definition::AlternateIndex(after)) => {
            (before.key, before.unique) == (after.key, after.unique)
        }
        _ => true,
    }
}
