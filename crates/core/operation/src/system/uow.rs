//! INQUIRE UOW, SET UOW: the units of work of tasks, those that are in doubt, and those whose end a participant has not heard.

use std::sync::Arc;

use coordinator::Decided;
use records::{Decider, Decision, Error, Indoubt, Owner, Standing};
use spec::{OptionId, cmd, cond, opt};

use kernel::dispatcher::Dispatcher;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler, OtherSystem, Shipper, Waiting};
use kernel::name::{Name, Name8, TerminalName, TransactionName};
use kernel::raise::{Raise, RaiseCondition};
use kernel::recovery::{Identity, NetworkName, UnitId};
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Table, Takes};
use kernel::task::{TaskControl, WaitKind};
use kernel::transactions::Transactions;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_UOW, Handler::Now(|task, call| UNITS.inquire(task, call))),
    (cmd::SET_UOW, Handler::Waits(|task, call| Box::pin(UNITS.set(task, call)))),
];

/// RESP2 of UOWNOTFOUND.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: no such decision.
const NO_DECISION: i32 = 3;
/// RESP2 of INVREQ: it is not in doubt.
const NOT_INDOUBT: i32 = 4;

/// Characters of OTSTID.
const OTS_LETTERS: usize = 128;

/// A unit of work.
pub(super) enum Unit {
    /// Of a task that runs.
    InFlight(Arc<TaskControl>),
    /// In doubt, or forced to an end; with who it was.
    Indoubt(Indoubt, Identity),
    /// Committed, and not all participants have heard of that; with who it was.
    Shunted(Decided, Identity),
}

static UNITS: Resource<Unit> = Resource {
    name: opt::UOW,
    key: Key::Name,
    names: |by| units(by).into_iter().map(|(id, _)| id.to_bytes().to_vec()).collect(),
    find: |by, name| units(by).into_iter().find(|(id, _)| id.to_bytes() == name).map(|(_, unit)| unit),
    missing: Raise::Condition(cond::UOWNOTFOUND, NOT_FOUND),
    rows: &[
        (opt::AGE, |_, unit| Value::Number(age(unit))),
        (opt::LINK, |_, unit| Value::text(unit.waits_for().unwrap_or_default())),
        (opt::NETNAME, |_, unit| {
            Value::text(match unit {
                Unit::InFlight(task) => task.facility.netname(),
                _ => unit.waits_for().unwrap_or_default(),
            })
        }),
        (opt::NETUOWID, |by, unit| Value::text(unit.network_name(by).as_bytes())),
        // No unit of work is one of an object transaction service.
        (opt::OTSTID, |_, _| Value::padded("", OTS_LETTERS)),
        (opt::SYSID, |by, unit| Value::text(unit.system(by).map_or(Name::BLANK, |system| system.name))),
        (opt::TASKID, |_, unit| Value::Number(of(unit, |t| t.number, |who| who.task).into())),
        (opt::TERMID, |_, unit| {
            Value::text(of(unit, |t| t.facility.terminal_name().unwrap_or_default(), |who| who.terminal))
        }),
        (opt::TRANSID, |_, unit| Value::text(of(unit, |t| t.transaction.name, |who| who.transaction))),
        (opt::UOWSTATE, |_, unit| Value::Cvda(state(unit))),
        (opt::USERID, |_, unit| Value::text(of(unit, |t| t.user.id, |who| who.user))),
        (opt::WAITCAUSE, |by, unit| Value::Cvda(cause(by, unit))),
        (opt::WAITSTATE, |_, unit| Value::Cvda(wait_state(unit))),
    ],
    settings: &[Setting {
        option: opt::UOWSTATE,
        takes: Takes::OneOf(&[("COMMIT", opt::COMMIT), ("BACKOUT", opt::BACKOUT), ("FORCE", opt::FORCE)]),
        resp2: NO_DECISION,
        set: Set::Waits(|by, unit, to| resolve(by, unit, to)),
    }],
};

impl Unit {
    /// The region that decides about it, if that is another one.
    pub(super) fn waits_for(&self) -> Option<Name8> {
        match self {
            Self::Indoubt(_, who) => who.coordinator().map(|(applid, _)| applid),
            Self::InFlight(_) | Self::Shunted(..) => None,
        }
    }

    /// The system of that region.
    pub(super) fn system(&self, by: &Manager) -> Option<OtherSystem> {
        Shipper::system_of(&by.region, self.waits_for()?)
    }

    /// Its name in all regions that take part in it.
    pub(super) fn network_name(&self, by: &Manager) -> NetworkName {
        match self {
            Self::InFlight(task) => {
                NetworkName::new(by.region.options.applid, UnitId::of_run(&by.region, task.unit()))
            }
            Self::Indoubt(_, who) | Self::Shunted(_, who) => who.network_name(&by.region),
        }
    }

    /// The number of its task, and its transaction.
    pub(super) fn task(&self) -> (u32, TransactionName) {
        (of(self, |t| t.number, |who| who.task), of(self, |t| t.transaction.name, |who| who.transaction))
    }

    /// The owner of its locks.
    pub(super) fn owner(&self) -> Option<Owner> {
        match self {
            Self::InFlight(task) => Some(task.owner()),
            Self::Indoubt(unit, _) => unit.owner,
            Self::Shunted(..) => None,
        }
    }
}

/// All units of work: those of tasks first.
pub(super) fn units(by: &Manager) -> Vec<(UnitId, Unit)> {
    let tasks = Dispatcher::of(&by.region).tasks().into_iter();
    let in_flight = tasks.map(|t| (UnitId::of_run(&by.region, t.unit()), Unit::InFlight(t)));
    let listed = by.region.records.indoubt().unwrap_or_else(|error| {
        tracing::error!(target: "RM", "units of work in doubt cannot be listed: {error}");
        Vec::new()
    });
    let indoubt = listed.into_iter().map(|unit| {
        let who = Identity::from_name(&unit.name).unwrap_or_else(|| unknown(&unit.name));
        (who.unit, Unit::Indoubt(unit, who))
    });
    let shunted = by.region.coordinator.decided().into_iter().map(|unit| {
        let who = Identity::from_name(&unit.note).unwrap_or_else(|| unknown(unit.unit.as_bytes()));
        (who.unit, Unit::Shunted(unit, who))
    });
    in_flight.chain(indoubt).chain(shunted).collect()
}

/// One whose name is not the region's own.
fn unknown(name: &[u8]) -> Identity {
    Identity {
        unit: UnitId::of_name(name),
        task: 0,
        transaction: TransactionName::BLANK,
        terminal: TerminalName::BLANK,
        user: Name8::BLANK,
        coordinated_as: name.to_vec(),
    }
}

/// A value of a task, or the recorded value of a task that is gone.
fn of<T>(unit: &Unit, task: fn(&TaskControl) -> T, gone: fn(&Identity) -> T) -> T {
    match unit {
        Unit::InFlight(control) => task(control),
        Unit::Indoubt(_, who) | Unit::Shunted(_, who) => gone(who),
    }
}

/// Seconds for which it has been in doubt.
pub(super) fn age(unit: &Unit) -> i64 {
    let since = match unit {
        Unit::InFlight(_) => return 0,
        Unit::Indoubt(unit, _) => unit.since,
        Unit::Shunted(unit, _) => unit.since,
    };
    since.elapsed().map_or(0, |age| age.as_secs() as i64)
}

fn state(unit: &Unit) -> &'static str {
    match unit {
        Unit::InFlight(_) => "INFLIGHT",
        Unit::Indoubt(unit, _) => match unit.standing {
            Standing::Attended | Standing::Shunted => "INDOUBT",
            Standing::Forced(Decision::Commit) => "HEURCOMMIT",
            Standing::Forced(Decision::Backout) => "HEURBACKOUT",
        },
        Unit::Shunted(..) => "COMMIT",
    }
}

/// A unit of work whose task is there waits; one without a task is shunted.
fn wait_state(unit: &Unit) -> &'static str {
    match unit {
        Unit::InFlight(_) => "ACTIVE",
        Unit::Indoubt(unit, _) if unit.standing == Standing::Attended => "WAITING",
        Unit::Indoubt(..) => "SHUNTED",
        Unit::Shunted(..) => "WAITING",
    }
}

/// The reason for which it waits or is shunted.
fn cause(by: &Manager, unit: &Unit) -> &'static str {
    match unit {
        Unit::InFlight(_) => "NOTAPPLIC",
        Unit::Indoubt(unit, _) if unit.standing == Standing::Attended => "WAITCOMMIT",
        Unit::Indoubt(..) if unit.waits_for().is_some() => "CONNECTION",
        Unit::Indoubt(..) => "OTHER",
        Unit::Shunted(unit, _) => {
            let is_region =
                |name: &String| Shipper::system_of(&by.region, Name8::from(name.as_str())).is_some();
            if unit.waiting.iter().any(is_region) { "WAITFORGET" } else { "WAITRMI" }
        }
    }
}

/// The decision of FORCE: ACTION of its transaction, as it is defined now.
fn by_definition(by: &Manager, who: &Identity) -> Decision {
    Transactions::of(&by.region).get(who.transaction).map_or(Decision::Backout, |t| t.indoubt)
}

/// An operator does not wait for the coordinator.
fn resolve<'a>(by: &'a Manager, unit: &'a Unit, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        let refused = || cond::INVREQ.raise(NOT_INDOUBT);
        let Unit::Indoubt(unit, who) = unit else { return Err(refused()) };
        let decision = match to {
            to if to.is("COMMIT") => Decision::Commit,
            to if to.is("BACKOUT") => Decision::Backout,
            _ => by_definition(by, who),
        };
        let resolved = by.region.records.resolve(&unit.name, decision, Decider::Operator);
        match by.control().wait_through(WaitKind::LOG, resolved).await {
            Ok(()) => {
                tracing::warn!(
                    target: "RM",
                    "unit of work {} of {} was forced to a {decision} by {}",
                    who.unit,
                    who.transaction,
                    by.user().id
                );
                Ok(())
            }
            Err(Error::NotIndoubt) => Err(refused()),
            Err(error) => {
                tracing::error!(target: "RM", "unit of work {} cannot be resolved: {error}", who.unit);
                Err(refused())
            }
        }
    })
}

/// The same for screens, where a unit of work is named by digits.
pub(super) struct ByDigits;

impl Table for ByDigits {
    fn name(&self) -> OptionId {
        opt::UOW
    }

    fn is_single(&self) -> bool {
        false
    }

    fn names(&self, by: &Manager) -> Vec<Vec<u8>> {
        units(by).into_iter().map(|(id, _)| id.to_string().into_bytes()).collect()
    }

    fn tell(&self, by: &Manager, name: &[u8]) -> Option<Vec<(OptionId, Value)>> {
        UNITS.tell(by, &UnitId::of_digits(name)?.to_bytes())
    }

    fn settings(&self) -> Vec<(OptionId, &'static Takes)> {
        UNITS.settings()
    }

    fn change<'a>(
        &'a self,
        by: &'a Manager,
        name: &'a [u8],
        changes: &'a [(OptionId, Given)],
    ) -> Waiting<'a> {
        Box::pin(async move {
            let id = UnitId::of_digits(name).ok_or(UNITS.missing)?;
            UNITS.change(by, &id.to_bytes(), changes).await
        })
    }

    fn options(&self) -> Vec<OptionId> {
        UNITS.options()
    }
}
