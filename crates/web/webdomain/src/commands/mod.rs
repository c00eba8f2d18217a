//! The WEB commands, and EXTRACT TCPIP and CERTIFICATE.

mod client;
mod extract;
mod fields;
mod headers;
mod receive;
mod send;

use std::sync::Arc;

use kernel::exec::Answers;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use spec::cond;

use crate::exchange::Exchange;
use crate::{resp2, tcpip, tcpip_service, uri, virtual_host};

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[
    client::HANDLERS,
    extract::HANDLERS,
    fields::HANDLERS,
    headers::HANDLERS,
    send::HANDLERS,
    tcpip_service::HANDLERS,
    uri::HANDLERS,
    virtual_host::HANDLERS,
    tcpip::HANDLERS,
];

/// The request of HTTP that a task works for.
///
/// # Errors
/// INVREQ: it works for none, or for bytes that are no HTTP.
fn http_exchange(task: &Task) -> Outcome<Arc<Exchange>> {
    let exchange = exchange(task)?;
    if exchange.is_http() { Ok(exchange) } else { Err(cond::INVREQ.raise(resp2::NO_HTTP)) }
}

/// The request that a task works for, of whatever protocol.
///
/// # Errors
/// INVREQ: it works for none.
fn exchange(task: &Task) -> Outcome<Arc<Exchange>> {
    Exchange::of(task).ok_or_else(|| cond::INVREQ.raise(resp2::NO_REQUEST))
}
