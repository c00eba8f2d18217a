//! The files of a region, and the data sets that must not be opened now.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::{Mutex, RwLock};
use records::StoreId;
use vsam::Replace;

use super::attributes::FileDefinition;
use super::edition::Edition;
use super::file::File;
use super::tables::{Opened, Tables};
use kernel::lines::often;
use kernel::name::Name8;
use kernel::notices::{Notice, Notices};
use kernel::region::Region;

/// The reason why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// The data set says why.
    #[error(transparent)]
    Dataset(#[from] vsam::Error),
    /// The data set is quiesced, and the file is accessed in RLS mode.
    #[error("the data set is quiesced")]
    Quiesced,
}

/// The files of a region.
#[derive(Default)]
pub struct Files {
    table: RwLock<HashMap<Name8, Arc<File>>>,
    edition: Arc<Edition>,
    /// Data sets that files in RLS mode may not open: SET DSNAME QUIESCED.
    quiesced: Mutex<HashSet<String>>,
}

/// The files know their edition, which knows some of them.
impl Drop for Files {
    fn drop(&mut self) {
        self.edition.ends();
    }
}

impl Files {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Installs a file; one of the same name is replaced.
    pub fn install(&self, definition: FileDefinition) {
        let file = Arc::new(File::new(definition, &self.edition));
        self.table.write().insert(file.name, file);
        self.edition.ends();
    }

    /// Returns the present edition, by which commands find files.
    pub(super) fn edition(&self) -> &Edition {
        &self.edition
    }

    /// The file of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<File>> {
        self.table.read().get(&name).cloned()
    }

    /// Removes a file, if there is one.
    pub fn discard(&self, name: Name8) {
        self.table.write().remove(&name);
        self.edition.ends();
    }

    /// All files, by name.
    pub fn list(&self) -> Vec<Arc<File>> {
        let mut list: Vec<_> = self.table.read().values().cloned().collect();
        list.sort_by_key(|file| file.name);
        list
    }

    /// The file whose data set is open, and has its records in a store.
    pub fn of_store(&self, store: StoreId) -> Option<Name8> {
        let has_it = |file: &Arc<File>| file.opened().is_some_and(|dataset| dataset.store() == store);
        self.list().into_iter().find(has_it).map(|file| file.name)
    }

    /// Opens a file; one that is open stays so.
    ///
    /// # Errors
    /// The reason why it cannot be opened.
    pub async fn open(&self, file: &File, region: &Arc<Region>) -> Result<Arc<Opened>, NotOpened> {
        let (name, rls, empty) = file.attribute(|a| (a.dataset.clone(), a.mode.rls, a.empty_required));
        if rls && self.is_quiesced(&name) {
            return Err(NotOpened::Quiesced);
        }
        if let Some(opened) = file.reopened() {
            return Ok(opened);
        }
        if empty {
            let (vsam, name) = (&region.vsam, name.parse()?);
            let reuse = vsam.dataset(&name).await?.cluster().reuse;
            if reuse {
                vsam.load(&name, &mut std::iter::empty(), Replace::No, &mut |_| {}).await?;
                file.set_emptied();
            }
        }
        let opened =
            file.set_open(Arc::new(Tables::open(region, file.name, file.attribute(Clone::clone)).await?));
        if Notices::are_wanted(region) {
            Notices::tell(region, None, Notice::Changed);
        }
        Ok(opened)
    }

    /// Opens the files that say OPENTIME(STARTUP) and are enabled. One that cannot be opened is left to its first use.
    pub async fn open_at_startup(&self, region: &Arc<Region>) {
        for file in self.list().into_iter().filter(|file| file.open_at_startup && file.remote.is_none()) {
            if matches!(file.view(), Ok(None))
                && let Err(error) = self.open(&file, region).await
            {
                often!(warn, target: "FC", "file {}: {} cannot be opened: {error}", file.name, file.dataset_name());
            }
        }
    }

    /// Returns true if files in RLS mode may not open a data set.
    pub fn is_quiesced(&self, dataset: &str) -> bool {
        self.quiesced.lock().contains(dataset)
    }

    /// SET DSNAME QUIESCED and UNQUIESCED.
    pub fn set_quiesced(&self, dataset: &str, quiesced: bool) {
        let mut names = self.quiesced.lock();
        if quiesced {
            names.insert(dataset.to_owned());
        } else {
            names.remove(dataset);
        }
    }
}
