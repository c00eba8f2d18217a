//! The audit of a region: opened with its state, and told of in its log.

use std::path::Path;
use std::sync::Arc;

use audit::{Audit, Limits, Record, Turned};
use config::AuditConfig;
use diagnostics::Diagnostic;

use crate::folders::{AUDIT, unwritable};

/// Record of audited actions, if they are recorded.
#[derive(Clone)]
pub(crate) struct Auditing(Option<Arc<Audit>>);

impl Auditing {
    /// Goes on with the audit of a state.
    ///
    /// # Errors
    /// Its folder cannot be used.
    pub fn open(state: &Path, config: AuditConfig) -> Result<Self, Vec<Diagnostic>> {
        if !config.on {
            return Ok(Self(None));
        }
        let limits = Limits {
            file_bytes: u64::from(config.file_mb) << 20,
            files: config.files as usize,
            forced: config.forced,
        };
        let folder = state.join(AUDIT);
        let audit = Audit::open(&folder, limits).map_err(|error| unwritable(&folder, &error))?;
        if let Some(harmed) = audit.harmed() {
            tracing::error!(target: "XS", "the audit goes on in the next file of {}: {harmed}", folder.display());
        }
        Ok(Self(Some(Arc::new(audit))))
    }

    /// Records an action. The log names one that cannot be written, and the region goes on.
    pub fn record(&self, record: &Record) {
        let Some(audit) = &self.0 else { return };
        match audit.record(record) {
            Ok(Turned::No) => {}
            Ok(Turned::Full(end)) => {
                tracing::info!(target: "XS", "a file of the audit is full; it ends with {end}");
            }
            Ok(Turned::Harmed { name, harm, end }) => tracing::error!(
                target: "XS",
                "{name} of the audit {harm} while the region runs: what it had up to {end} is lost; the audit goes on in \
                 the next file"
            ),
            Err(error) => tracing::error!(target: "XS", "the audit cannot be written: {error}"),
        }
    }

    /// The region ends: all is on disk, and the log has the end of the chain.
    pub fn close(&self) {
        let Some(audit) = &self.0 else { return };
        match audit.force() {
            Ok(()) => tracing::info!(target: "XS", "the audit ends with {}", audit.head()),
            Err(error) => tracing::error!(target: "XS", "the audit cannot be written: {error}"),
        }
    }
}
