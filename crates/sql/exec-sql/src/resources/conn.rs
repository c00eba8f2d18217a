//! The words of a DB2CONN, and the threads that it limits.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use csd::{Definition, ResourceType};

use super::attributes::Attributes;
use super::{NOT_CREATED, NoThread, Pool};
use crate::limits::THREADS;

/// A DB2CONN definition.
pub(crate) struct Db2conn {
    /// Its name.
    pub(crate) name: String,
    pub(crate) attributes: Attributes,
    /// THREADLIMIT: threads of transactions without an entry.
    pub(crate) pool: Arc<Pool>,
    /// TCBLIMIT: all threads.
    pub(crate) tcbs: Arc<Pool>,
    /// Statements of transactions without an entry.
    pub(crate) calls: AtomicU64,
    /// No definition has made it.
    pub(crate) is_supplied: bool,
}

/// The name of the connection that a region has without a definition of one.
const SUPPLIED: &str = "DFHDB2";

impl Db2conn {
    /// That of a definition.
    pub(crate) fn of(definition: &Definition) -> Arc<Self> {
        let attributes = Attributes::of(definition);
        let (pool, tcbs) =
            (Pool::new(attributes.number("THREADLIMIT")), Pool::new(attributes.number("TCBLIMIT")));
        let (name, calls) = (definition.name.clone(), AtomicU64::new(0));
        Arc::new(Self { name, attributes, pool, tcbs, calls, is_supplied: false })
    }

    /// The connection of a region that has no definition of one: with the published defaults, but with more threads, and without
    /// queues for its messages.
    pub(crate) fn supplied() -> Arc<Self> {
        let attributes = Attributes::defaults(ResourceType::Db2conn);
        for limit in ["THREADLIMIT", "TCBLIMIT"] {
            attributes.set(limit, THREADS.to_string());
        }
        for queue in ["MSGQUEUE1", "MSGQUEUE2", "MSGQUEUE3", "STATSQUEUE"] {
            attributes.set(queue, "");
        }
        let (pool, tcbs, calls) = (Pool::new(THREADS), Pool::new(THREADS), AtomicU64::new(0));
        Arc::new(Self { name: SUPPLIED.to_owned(), attributes, pool, tcbs, calls, is_supplied: true })
    }

    /// Result of a statement that gets no thread (THREADERROR).
    pub(crate) fn no_thread(&self) -> NoThread {
        match self.attributes.get("THREADERROR").as_str() {
            "ABEND" => NoThread::Abend(NOT_CREATED),
            "N906D" => NoThread::DumpAndCode,
            _ => NoThread::Code,
        }
    }
}
