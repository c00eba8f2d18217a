//! The packages of the region's programs, by the tokens that stand in their calls.

use std::collections::VecDeque;
use std::sync::Arc;

use db2::package::Package;
use foldhash::HashMap;
use parking_lot::RwLock;

use crate::limits::PACKAGES_MAX;

/// What modules have brought. A program that runs keeps its own, whatever comes later.
#[derive(Default)]
pub struct Packages(RwLock<Table>);

#[derive(Default)]
struct Table {
    packages: HashMap<u64, Arc<Package>>,
    /// Their tokens, the oldest first.
    order: VecDeque<u64>,
}

impl Packages {
    /// Remembers a package of a module that is about to be loaded.
    pub fn add(&self, package: &Arc<Package>) {
        let (token, mut table) = (package.token(), self.0.write());
        if table.packages.insert(token, Arc::clone(package)).is_some() {
            return;
        }
        table.order.push_back(token);
        if table.order.len() > PACKAGES_MAX
            && let Some(oldest) = table.order.pop_front()
        {
            table.packages.remove(&oldest);
        }
    }

    /// The package of a token.
    pub(crate) fn get(&self, token: u64) -> Option<Arc<Package>> {
        self.0.read().packages.get(&token).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_found_by_its_token() {
        let packages = Packages::default();
        let package = Arc::new(Package { program: "BANK".into(), ..Package::default() });
        packages.add(&package);
        packages.add(&package);
        assert_eq!(packages.get(package.token()).map(|found| found.program.clone()), Some("BANK".into()));
        assert!(packages.get(0).is_none());
        assert_eq!(packages.0.read().order.len(), 1);
    }
}
