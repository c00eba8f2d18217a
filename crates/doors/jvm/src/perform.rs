//! PERFORM JVMSERVER.

use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use crate::server::{JvmServers, Order, Status};

/// RESP2. Recalled, not read.
const NOT_FOUND: i32 = 1;
const NOT_ENABLED: i32 = 2;
const NO_ACTION: i32 = 3;

/// PERFORM JVMSERVER.
pub(crate) const HANDLERS: Answers = &[(cmd::PERFORM_JVMSERVER, Handler::Now(perform))];

/// JVM DUMP: the threads go to the JVM's output, the heap into a file. Both take time: the log says when they are there.
fn perform(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name8 = call.need_name(opt::JVMSERVER)?;
    let server = JvmServers::of(&task.region).get(name).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?;
    if !call.keyword(opt::JVM) || !call.keyword(opt::DUMP) {
        return Err(cond::INVREQ.raise(NO_ACTION));
    }
    if server.status() != Status::Enabled {
        return Err(cond::INVREQ.raise(NOT_ENABLED));
    }
    let chosen = [opt::JAVACORE, opt::HEAP].map(|option| call.keyword(option));
    let all = call.keyword(opt::ALL) || chosen == [false, false];
    server.order(Order::Dump { threads: all || chosen[0], heap: all || chosen[1] });
    Ok(())
}
