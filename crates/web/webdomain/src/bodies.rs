//! Entries of the trace about bodies: those that tasks get from clients and servers, and those that they send.

use kernel::task::Task;

/// The component.
const COMPONENT: &str = "WB";
/// The other end of a body that goes to a server or comes from one; else it is the TCPIPSERVICE.
pub(crate) const SERVER: &[u8] = b"CLIENT";

/// A body has come from a client, through a service, or from a server.
pub(crate) fn received(task: &Task, from: &[u8], body: &[u8]) {
    task.traces_detail(COMPONENT, ("RECEIVE", from, body.len() as u64), String::new);
    task.traces_data(COMPONENT, ("RECEIVED", from), body);
}

/// A body goes there.
pub(crate) fn sent(task: &Task, to: &[u8], body: &[u8]) {
    task.traces_detail(COMPONENT, ("SEND", to, body.len() as u64), String::new);
    task.traces_data(COMPONENT, ("SENT", to), body);
}
