//! The shared state of the tasks of one thread.

use std::cell::RefCell;
use std::rc::Rc;

use sql::codes::Sqlca;
use sql::{Address, Failure, Readers, Session, Settings, Unit};

use crate::statements::Statements;

/// Sessions and statements of one thread. Its sessions run on this thread alone.
pub struct Tcb {
    address: Address,
    pub(crate) settings: Settings,
    /// Sessions for statements that leave nothing.
    pub(crate) readers: Readers,
    /// Sessions that no task has.
    free: RefCell<Vec<Unit>>,
    pub(crate) statements: RefCell<Statements>,
}

/// Sessions that are kept though no task has them.
const FREE_MAX: usize = 8;

impl Tcb {
    /// Makes the state for a server; it connects only when a task wants it.
    pub fn new(address: Address, settings: Settings) -> Rc<Self> {
        Rc::new(Self {
            readers: Readers::new(address.clone(), settings.clone()),
            address,
            settings,
            free: RefCell::default(),
            statements: RefCell::default(),
        })
    }

    /// A session for one task.
    pub(crate) async fn session(&self) -> Result<Unit, Failure> {
        while let Some(mut unit) = self.free() {
            unit.is_handed_over();
            // The server may have gone and come back since.
            if unit.session().is_quiet() {
                return Ok(unit);
            }
        }
        let connected = Session::connect(&self.address, &self.settings).await;
        let mut unit = Unit::new(connected.map_err(|why| Sqlca::of_no_session(&why))?);
        unit.identify().await?;
        Ok(unit)
    }

    /// A session that no task has.
    fn free(&self) -> Option<Unit> {
        self.free.borrow_mut().pop()
    }

    /// Takes a session back that has no unit of work.
    pub(crate) fn release(&self, mut unit: Unit) {
        let is_usable = unit.session().lost().is_none() && !unit.session().is_busy() && !unit.is_open();
        let mut free = self.free.borrow_mut();
        if is_usable && free.len() < FREE_MAX {
            free.push(unit);
        }
    }
}
