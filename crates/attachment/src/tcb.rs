//! What the tasks of one thread share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use sql::codes::Sqlca;
use sql::{Address, Failure, Reader, Session, Settings, Unit};
use tokio::sync::Mutex as Turns;
use tokio::task::spawn_local;

use crate::statements::Statements;

/// Sessions and statements of one thread. Its sessions run on this thread alone.
pub struct Tcb {
    address: Address,
    pub(crate) settings: Settings,
    reader: RefCell<Option<Reader>>,
    connecting: Connecting,
    /// Sessions that no task has.
    free: RefCell<Vec<Unit>>,
    pub(crate) statements: RefCell<Statements>,
}

/// How the shared reading session is opened: by one task, for which the others wait.
#[derive(Default)]
struct Connecting {
    turn: Turns<()>,
    /// Attempts that have ended.
    attempts: Cell<u64>,
    /// Why the last one has failed, if it has.
    failed: RefCell<Option<Sqlca>>,
}

/// Sessions that are kept though no task has them.
const FREE_MAX: usize = 8;

impl Tcb {
    /// Of a server; it is spoken to only when a task wants it.
    pub fn new(address: Address, settings: Settings) -> Rc<Self> {
        Rc::new(Self {
            address,
            settings,
            reader: RefCell::default(),
            connecting: Connecting::default(),
            free: RefCell::default(),
            statements: RefCell::default(),
        })
    }

    /// The shared reading session, opened once more if it was lost. Called on a thread that runs local futures.
    pub(crate) async fn reader(&self) -> Result<Reader, Failure> {
        if let Some(reader) = self.open_reader() {
            return Ok(reader);
        }
        let Connecting { turn, attempts, failed } = &self.connecting;
        let before = attempts.get();
        let _turn = turn.lock().await;
        if let Some(reader) = self.open_reader() {
            return Ok(reader);
        }
        // Whoever has waited for an attempt does not wait for one more.
        if attempts.get() != before
            && let Some(why) = failed.borrow().clone()
        {
            return Err(why.into());
        }
        let connected = Reader::connect(&self.address, &self.settings).await;
        attempts.set(attempts.get() + 1);
        let connected = connected.map_err(|why| Sqlca::of_no_session(&why));
        *failed.borrow_mut() = connected.as_ref().err().cloned();
        let (reader, driver) = connected?;
        drop(spawn_local(driver));
        *self.reader.borrow_mut() = Some(reader.clone());
        Ok(reader)
    }

    /// The shared reading session, if there is one that is not lost.
    fn open_reader(&self) -> Option<Reader> {
        self.reader.borrow().as_ref().filter(|reader| reader.lost().is_none()).cloned()
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
