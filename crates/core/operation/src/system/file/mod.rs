//! INQUIRE FILE, SET FILE.

mod settings;
mod status;
mod told;

use std::sync::Arc;

use spec::{cmd, cond, opt};

use domains::files::{File, Files};
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::registry::{Key, Resource};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_FILE, Handler::Now(|task, call| FILES.inquire(task, call))),
    (cmd::SET_FILE, Handler::Waits(|task, call| Box::pin(FILES.set(task, call)))),
];

/// RESP2 of FILENOTFOUND: no such file.
pub(super) const NOT_FOUND: i32 = 18;

pub(super) static FILES: Resource<Arc<File>> = Resource {
    name: opt::FILE,
    key: Key::Name,
    names: |by| Files::of(&by.region).list().iter().map(|f| f.name.as_bytes().to_vec()).collect(),
    find: |by, name| Files::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::FILENOTFOUND, NOT_FOUND),
    rows: told::ROWS,
    settings: settings::SETTINGS,
};
