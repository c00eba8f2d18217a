//! INQUIRE TERMINAL, SET TERMINAL; TERMINAL and TYPETERM definitions.

pub mod definition;

use std::sync::Arc;

use spec::{OptionId, cmd, cond, opt};
use tn3270::datastream::Size;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name8, TerminalName};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::registry::{Key, Resource, Set, Setting, Takes};
use kernel::terminals::defined::{Definition, Device, Typeterm};
use kernel::terminals::{Owner, Terminal, Terminals, UpperCase};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TERMINAL, Handler::Now(|task, call| TERMINALS.inquire(task, call))),
    (cmd::SET_TERMINAL, Handler::Waits(|task, call| Box::pin(TERMINALS.set(task, call)))),
];

/// RESP2 of TERMIDERR: no such terminal.
const NOT_FOUND: i32 = 1;

/// UCTRANST.
const TRANSLATIONS: &[(&str, OptionId)] =
    &[("UCTRAN", opt::UCTRAN), ("NOUCTRAN", opt::NOUCTRAN), ("TRANIDONLY", opt::TRANIDONLY)];

/// A terminal that is there, or is defined and may come.
pub(super) struct Known {
    there: Option<Arc<Terminal>>,
    defined: Option<Arc<Definition>>,
    typeterm: Option<Arc<Typeterm>>,
}

impl Known {
    fn find(region: &Region, name: TerminalName) -> Option<Self> {
        let terminals = Terminals::of(region);
        let (there, defined) = (terminals.get(name), terminals.defined.get(name));
        let typeterm = defined.as_ref().and_then(|it| terminals.defined.typeterm(it.typeterm));
        (there.is_some() || defined.is_some()).then_some(Self { there, defined, typeterm })
    }

    /// The names of all of them, in order.
    fn names(region: &Region) -> Vec<Vec<u8>> {
        let terminals = Terminals::of(region);
        let there = terminals.list();
        let mut names: Vec<TerminalName> = there.iter().map(|terminal| terminal.name).collect();
        names.extend(terminals.defined.names());
        names.sort_unstable();
        names.dedup();
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    /// Something of a terminal that is there.
    fn told<T>(&self, tells: impl Fn(&Terminal) -> T) -> Option<T> {
        self.there.as_deref().map(tells)
    }

    /// The region that owns it, if that is another one.
    fn owner(&self) -> Option<Owner> {
        self.told(Terminal::owner).flatten()
    }

    fn netname(&self) -> Name8 {
        let defined = || self.defined.as_ref().map(|it| it.netname);
        self.told(|t| t.netname).or_else(defined).unwrap_or_default()
    }

    fn is_printer(&self) -> bool {
        let defined = || self.typeterm.as_ref().is_some_and(|it| it.device != Device::Display);
        self.told(Terminal::is_printer).unwrap_or_else(defined)
    }

    fn has_form_feed(&self) -> bool {
        let there = self.told(|t| t.parts.printer.is_some_and(|printer| printer.form_feed));
        there.unwrap_or_else(|| self.typeterm.as_ref().is_some_and(|it| it.form_feed))
    }

    /// The default size of its screen or page.
    fn size(&self) -> Size {
        let defined = || self.typeterm.as_ref().map(|it| it.page);
        self.told(|t| t.parts.default_size).or_else(defined).unwrap_or(Size::MODEL_2)
    }

    fn alternate_size(&self) -> Size {
        self.told(|t| t.parts.alternate_size).unwrap_or_else(|| self.size())
    }

    /// The size that it has now.
    fn present_size(&self) -> Size {
        self.told(Terminal::size).unwrap_or_else(|| self.size())
    }
}

pub(super) static TERMINALS: Resource<Known> = Resource {
    name: opt::TERMINAL,
    key: Key::Name,
    names: |by| Known::names(&by.region),
    find: |by, name| Known::find(&by.region, TerminalName::new(name)),
    missing: Raise::Condition(cond::TERMIDERR, NOT_FOUND),
    rows: &[
        (opt::ACQSTATUS, |_, t| Value::either(t.there.is_some(), "ACQUIRED", "RELEASED")),
        (opt::ALTSCRNHT, |_, t| Value::Number(t.alternate_size().rows.into())),
        (opt::ALTSCRNWD, |_, t| Value::Number(t.alternate_size().columns.into())),
        (opt::ATISTATUS, |_, _| Value::Cvda("ATI")),
        (opt::DEFPAGEHT, |_, t| Value::Number(t.size().rows.into())),
        (opt::DEFPAGEWD, |_, t| Value::Number(t.size().columns.into())),
        (opt::DEFSCRNHT, |_, t| Value::Number(t.size().rows.into())),
        (opt::DEFSCRNWD, |_, t| Value::Number(t.size().columns.into())),
        (opt::FORMFEEDST, |_, t| Value::either(t.has_form_feed(), "FORMFEED", "NOFORMFEED")),
        (opt::NETNAME, |_, t| Value::text(t.netname())),
        (opt::NEXTTRANSID, |_, t| {
            Value::text(t.told(Terminal::next_transaction).flatten().unwrap_or_default())
        }),
        (opt::PAGEHT, |_, t| Value::Number(t.present_size().rows.into())),
        (opt::PAGEWD, |_, t| Value::Number(t.present_size().columns.into())),
        (opt::PRINTER, |_, t| Value::text(t.defined.as_ref().map_or(TerminalName::BLANK, |it| it.printer))),
        (opt::REMOTENAME, |_, t| Value::text(t.owner().map_or(TerminalName::BLANK, |owner| owner.name))),
        (opt::REMOTESYSTEM, |_, t| Value::text(t.owner().map_or(TerminalName::BLANK, |owner| owner.system))),
        (opt::REMOTESYSNET, |_, t| Value::text(t.owner().map_or(Name8::BLANK, |owner| owner.applid))),
        (opt::SCRNHT, |_, t| Value::Number(t.present_size().rows.into())),
        (opt::SCRNWD, |_, t| Value::Number(t.present_size().columns.into())),
        (opt::SERVSTATUS, |_, _| Value::Cvda("INSERVICE")),
        (opt::SIGNONSTATUS, |_, t| {
            Value::either(t.told(|t| !t.user().is_default).unwrap_or(false), "SIGNEDON", "SIGNEDOFF")
        }),
        (opt::TASKID, |_, t| {
            Value::Number(t.told(Terminal::task).flatten().map_or(0, |task| task.number.into()))
        }),
        (opt::TNADDR, |_, t| Value::padded(&t.told(|t| t.parts.peer.clone()).unwrap_or_default(), 39)),
        (opt::TRANSACTION, |_, t| {
            let task = t.told(Terminal::task).flatten();
            Value::text(task.map_or([b' '; 4], |task| *task.transaction.name.as_bytes()))
        }),
        (opt::TTISTATUS, |_, t| Value::either(t.is_printer(), "NOTTI", "TTI")),
        (opt::UCTRANST, |_, t| {
            Value::Cvda(match t.told(Terminal::upper_case) {
                None | Some(UpperCase::No) => "NOUCTRAN",
                Some(UpperCase::Transaction) => "TRANIDONLY",
                Some(UpperCase::Yes) => "UCTRAN",
            })
        }),
        (opt::USERID, |_, t| Value::text(t.told(|t| t.user().id).unwrap_or_default())),
        (opt::USERNAME, |_, t| Value::padded(&t.told(|t| t.user().name.clone()).unwrap_or_default(), 20)),
    ],
    settings: &[
        Setting {
            option: opt::ACQSTATUS,
            takes: Takes::OneOf(&[("ACQUIRED", opt::ACQUIRED), ("RELEASED", opt::RELEASED)]),
            resp2: 2,
            set: Set::Now(|_, terminal, to| {
                // A client that is there is acquired; only it can come back.
                if to.is("RELEASED")
                    && let Some(terminal) = &terminal.there
                {
                    terminal.log_off();
                }
                Ok(())
            }),
        },
        Setting {
            option: opt::UCTRANST,
            takes: Takes::OneOf(TRANSLATIONS),
            resp2: 27,
            set: Set::Now(|_, terminal, to| {
                let upper_case = match to {
                    _ if to.is("UCTRAN") => UpperCase::Yes,
                    _ if to.is("TRANIDONLY") => UpperCase::Transaction,
                    _ => UpperCase::No,
                };
                terminal.told(|terminal| terminal.set_upper_case(upper_case));
                Ok(())
            }),
        },
        Setting {
            option: opt::PURGETYPE,
            takes: Takes::OneOf(&[
                ("PURGE", opt::PURGE),
                ("FORCEPURGE", opt::FORCEPURGE),
                ("KILL", opt::KILL),
            ]),
            resp2: 21,
            set: Set::Now(|_, terminal, to| {
                match terminal.told(Terminal::task).flatten() {
                    Some(attached) if to.is("PURGE") => attached.purge(),
                    Some(attached) => attached.force_purge(),
                    None => {}
                }
                Ok(())
            }),
        },
    ],
};
