//! A table that waits for its loading task.

use std::sync::Arc;

use vsam::Dataset;

use super::DataTable;
use crate::files::attributes::TableKind;

/// Loads CICS-maintained and user-maintained tables.
pub(super) const SHARED_DATA_TABLE: &str = "CFTL";
/// Loads coupling-facility data tables.
pub(super) const COUPLING_FACILITY: &str = "CFCL";

/// The table or copies to be loaded.
pub(crate) enum Loader {
    /// A table of its own.
    Table(Arc<DataTable>),
    /// Copies of this data set's records.
    Copies(Arc<Dataset>),
}

impl Loader {
    /// The transaction that loads it.
    pub(super) fn transaction(&self) -> &'static str {
        match self {
            Self::Table(table) if table.kind == TableKind::Coupling => COUPLING_FACILITY,
            Self::Table(_) | Self::Copies(_) => SHARED_DATA_TABLE,
        }
    }
}
