//! Imports of a bundle: resources that must be there, or better were, when it is enabled.

use std::sync::Arc;

use bundle_source::{Manifest, Need, Part, PartClass};
use csd::ResourceType;
use kernel::catalog;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::security::User;
use operation::definitions::{ABSENT, Absent};

/// Returns true if the region has what a part names.
pub(crate) fn is_there(region: &Arc<Region>, part: &Part) -> bool {
    if let Some(kind) = catalog::kind(&part.kind) {
        let by = Manager::new(region, &User::region());
        return kind.table.tell(&by, part.name.as_bytes()).is_some();
    }
    let is_needless = |absent: &Absent| matches!(absent, Absent::Harmless(_) | Absent::Needless);
    ResourceType::named(&part.kind)
        .is_some_and(|of| ABSENT.iter().any(|(absent, how)| *absent == of && is_needless(how)))
}

/// The imports of a need that are missing, in words.
pub(crate) fn missing(region: &Arc<Region>, manifest: &Manifest, need: Need) -> Vec<String> {
    let imports = manifest.parts.iter().filter(|part| part.class == PartClass::Import && part.need == need);
    let missing = imports.filter(|part| !is_there(region, part));
    missing.map(|part| format!("{} {}", part.kind, part.name)).collect()
}
