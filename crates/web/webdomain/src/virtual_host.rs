//! HOST: the hosts that URI maps name, which can be disabled with all their URI maps.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::registry::{Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};
use urimap::{Definition, Usage};

use crate::region::Web;

/// A host that URI maps name.
#[derive(Clone, Debug)]
pub(crate) struct VirtualHost {
    /// Its name, as the first of its URI maps has it.
    name: String,
    /// The service of its URI maps, if they all name the same.
    service: Option<String>,
    is_on: bool,
}

impl Web {
    /// The hosts that URI maps for requests name, by their names in lower case.
    fn hosts(&self) -> BTreeMap<String, VirtualHost> {
        let uris = self.uris();
        let mut hosts = BTreeMap::<String, VirtualHost>::new();
        for map in uris.maps.values().filter(|map| map.matches.usage != Usage::Client) {
            let Definition { host, service, .. } = &map.matches;
            let of = |service: &Option<String>| VirtualHost {
                name: host.clone(),
                service: service.clone(),
                is_on: !uris.is_off(host),
            };
            let known = hosts.entry(Definition::host_key(host)).or_insert_with(|| of(service));
            known.service.take_if(|known| Some(&*known) != service.as_ref());
        }
        hosts
    }
}

/// RESP2 of NOTFND: no URI map names it.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ of SET: no such status.
const STATUS: i32 = 2;
/// Characters of a host.
const HOST: usize = 116;

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_HOST, Handler::Now(|task, call| HOSTS.inquire(task, call))),
    (cmd::SET_HOST, Handler::Waits(|task, call| Box::pin(HOSTS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind =
    Kind { name: "HOST", table: &HOSTS, inquire: cmd::INQUIRE_HOST, set: Some(cmd::SET_HOST), defined: None };

/// A host's name as text, as a command gives it.
fn key(name: &[u8]) -> String {
    Definition::host_key(&String::from_utf8_lossy(name.trim_ascii_end()))
}

/// INQUIRE and SET of a host.
static HOSTS: Resource<Arc<VirtualHost>> = Resource {
    name: opt::HOST,
    key: Key::Name,
    names: |by| {
        let padded = |host: &VirtualHost| format!("{:HOST$}", host.name).into_bytes();
        Web::of(&by.region).hosts().values().map(padded).collect()
    },
    find: |by, name| Web::of(&by.region).hosts().remove(&key(name)).map(Arc::new),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ENABLESTATUS, |_, host| Value::either(host.is_on, "ENABLED", "DISABLED")),
        (opt::TCPIPSERVICE, |_, host| Value::text(Name8::from(host.service.as_deref().unwrap_or_default()))),
    ],
    settings: &[Setting {
        option: opt::ENABLESTATUS,
        takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
        resp2: STATUS,
        set: Set::Now(|by, host, to| {
            Web::of(&by.region).switch_host(&host.name, to.is("ENABLED"));
            Ok(())
        }),
    }],
};
