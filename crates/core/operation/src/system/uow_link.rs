//! INQUIRE UOWLINK, SET UOWLINK: the tie of a unit of work to a participant that has not heard how it ended, or to the region that
//! has not said so.

use std::hash::{DefaultHasher, Hash, Hasher};

use coordinator::UnitName;
use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler, OtherSystem, Shipper, Waiting};
use kernel::name::{Name, Name8};
use kernel::raise::{Raise, RaiseCondition};
use kernel::recovery::{Identity, NetworkName, UnitId};
use kernel::registry::{Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::WaitKind;

use super::uow::units;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_UOWLINK, Handler::Now(|task, call| LINKS.inquire(task, call))),
    (cmd::SET_UOWLINK, Handler::Waits(|task, call| Box::pin(LINKS.set(task, call)))),
];

/// Letters of a participant's name as programs have it, of the qualifier of its exit, of a host, and of names of other products'
/// units of work.
const LINK_LETTERS: usize = 8;
const QUALIFIER_LETTERS: usize = 8;
const HOST_LETTERS: usize = 255;
const BRANCH_LETTERS: usize = 64;
const CONTEXT_LETTERS: usize = 32;
/// RESP2 of UOWLNOTFOUND: no such link.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: no such action, or it cannot be done.
const NO_ACTION: i32 = 2;

/// A participant that waits for the decision of a unit of work, or the region that decides about one.
pub(super) struct Link {
    unit: UnitName,
    number: UnitId,
    network_name: NetworkName,
    other: String,
    /// The other one decides.
    coordinates: bool,
    system: Option<OtherSystem>,
}

pub(super) static LINKS: Resource<Link> = Resource {
    name: opt::UOWLINK,
    key: Key::Name,
    names: |by| links(by).iter().map(|link| link.identifier().to_vec()).collect(),
    find: |by, name| links(by).into_iter().find(|link| link.identifier() == name),
    missing: Raise::Condition(cond::UOWLNOTFOUND, NOT_FOUND),
    rows: &[
        // Units of work of other products, of which there are none.
        (opt::BRANCHQUAL, |_, _| Value::padded("", BRANCH_LETTERS)),
        (opt::HOST, |_, link| Value::padded(link.address().map_or("", |(host, _)| host), HOST_LETTERS)),
        (opt::LINK, |_, link| Value::padded(&link.other, LINK_LETTERS)),
        (opt::NETUOWID, |_, link| Value::text(link.network_name.as_bytes())),
        (opt::PORT, |_, link| Value::Number(link.address().map_or(0, |(_, port)| port.into()))),
        (opt::PROTOCOL, |_, link| Value::either(link.kind() == "CONNECTION", "IRC", "NOTAPPLIC")),
        (opt::RESYNCSTATUS, |_, link| {
            let is_linked = link.system.as_ref().is_some_and(|system| system.is_linked);
            Value::either(is_linked, "OK", "UNAVAILABLE")
        }),
        (opt::RMIQFY, |_, _| Value::padded("", QUALIFIER_LETTERS)),
        (opt::ROLE, |_, link| Value::either(link.coordinates, "COORDINATOR", "SUBORDINATE")),
        (opt::SYSID, |_, link| Value::text(link.system.as_ref().map_or(Name::BLANK, |system| system.name))),
        (opt::TYPE, |_, link| Value::Cvda(link.kind())),
        (opt::UOW, |_, link| Value::text(link.number.to_bytes())),
        (opt::URID, |_, _| Value::padded("", CONTEXT_LETTERS)),
        (opt::XID, |_, _| Value::padded("", BRANCH_LETTERS)),
    ],
    settings: &[Setting {
        option: opt::ACTION,
        takes: Takes::OneOf(&[("DELETE", opt::DELETE)]),
        resp2: NO_ACTION,
        set: Set::Waits(|by, link, _| delete(by, link)),
    }],
};

impl Link {
    /// Four bytes that mean the same link as long as it is there.
    fn identifier(&self) -> [u8; 4] {
        let mut hasher = DefaultHasher::new();
        (&self.unit, &self.other).hash(&mut hasher);
        (hasher.finish() as u32).to_be_bytes()
    }

    /// The CVDA of its type.
    fn kind(&self) -> &'static str {
        match &self.system {
            Some(OtherSystem { address: Some(_), .. }) => "IPCONN",
            Some(_) => "CONNECTION",
            // A region to which no definition leads any more.
            None if self.coordinates => "CONNECTION",
            None => "RMI",
        }
    }

    fn address(&self) -> Option<(&str, u16)> {
        self.system.as_ref()?.address.as_ref().map(|(host, port)| (host.as_str(), *port))
    }
}

/// All links: to participants, by unit of work; then to coordinators.
fn links(by: &Manager) -> Vec<Link> {
    let own = by.region.options.applid;
    let mut links = Vec::new();
    for decided in by.region.coordinator.decided() {
        let who = Identity::from_name(&decided.note);
        let number = who.as_ref().map_or_else(|| UnitId::of_name(decided.unit.as_bytes()), |who| who.unit);
        let network_name =
            who.map_or_else(|| NetworkName::new(own, number), |who| who.network_name(&by.region));
        links.extend(decided.waiting.into_iter().map(|other| {
            let system = Shipper::system_of(&by.region, Name8::from(other.as_str()));
            Link { unit: decided.unit.clone(), number, network_name, other, coordinates: false, system }
        }));
    }
    for (number, unit) in units(by) {
        let Some(applid) = unit.waits_for() else { continue };
        links.push(Link {
            unit: UnitName::new(&number.to_bytes()),
            number,
            network_name: unit.network_name(by),
            other: applid.to_string(),
            coordinates: true,
            system: unit.system(by),
        });
    }
    links
}

/// An operator gives a participant up.
fn delete<'a>(by: &'a Manager, link: &'a Link) -> Waiting<'a> {
    Box::pin(async move {
        if link.coordinates {
            return Err(cond::INVREQ.raise(NO_ACTION));
        }
        let given_up = by.region.coordinator.give_up(&link.unit, &link.other);
        match by.control().wait_through(WaitKind::LOG, given_up).await {
            Ok(true) => {
                let (number, participant, user) = (link.number, &link.other, by.user().id);
                tracing::warn!(target: "RM", "unit of work {number}: {user} gave {participant} up, which never hears that it was committed");
                Ok(())
            }
            Ok(false) => Err(LINKS.missing),
            Err(error) => {
                tracing::error!(target: "RM", "unit of work {}: {} cannot be given up: {error}", link.number, link.other);
                Err(cond::INVREQ.raise(NO_ACTION))
            }
        }
    })
}
