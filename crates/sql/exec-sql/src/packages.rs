//! The packages of the region's programs, by the tokens that stand in their calls.

use std::collections::VecDeque;
use std::sync::Arc;

use db2::call::Descriptor;
use db2::package::{Isolation, Package};
use foldhash::HashMap;
use parking_lot::RwLock;
use sql::codes::Sqlca;

use crate::limits::PACKAGES_MAX;
use crate::patterns;

/// Packages of the modules. A program that runs keeps its own, whatever comes later.
#[derive(Default)]
pub struct Packages(RwLock<Table>);

#[derive(Default)]
struct Table {
    packages: HashMap<u64, Arc<Package>>,
    /// Their tokens, the oldest first.
    order: VecDeque<u64>,
    /// ISOLATION of programs, by patterns of their names.
    isolations: Vec<(String, Isolation)>,
}

impl Packages {
    /// Remembers how packages are bound: those that are there already, and those that come.
    pub(crate) fn bind(&self, isolations: Vec<(String, Isolation)>) {
        let table = &mut *self.0.write();
        table.isolations = isolations;
        for package in table.packages.values_mut() {
            *package = bound(package, &table.isolations);
        }
    }

    /// Remembers a package of a module that is about to be loaded.
    pub fn add(&self, package: &Arc<Package>) {
        let (token, mut table) = (package.token(), self.0.write());
        let package = bound(package, &table.isolations);
        if table.packages.insert(token, package).is_some() {
            return;
        }
        table.order.push_back(token);
        if table.order.len() > PACKAGES_MAX
            && let Some(oldest) = table.order.pop_front()
        {
            table.packages.remove(&oldest);
        }
    }

    /// Returns the isolation that the package of a program is bound with.
    pub(crate) fn isolation(&self, program: &str) -> Isolation {
        let table = self.0.read();
        let found = table.isolations.iter().rfind(|(pattern, _)| patterns::fits(pattern, program));
        found.map_or(Isolation::CursorStability, |(_, isolation)| *isolation)
    }

    /// The package of a token.
    pub(crate) fn get(&self, token: u64) -> Option<Arc<Package>> {
        self.0.read().packages.get(&token).cloned()
    }
}

/// A package whose statements have its isolation, unless they say another one. Cursor stability is what they have anyway.
fn bound(package: &Arc<Package>, isolations: &[(String, Isolation)]) -> Arc<Package> {
    let found = isolations.iter().rfind(|(pattern, _)| patterns::fits(pattern, &package.program));
    let Some((_, isolation)) = found.filter(|(_, isolation)| *isolation != Isolation::CursorStability) else {
        return Arc::clone(package);
    };
    let mut bound = (**package).clone();
    for statement in &mut bound.statements {
        statement.isolation.get_or_insert(*isolation);
    }
    Arc::new(bound)
}

/// The SQLCA of a program whose package is not among those of the region's modules.
pub(crate) fn no_package(descriptor: Descriptor) -> Sqlca {
    Sqlca::error(-805, b"51002").token(format!("{:016X}", descriptor.token))
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

    #[test]
    fn statements_of_a_bound_package_have_its_isolation() {
        use Isolation::{CursorStability, ReadStability, RepeatableRead};
        let statement = |isolation| db2::package::Statement {
            action: db2::package::Action::Row,
            sql: db2::package::Text::default(),
            inputs: Vec::new(),
            targets: Vec::new(),
            isolation,
            has_effects: false,
            at: db2::package::Spot::default(),
            text: String::new(),
        };
        let statements = vec![statement(None), statement(Some(CursorStability))];
        let package = Arc::new(Package { program: "PAYUP".into(), statements, ..Package::default() });
        let early = Packages::default();
        early.add(&package);
        early.bind(vec![("PAY*".into(), RepeatableRead), ("PAYUP".into(), ReadStability)]);
        let late = Packages::default();
        late.bind(vec![("PAYUP".into(), CursorStability), ("P+YUP".into(), ReadStability)]);
        late.add(&package);
        for packages in [early, late] {
            let found = packages.get(package.token()).expect("by its own token");
            let isolations: Vec<_> = found.statements.iter().map(|statement| statement.isolation).collect();
            assert_eq!(isolations, [Some(ReadStability), Some(CursorStability)]);
        }
    }
}
