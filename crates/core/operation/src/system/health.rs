//! INQUIRE WLMHEALTH, SET WLMHEALTH.

use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::health::{Health, OpenStatus, Refusal};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_WLMHEALTH, Handler::Now(|task, call| HEALTH.inquire(task, call))),
    (cmd::SET_WLMHEALTH, Handler::Waits(|task, call| Box::pin(HEALTH.set(task, call)))),
];

/// RESP2 of INVREQ. Those of numbers out of their range are our choice: no page at hand has them.
const OFF: i32 = 4;
const OPENS_ALREADY: i32 = 6;
const CLOSES_ALREADY: i32 = 7;
const STATUS: i32 = 11;
const NO_INTERVAL: i32 = 13;
const ADJUSTMENT: i32 = 14;
const INTERVAL: i32 = 15;

/// The health of the region: there is one.
pub(super) static HEALTH: Resource<()> = Resource {
    // No command has an option WLMHEALTH.
    name: opt::HEALTH,
    key: Key::None,
    names: |_| vec![Vec::new()],
    find: |_, _| Some(()),
    missing: Raise::Condition(cond::INVREQ, 0),
    rows: &[
        (opt::ADJUSTMENT, |by, ()| {
            Value::Number(Health::of(&by.region).pace().map_or(0, |pace| pace.adjustment.into()))
        }),
        (opt::HEALTH, |by, ()| Value::Number(Health::of(&by.region).value().into())),
        (opt::HEALTHABSTIM, |by, ()| Value::Number(Health::of(&by.region).changed().unwrap_or(0))),
        (opt::INTERVAL, |by, ()| {
            Value::Number(Health::of(&by.region).pace().map_or(0, |pace| pace.interval_s.into()))
        }),
        (opt::OPENSTATUS, |by, ()| {
            Value::Cvda(match Health::of(&by.region).status() {
                OpenStatus::Open => "OPEN",
                OpenStatus::Opening => "OPENING",
                OpenStatus::Closed => "CLOSED",
                OpenStatus::Closing => "CLOSING",
                OpenStatus::Off => "OFF",
            })
        }),
    ],
    // The pace first: OPENSTATUS of the same command goes by it.
    settings: &[
        Setting {
            option: opt::ADJUSTMENT,
            takes: Takes::Number(1..=100),
            resp2: ADJUSTMENT,
            set: Set::Now(|by, (), to| paced(by, to, |pace| &mut pace.adjustment)),
        },
        Setting {
            option: opt::INTERVAL,
            takes: Takes::Number(0..=600),
            resp2: INTERVAL,
            set: Set::Now(|by, (), to| paced(by, to, |pace| &mut pace.interval_s)),
        },
        Setting {
            option: opt::OPENSTATUS,
            takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED), ("IMMCLOSE", opt::IMMCLOSE)]),
            resp2: STATUS,
            set: Set::Now(set_status),
        },
    ],
};

/// Changes one number of the pace.
fn paced(by: &Manager, to: &Given, number: fn(&mut kernel::health::Pace) -> &mut u32) -> Outcome {
    let Given::Number(to) = to else { return Ok(()) };
    let to = u32::try_from(*to).unwrap_or_default();
    done(Health::of(&by.region).set_pace(|pace| *number(pace) = to))
}

fn set_status(by: &Manager, (): &(), to: &Given) -> Outcome {
    let health = Health::of(&by.region);
    done(match to {
        Given::Cvda("OPEN") => health.open(),
        Given::Cvda("CLOSED") => health.close(),
        _ => health.close_now(),
    })
}

fn done(result: Result<(), Refusal>) -> Outcome {
    result.map_err(|refusal| {
        cond::INVREQ.raise(match refusal {
            Refusal::Off => OFF,
            Refusal::RisesAlready => OPENS_ALREADY,
            Refusal::FallsAlready => CLOSES_ALREADY,
            Refusal::NoInterval => NO_INTERVAL,
        })
    })
}
