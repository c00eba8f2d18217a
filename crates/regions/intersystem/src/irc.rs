//! IRC: links to the regions of this machine, all together.

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::{Raise, RaiseCondition};
use kernel::registry::{Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use crate::systems::{Order, Systems};

/// RESP2 of INVREQ of SET: the status; IRC cannot be opened. Recalled, not read.
const VALUE: i32 = 1;
const NOT_OPENED: i32 = 4;
/// Characters of XCFGROUP.
const GROUP: usize = 8;

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_IRC, Handler::Now(|task, call| IRC.inquire(task, call))),
    (cmd::SET_IRC, Handler::Waits(|task, call| Box::pin(IRC.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind =
    Kind { name: "IRC", table: &IRC, inquire: cmd::INQUIRE_IRC, set: Some(cmd::SET_IRC), defined: None };

/// There is one.
static IRC: Resource<()> = Resource {
    // No command has an option IRC, and no program names it.
    name: opt::OPENSTATUS,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::OPENSTATUS, |by, ()| Value::either(Systems::of(&by.region).irc_is_open(), "OPEN", "CLOSED")),
        // Regions of one machine are no members of a group.
        (opt::XCFGROUP, |_, ()| Value::padded("", GROUP)),
    ],
    settings: &[Setting {
        option: opt::OPENSTATUS,
        takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED), ("IMMCLOSE", opt::IMMCLOSE)]),
        resp2: VALUE,
        set: Set::Now(|by, (), to| {
            let systems = Systems::of(&by.region);
            let can = systems.setup().isc && systems.setup().folder.is_some();
            let order = match to.is("OPEN") {
                true if !can => return Err(cond::INVREQ.raise(NOT_OPENED)),
                true => Order::OpenIrc,
                false => Order::CloseIrc(to.is("IMMCLOSE")),
            };
            systems.order(order);
            Ok(())
        }),
    }],
};
