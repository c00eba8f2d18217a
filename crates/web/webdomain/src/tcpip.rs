//! TCPIP: what all services and connections of a region have together.

use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, Raise};
use kernel::registry::{Key, Kind, Resource, Set, Setting, Takes};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use crate::region::Web;

/// Characters of CRLPROFILE.
const PROFILE: usize = 246;
/// Smallest value of MAXSOCKETS.
const SOCKETS_MIN: i64 = 1;
const SOCKETS_MAX: i64 = 65_535;
/// RESP2 of INVREQ of SET: the status, MAXSOCKETS. Recalled, not read.
const STATUS: i32 = 1;
const SOCKETS: i32 = 5;

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TCPIP, Handler::Now(|task, call| TCPIP.inquire(task, call))),
    (cmd::SET_TCPIP, Handler::Waits(|task, call| Box::pin(set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "TCPIP",
    table: &TCPIP,
    inquire: cmd::INQUIRE_TCPIP,
    set: Some(cmd::SET_TCPIP),
    defined: None,
};

/// SET, which tells how many there may be from now on.
async fn set(task: &mut Task, call: &Call<'_>) -> Outcome {
    TCPIP.set(task, call).await?;
    let most = Web::of(&task.region).places().most();
    call.put_number(opt::NEWMAXSOCKETS, i64::try_from(most).unwrap_or(SOCKETS_MAX))
}

/// There is one.
static TCPIP: Resource<()> = Resource {
    name: opt::TCPIP,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::ACTSOCKETS, |by, ()| Value::Number(Web::of(&by.region).places().taken(false).present as i64)),
        (opt::CRLPROFILE, |by, ()| {
            Value::padded(Web::of(&by.region).options().revoked.as_deref().unwrap_or_default(), PROFILE)
        }),
        (opt::MAXSOCKETS, |by, ()| Value::Number(Web::of(&by.region).places().most() as i64)),
        (opt::OPENSTATUS, |by, ()| Value::either(Web::of(&by.region).is_supported(), "OPEN", "CLOSED")),
        // Sessions are resumed in the region that has begun them.
        (opt::SSLCACHE, |_, ()| Value::Cvda("CICS")),
    ],
    settings: &[
        Setting {
            option: opt::MAXSOCKETS,
            takes: Takes::Number(SOCKETS_MIN..=SOCKETS_MAX),
            resp2: SOCKETS,
            set: Set::Now(|by, (), to| {
                Web::of(&by.region).places().set_most(usize::try_from(to.number()).unwrap_or(1));
                Ok(())
            }),
        },
        Setting {
            option: opt::OPENSTATUS,
            takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED), ("IMMCLOSE", opt::IMMCLOSE)]),
            resp2: STATUS,
            set: Set::Now(|by, (), to| {
                match to.is("OPEN") {
                    true => Web::of(&by.region).open_support(&by.region),
                    false => Web::of(&by.region).close_support(to.is("IMMCLOSE")),
                }
                Ok(())
            }),
        },
    ],
};
