//! Statements of a program that are not built over the region's tables: found when its first statement runs, not one by one.

use std::sync::Arc;

use db2::package::{Action, Package, Spot, Statement as Source};

use super::codes::Trouble;
use super::define::locked;
use super::execute::name_of;
use super::plans;
use super::tables::OwnTables;

/// The code of a statement that is not built.
const NOT_BUILT: i32 = -199;
/// Packages that are remembered as looked at; when so many are there, all are forgotten.
const LOOKED_AT_MAX: usize = 10_000;

impl OwnTables {
    /// The statements of a package that are refused as not built, each with its place. A package that was looked at before has no more.
    pub fn doubts(self: &Arc<Self>, token: u64, package: &Package) -> Vec<(Spot, String)> {
        {
            let mut looked_at = self.looked_at.lock();
            if looked_at.len() >= LOOKED_AT_MAX {
                looked_at.clear();
            }
            if !looked_at.insert(token) {
                return Vec::new();
            }
        }
        let statements = package.statements.iter();
        statements.filter_map(|source| Some((source.at, self.doubt(package, source)?))).collect()
    }

    /// The reason why a statement is refused as not built.
    fn doubt(&self, package: &Package, source: &Source) -> Option<String> {
        let text = match &source.action {
            Action::Row | Action::Change(_) | Action::ChangeRows { .. } | Action::Positioned { .. } => {
                &source.text
            }
            Action::Open { cursor, .. } => match package.cursor(*cursor) {
                Some(declared) if declared.prepared.is_none() => &declared.query,
                _ => return None,
            },
            Action::Lock if locked(&source.text).is_none() => {
                return Some(String::from("these words of LOCK TABLE"));
            }
            action => return name_of(action).map(str::to_owned),
        };
        let names = self.names(&self.tables.catalogue());
        match plans::read(text, source, package.arithmetic, &names) {
            Err(Trouble::Code(sqlca)) if sqlca.code == NOT_BUILT => Some(sqlca.tokens.join(" ")),
            _ => None,
        }
    }
}
