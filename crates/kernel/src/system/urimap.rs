//! INQUIRE URIMAP: this region has none, as programs that look for their own address find out.

use std::convert::Infallible;

use spec::{cmd, cond, opt};

use crate::exec::{Answers, Handler};
use crate::raise::Raise;
use crate::registry::{Key, Resource};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_URIMAP, Handler::Now(|task, call| URIMAPS.inquire(task, call)))];

/// RESP2 of NOTFND: no such URI map.
const NOT_FOUND: i32 = 1;

pub(super) static URIMAPS: Resource<Infallible> = Resource {
    name: opt::URIMAP,
    key: Key::Name,
    names: |_| Vec::new(),
    find: |_, _| None,
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[],
    settings: &[],
};
