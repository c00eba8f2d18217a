//! The files of a region.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use spec::cond;
use vsam::{Dataset, Vsam};

use super::requests::FileRequests;
use super::resp2;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};

/// What programs may do with a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// WRITE.
    pub add: bool,
    /// STARTBR and what follows.
    pub browse: bool,
    /// DELETE.
    pub delete: bool,
    /// READ.
    pub read: bool,
    /// READ UPDATE, REWRITE.
    pub update: bool,
}

/// Whether a file may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnableStatus {
    /// Yes.
    Enabled,
    /// No, by command.
    Disabled,
    /// No, since it was closed.
    Unenabled,
}

/// What a FILE definition says.
#[derive(Clone, Debug)]
pub struct FileDefinition {
    /// Its name.
    pub name: Name8,
    /// The data set; empty: none yet.
    pub dataset: String,
    /// What programs may do.
    pub access: Access,
    /// Whether it is enabled from the start.
    pub enabled: bool,
}

/// A file.
pub struct File {
    /// Its name.
    pub name: Name8,
    /// What programs have asked of it.
    pub requests: FileRequests,
    state: Mutex<State>,
}

struct State {
    dataset: String,
    access: Access,
    enable: EnableStatus,
    open: Option<Arc<Dataset>>,
}

impl File {
    /// What programs may do.
    pub fn access(&self) -> Access {
        self.state.lock().access
    }

    /// SET FILE with ADD, BROWSE, DELETE, READ or UPDATE.
    pub fn set_access(&self, access: Access) {
        self.state.lock().access = access;
    }

    /// The data set's name.
    pub fn dataset_name(&self) -> String {
        self.state.lock().dataset.clone()
    }

    /// SET FILE DSNAME: only while the file is closed. False if it is open.
    pub fn set_dataset_name(&self, name: &str) -> bool {
        let mut state = self.state.lock();
        if state.open.is_none() {
            name.clone_into(&mut state.dataset);
        }
        state.open.is_none()
    }

    /// Whether it may be used.
    pub fn enable_status(&self) -> EnableStatus {
        self.state.lock().enable
    }

    /// SET FILE ENABLED or DISABLED.
    pub fn set_enable_status(&self, status: EnableStatus) {
        self.state.lock().enable = status;
    }

    /// The open data set.
    pub fn opened(&self) -> Option<Arc<Dataset>> {
        self.state.lock().open.clone()
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.state.lock().open.is_some()
    }

    /// SET FILE CLOSED: nobody begins to use it any more; those who do, keep the data set until they end.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.open = None;
        if state.enable == EnableStatus::Enabled {
            state.enable = EnableStatus::Unenabled;
        }
    }

    /// SET FILE OPEN.
    ///
    /// # Errors
    /// What the data set says.
    pub async fn open(&self, vsam: &Vsam) -> vsam::Result<Arc<Dataset>> {
        let name = self.dataset_name();
        let dataset = vsam.dataset(&name.parse()?).await?;
        let mut state = self.state.lock();
        if state.enable == EnableStatus::Unenabled {
            state.enable = EnableStatus::Enabled;
        }
        Ok(Arc::clone(state.open.get_or_insert(dataset)))
    }

    /// The data set for a command: opened now, if this is its first use.
    ///
    /// # Errors
    /// DISABLED, NOTOPEN.
    pub(super) async fn usable(&self, vsam: &Vsam) -> Outcome<Arc<Dataset>> {
        {
            let state = self.state.lock();
            match (state.enable, &state.open) {
                (EnableStatus::Disabled, _) => return Err(cond::DISABLED.raise(resp2::DISABLED)),
                (EnableStatus::Unenabled, _) => return Err(cond::NOTOPEN.raise(resp2::NOT_OPEN)),
                (EnableStatus::Enabled, Some(open)) => return Ok(Arc::clone(open)),
                (EnableStatus::Enabled, None) => {}
            }
        }
        self.open(vsam).await.map_err(|error| {
            tracing::error!(target: "FC", "file {}: {} cannot be opened: {error}", self.name, self.dataset_name());
            cond::NOTOPEN.raise(resp2::NOT_OPEN)
        })
    }
}

/// The files of a region.
#[derive(Default)]
pub struct Files {
    table: RwLock<HashMap<Name8, Arc<File>>>,
}

impl Files {
    /// Installs a file; one of the same name is replaced.
    pub fn install(&self, definition: FileDefinition) {
        let state = State {
            dataset: definition.dataset,
            access: definition.access,
            enable: if definition.enabled { EnableStatus::Enabled } else { EnableStatus::Disabled },
            open: None,
        };
        let file =
            File { name: definition.name, requests: FileRequests::default(), state: Mutex::new(state) };
        self.table.write().insert(file.name, Arc::new(file));
    }

    /// The file of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<File>> {
        self.table.read().get(&name).cloned()
    }

    /// Removes a file; false if there was none.
    pub fn discard(&self, name: Name8) -> bool {
        self.table.write().remove(&name).is_some()
    }

    /// All files, by name.
    pub fn list(&self) -> Vec<Arc<File>> {
        let mut list: Vec<_> = self.table.read().values().cloned().collect();
        list.sort_by_key(|file| file.name);
        list
    }
}
