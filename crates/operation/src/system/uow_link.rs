//! INQUIRE UOWLINK, SET UOWLINK: the tie of a unit of work to a participant that has not heard how it ended.

use std::hash::{DefaultHasher, Hash, Hasher};

use coordinator::UnitName;
use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler, Waiting};
use kernel::raise::{Raise, RaiseCondition};
use kernel::recovery::{Identity, UnitId};
use kernel::registry::{Key, Manager, Resource, Set, Setting, Takes};
use kernel::task::WaitKind;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_UOWLINK, Handler::Now(|task, call| LINKS.inquire(task, call))),
    (cmd::SET_UOWLINK, Handler::Waits(|task, call| Box::pin(LINKS.set(task, call)))),
];

/// Letters of a participant's name as programs have it.
const LINK_LETTERS: usize = 8;
/// RESP2 of UOWNOTFOUND: no such link.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: no such action, or it cannot be done.
const NO_ACTION: i32 = 2;

/// A participant that waits for the decision of a unit of work.
pub(super) struct Link {
    unit: UnitName,
    number: UnitId,
    participant: String,
}

pub(super) static LINKS: Resource<Link> = Resource {
    name: opt::UOWLINK,
    key: Key::Name,
    names: |by| links(by).iter().map(|link| link.identifier().to_vec()).collect(),
    find: |by, name| links(by).into_iter().find(|link| link.identifier() == name),
    missing: Raise::Condition(cond::UOWNOTFOUND, NOT_FOUND),
    rows: &[
        (opt::LINK, |_, link| Value::padded(&link.participant, LINK_LETTERS)),
        (opt::RESYNCSTATUS, |_, _| Value::Cvda("UNAVAILABLE")),
        (opt::ROLE, |_, _| Value::Cvda("SUBORDINATE")),
        (opt::TYPE, |_, _| Value::Cvda("RMI")),
        (opt::UOW, |_, link| Value::text(link.number.to_bytes())),
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
        (&self.unit, &self.participant).hash(&mut hasher);
        (hasher.finish() as u32).to_be_bytes()
    }
}

/// All links, by unit of work and participant.
fn links(by: &Manager) -> Vec<Link> {
    let decided = by.region.coordinator.decided();
    let links = decided.into_iter().flat_map(|decided| {
        let number = Identity::from_name(&decided.note)
            .map_or_else(|| UnitId::of_name(decided.unit.as_bytes()), |who| who.unit);
        let unit = decided.unit;
        decided.waiting.into_iter().map(move |participant| Link { unit: unit.clone(), number, participant })
    });
    links.collect()
}

/// An operator gives a participant up.
fn delete<'a>(by: &'a Manager, link: &'a Link) -> Waiting<'a> {
    Box::pin(async move {
        let given_up = by.region.coordinator.give_up(&link.unit, &link.participant);
        match by.control().wait_through(WaitKind::LOG, given_up).await {
            Ok(true) => {
                let (number, participant, user) = (link.number, &link.participant, by.user().id);
                tracing::warn!(target: "RM", "unit of work {number}: {user} gave {participant} up, which never hears that it was committed");
                Ok(())
            }
            Ok(false) => Err(LINKS.missing),
            Err(error) => {
                tracing::error!(target: "RM", "unit of work {}: {} cannot be given up: {error}", link.number, link.participant);
                Err(cond::INVREQ.raise(NO_ACTION))
            }
        }
    })
}
