//! EXEC SQL of batch over the region's own tables: these are where the data are opened, so the caller carries a statement there.

use std::sync::Arc;

use areas::AccessError;
use db2::call::{Descriptor, IN_FRONT, LENGTH, SYMBOL};
use db2::package::{Action, Package};
use sql::codes::Sqlca;

use crate::arguments::{CallArguments, Called};
use crate::outside::Outside;

/// A statement of a program.
pub struct OwnCall {
    /// The program's statements.
    pub package: Arc<Package>,
    /// Its number there, from 1.
    pub number: u16,
    /// The parameters behind descriptor and SQLCA.
    pub parameters: Vec<Vec<u8>>,
    /// It ends the unit of work.
    pub end: Option<OwnEnd>,
}

/// An end of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnEnd {
    /// COMMIT.
    Commit,
    /// ROLLBACK.
    Rollback,
}

impl Outside {
    /// The statement of a CALL that is one over the region's own tables; `None`: it is another's.
    ///
    /// # Errors
    /// The program's parameters are not its own.
    pub fn own_call(&self, name: &str, call: &dyn CallArguments) -> Result<Option<OwnCall>, AccessError> {
        if name != SYMBOL || !self.has_own_tables() {
            return Ok(None);
        }
        let called = Called(call);
        let mut bytes = [0; LENGTH];
        called.read(0, 0, &mut bytes)?;
        let Some(descriptor) = Descriptor::new(&bytes) else { return Err(AccessError::NotNumeric) };
        let Some(package) = self.package(descriptor.token) else { return Ok(None) };
        if self.is_elsewhere(&package.program) {
            return Ok(None);
        }
        let end = match package.statement(descriptor.statement).map(|statement| &statement.action) {
            Some(Action::Commit) => Some(OwnEnd::Commit),
            Some(Action::Rollback) => Some(OwnEnd::Rollback),
            _ => None,
        };
        let parameters = (IN_FRONT..called.arg_count()).map(|number| called.bytes(number));
        let parameters = parameters.collect::<Result<_, AccessError>>()?;
        Ok(Some(OwnCall { package, number: descriptor.statement, parameters, end }))
    }
}

/// Writes what a statement came to: the SQLCA, and the parts of its parameters. False: they are not the program's.
pub fn came_to(call: &dyn CallArguments, sqlca: &[u8], written: &[(u16, u32, Vec<u8>)]) -> bool {
    let all = written.iter().all(|(argument, offset, bytes)| {
        call.write(usize::from(*argument) + IN_FRONT, *offset as usize, bytes)
    });
    all && call.write(1, 0, sqlca)
}

/// The SQLCA of a statement that is done.
pub fn done() -> Vec<u8> {
    Sqlca::default().bytes().to_vec()
}

/// The SQLCA of a statement that nothing has answered.
pub fn unanswered(why: &str) -> Vec<u8> {
    Sqlca::error(-923, b"57015").token(why).bytes().to_vec()
}
