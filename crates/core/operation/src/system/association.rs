//! INQUIRE ASSOCIATION: the user, the client and the start of a task.
//!
//! Options without a prefix are the task's own. OD… is its point of origin, PT… the task of this region that has started
//! it, PH… the task of another region that has asked for it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::task::NOT_FOUND;
use kernel::clock::Moment;
use kernel::dispatcher::Dispatcher;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::registry::{Key, Resource, Row, digits, number};
use kernel::task::{Hop, TaskControl};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_ASSOCIATION, Handler::Now(|task, call| TASKS.inquire(task, call)))];

pub(super) static TASKS: Resource<Arc<TaskControl>> = Resource {
    name: opt::ASSOCIATION,
    key: Key::Number,
    names: |by| Dispatcher::of(&by.region).tasks().iter().map(|t| digits(t.number)).collect(),
    find: |by, name| number(name).and_then(|number| Dispatcher::of(&by.region).task(number)),
    missing: Raise::Condition(cond::TASKIDERR, NOT_FOUND),
    rows: ROWS,
    settings: &[],
};

const ROWS: &[Row<Arc<TaskControl>>] = &[
    (opt::APPLID, |by, _| Value::text(by.region.options.applid)),
    (opt::CLIENTIPADDR, |_, t| address(t.facility.client())),
    (opt::CLIENTPORT, |_, t| port(t.facility.client())),
    (opt::CLNTIPFAMILY, |_, t| family(t.facility.client())),
    (opt::FACILNAME, |_, t| Value::text(t.starter_name())),
    (opt::FACILTYPE, |_, t| Value::Cvda(t.started_by().name())),
    (opt::INITUSERID, |_, t| Value::text(t.user.id)),
    (opt::IPFAMILY, |_, t| family(t.facility.client())),
    (opt::LUNAME, |_, t| Value::text(t.facility.netname())),
    (opt::NETID, |_, _| Value::text(Name8::BLANK)),
    (opt::ODAPPLID, |by, t| Value::text(t.first().applid.unwrap_or(by.region.options.applid))),
    (opt::ODCLNTIPADDR, |_, t| address(t.first().client)),
    (opt::ODCLNTPORT, |_, t| port(t.first().client)),
    (opt::ODFACILNAME, |_, t| Value::text(t.first().facility)),
    (opt::ODFACILTYPE, |_, t| Value::Cvda(t.first().started_by.name())),
    (opt::ODIPFAMILY, |_, t| family(t.first().client)),
    (opt::ODLUNAME, |_, t| Value::text(t.first().netname)),
    (opt::ODNETID, |_, _| Value::text(Name8::BLANK)),
    (opt::ODNETWORKID, |_, _| Value::text(Name8::BLANK)),
    (opt::ODSERVERPORT, |_, t| port(t.first().server)),
    (opt::ODSTARTTIME, |_, t| time(Some(t.first().hop.attached))),
    (opt::ODTASKID, |_, t| Value::Number(t.first().hop.number.into())),
    (opt::ODTRANSID, |_, t| Value::text(t.first().hop.transaction)),
    (opt::ODUSERID, |_, t| Value::text(t.first().user)),
    (opt::PHAPPLID, |_, t| {
        Value::text(t.origin.previous_hop().map(|beyond| beyond.applid).unwrap_or_default())
    }),
    (opt::PHCOUNT, |_, t| Value::Number(t.origin.hops().into())),
    (opt::PHNETWORKID, |_, _| Value::text(Name8::BLANK)),
    (opt::PHSTARTTIME, |_, t| time(hop(t).map(|hop| hop.attached))),
    (opt::PHTASKID, |_, t| Value::Number(hop(t).map_or(0, |hop| hop.number).into())),
    (opt::PHTRANSID, |_, t| Value::text(hop(t).map(|hop| hop.transaction).unwrap_or_default())),
    (opt::PROGRAM, |_, t| Value::text(t.transaction.program)),
    (opt::PTCOUNT, |_, t| Value::Number(t.origin.depth().into())),
    (opt::PTSTARTTIME, |_, t| time(t.origin.previous().map(|hop| hop.attached))),
    (opt::PTTASKID, |_, t| Value::Number(t.origin.previous().map_or(0, |hop| hop.number).into())),
    (opt::PTTRANSID, |_, t| Value::text(t.origin.previous().map(|hop| hop.transaction).unwrap_or_default())),
    (opt::SERVERIPADDR, |_, t| address(t.facility.server())),
    (opt::SERVERPORT, |_, t| port(t.facility.server())),
    (opt::SRVRIPFAMILY, |_, t| family(t.facility.server())),
    (opt::STARTTIME, |_, t| time(Some(t.attached))),
    (opt::TRANSACTION, |_, t| Value::text(t.transaction.name)),
    (opt::USERID, |_, t| Value::text(t.user.id)),
];

/// The task of another region that has asked for one.
fn hop(task: &TaskControl) -> Option<&Hop> {
    task.origin.previous_hop().map(|beyond| &beyond.hop)
}

/// Characters of an address.
const ADDRESS_LENGTH: usize = 39;
/// The address of no client, as published.
const NO_ADDRESS: &str = "0.0.0.0";
/// Characters of a time: yyyymmddhhmmss.ssssss.
const TIME_LENGTH: usize = 21;

fn ip(address: Option<SocketAddr>) -> Option<IpAddr> {
    address.map(|address| address.ip().to_canonical())
}

fn address(address: Option<SocketAddr>) -> Value {
    Value::padded(&ip(address).map_or(NO_ADDRESS.to_owned(), |ip| ip.to_string()), ADDRESS_LENGTH)
}

fn port(address: Option<SocketAddr>) -> Value {
    Value::Number(address.map_or(0, |address| address.port()).into())
}

fn family(address: Option<SocketAddr>) -> Value {
    Value::Cvda(match ip(address) {
        None => "NOTAPPLIC",
        Some(IpAddr::V4(_)) => "IPV4",
        Some(IpAddr::V6(_)) => "IPV6",
    })
}

/// A time of the region's zone; blank if there is none.
fn time(moment: Option<Moment>) -> Value {
    let text = moment.map(|moment| moment.stamp().local().strftime("%Y%m%d%H%M%S.%6f").to_string());
    Value::padded(&text.unwrap_or_default(), TIME_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_s_address_is_shown_in_its_own_family() {
        let shown = |text: &str| {
            let at: Option<SocketAddr> = text.parse().ok();
            let Value::Text(bytes) = address(at) else { panic!("an address is characters") };
            (String::from_utf8_lossy(&bytes).trim_end().to_owned(), family(at), port(at))
        };
        for (client, ip, family, port) in [
            ("10.0.0.7:4000", "10.0.0.7", "IPV4", 4000),
            ("[::ffff:10.0.0.7]:4000", "10.0.0.7", "IPV4", 4000),
            ("[fe80::1]:23", "fe80::1", "IPV6", 23),
            ("none", "0.0.0.0", "NOTAPPLIC", 0),
        ] {
            assert_eq!(shown(client), (ip.to_owned(), Value::Cvda(family), Value::Number(port)));
        }
    }

    #[test]
    fn a_time_has_21_characters() {
        let moment = Moment { unix_ms: 793_556_245_250, offset_s: -3_600 };
        assert_eq!(time(Some(moment)), Value::text("19950223151725.250000"));
        assert_eq!(time(None), Value::text(" ".repeat(TIME_LENGTH)));
    }
}
