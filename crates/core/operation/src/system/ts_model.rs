//! INQUIRE TSMODEL.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use super::ts_queue::{hours, minutes};
use domains::temporary_storage::{Location, Model, TemporaryStorage};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8};
use kernel::raise::Raise;
use kernel::registry::{Key, Resource};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_TSMODEL, Handler::Now(|task, call| MODELS.inquire(task, call)))];

/// RESP2 of NOTFND: no such model.
const NOT_FOUND: i32 = 1;

pub(super) static MODELS: Resource<Arc<Model>> = Resource {
    name: opt::TSMODEL,
    key: Key::Name,
    names: |by| {
        TemporaryStorage::of(&by.region).models().iter().map(|model| model.name.as_bytes().to_vec()).collect()
    },
    find: |by, name| {
        let name = Name8::new(name);
        TemporaryStorage::of(&by.region).models().into_iter().find(|model| model.name == name)
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::EXPIRYINT, |_, m| Value::Number(hours(m.expires_after))),
        (opt::EXPIRYINTMIN, |_, m| Value::Number(minutes(m.expires_after))),
        (opt::LOCATION, |_, m| Value::either(m.location == Location::Main, "MAIN", "AUXILIARY")),
        (opt::POOLNAME, |_, model| Value::text(model.pool)),
        (opt::PREFIX, |_, m| Value::text(Name::<16>::new(&m.prefix))),
        (opt::RECOVSTATUS, |_, m| Value::either(m.recoverable, "RECOVERABLE", "NOTRECOVABLE")),
        (opt::REMOTEPREFIX, |_, m| {
            Value::text(m.remote.as_ref().map_or(Name::<16>::BLANK, |remote| Name::new(&remote.prefix)))
        }),
        (opt::REMOTESYSTEM, |_, m| {
            Value::text(m.remote.as_ref().map_or(Name::<4>::BLANK, |remote| remote.system))
        }),
    ],
    settings: &[],
};
