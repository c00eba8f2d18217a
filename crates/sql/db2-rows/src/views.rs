//! Definitions of views and of other names of tables: they come and go with the unit of work that defines them.

use std::sync::Arc;

use records::UnitOfWork;

use crate::catalogue::{Name, StoredKind, View, ViewId, key_of, view_record};
use crate::definition::{refuse_beyond, refuse_name, refuse_taken};
use crate::failure::{Failure, Tried};
use crate::limits;
use crate::work::Work;

impl Work {
    /// CREATE VIEW, CREATE ALIAS.
    ///
    /// # Errors
    /// -601 if a table or a view has this name, -904 for a limit.
    pub fn create_view(
        &mut self,
        unit: &mut dyn UnitOfWork,
        name: &Name,
        definition: &[u8],
    ) -> Tried<ViewId> {
        self.define()?;
        let mut catalogue = (*self.catalogue()).clone();
        refuse_name(name)?;
        refuse_taken(&catalogue, name)?;
        refuse_beyond("views", catalogue.views.len() + 1, limits::VIEWS)?;
        refuse_beyond("view_bytes", definition.len(), limits::VIEW_BYTES)?;
        let id = self.tables.new_view();
        let view = View { id, name: name.clone(), definition: definition.to_vec() };
        let (record, store) = (view_record(&view)?, self.tables.store);
        self.change(unit, (store, &key_of(StoredKind::View, id.0)), Some(&record), None)?;
        catalogue.views.insert(name.clone(), Arc::new(view));
        self.use_catalogue(catalogue)?;
        Ok(id)
    }

    /// DROP VIEW, DROP ALIAS.
    ///
    /// # Errors
    /// -204 if there is none.
    pub fn drop_view(&mut self, unit: &mut dyn UnitOfWork, name: &Name) -> Tried<()> {
        self.define()?;
        let mut catalogue = (*self.catalogue()).clone();
        let gone = catalogue.views.remove(name);
        let gone = gone.ok_or_else(|| Failure::new(-204, [name.to_string()]))?;
        let (record, key) = (view_record(&gone)?, key_of(StoredKind::View, gone.id.0));
        self.change(unit, (self.tables.store, &key), None, Some(&record))?;
        self.use_catalogue(catalogue)
    }
}
