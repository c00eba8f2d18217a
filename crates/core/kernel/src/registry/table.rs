//! The table of a resource type: its resources' values and settings.

use spec::OptionId;

use super::Manager;
use super::inquire::{Key, Resource};
use super::set::{Given, Takes};
use super::signature;
use crate::exec::Waiting;
use crate::exec::value::Value;

/// The name of a resource, and its values.
pub type Named = (Vec<u8>, Vec<(OptionId, Value)>);

/// A table whose resources may be of any type. A resource is known by its name: as many bytes as its published field has,
/// padded with blanks; a task by five digits; nothing where there is only one.
pub trait Table: Sync {
    /// The option that names a resource.
    fn name(&self) -> OptionId;

    /// Returns true if there is only one, which has no name.
    fn is_single(&self) -> bool;

    /// The names of all resources, in their order.
    fn names(&self, by: &Manager) -> Vec<Vec<u8>>;

    /// INQUIRE's values of the resource of a name, if there is one.
    fn tell(&self, by: &Manager, name: &[u8]) -> Option<Vec<(OptionId, Value)>>;

    /// The names and values of all resources whose names are wanted, in their order.
    fn tell_all(&self, by: &Manager, wanted: &dyn Fn(&[u8]) -> bool) -> Vec<Named> {
        let names = self.names(by).into_iter().filter(|name| wanted(name));
        names.filter_map(|name| self.tell(by, &name).map(|values| (name, values))).collect()
    }

    /// Settings of SET.
    fn settings(&self) -> Vec<(OptionId, &'static Takes)>;

    /// SET for the resource of a name: the values in the order of [`Self::settings`], the first that fails ends it.
    ///
    /// # Errors
    /// The published conditions of SET for the type, and the abend of a task that is purged while it waits.
    fn change<'a>(&'a self, by: &'a Manager, name: &'a [u8], changes: &'a [(OptionId, Given)])
    -> Waiting<'a>;

    /// The same for a BUNDLE, whose part the resource is: it alone may change all options, and the change is noted as the
    /// bundle's.
    ///
    /// # Errors
    /// As of [`Self::change`].
    fn change_part<'a>(
        &'a self,
        by: &'a Manager,
        name: &'a [u8],
        changes: &'a [(OptionId, Given)],
    ) -> Waiting<'a> {
        self.change(by, name, changes)
    }

    /// The options of INQUIRE.
    fn options(&self) -> Vec<OptionId>;
}

impl<T: 'static> Table for Resource<T> {
    fn name(&self) -> OptionId {
        self.name
    }

    fn is_single(&self) -> bool {
        self.key == Key::None
    }

    fn names(&self, by: &Manager) -> Vec<Vec<u8>> {
        (self.names)(by)
    }

    fn tell(&self, by: &Manager, name: &[u8]) -> Option<Vec<(OptionId, Value)>> {
        let found = (self.find)(by, name)?;
        Some(self.rows.iter().map(|(option, value)| (*option, value(by, &found))).collect())
    }

    fn settings(&self) -> Vec<(OptionId, &'static Takes)> {
        self.settings.iter().map(|setting| (setting.option, &setting.takes)).collect()
    }

    fn change<'a>(
        &'a self,
        by: &'a Manager,
        name: &'a [u8],
        changes: &'a [(OptionId, Given)],
    ) -> Waiting<'a> {
        Box::pin(async move {
            let found = (self.find)(by, name).ok_or(self.missing)?;
            signature::may_set(by, self.name, name, changes.iter().map(|(option, _)| *option))?;
            self.apply(by, &found, changes).await?;
            self.note(by, name, changes);
            Ok(())
        })
    }

    fn change_part<'a>(
        &'a self,
        by: &'a Manager,
        name: &'a [u8],
        changes: &'a [(OptionId, Given)],
    ) -> Waiting<'a> {
        Box::pin(async move {
            let found = (self.find)(by, name).ok_or(self.missing)?;
            self.apply(by, &found, changes).await
        })
    }

    fn options(&self) -> Vec<OptionId> {
        self.rows.iter().map(|(option, _)| *option).collect()
    }
}
