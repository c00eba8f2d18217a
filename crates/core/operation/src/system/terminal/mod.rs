//! INQUIRE TERMINAL, SET TERMINAL; TERMINAL and TYPETERM definitions.

pub mod definition;

use std::sync::Arc;

use spec::{OptionId, cmd, cond, opt};
use tn3270::datastream::Size;
use tn3270::telnet::PrinterLanguage;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name8, TerminalName};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Given, Key, Manager, Resource, Set, Setting, Takes};
use kernel::terminals::defined::{Definition, Device, Printers, Typeterm};
use kernel::terminals::{Owner, Terminal, Terminals, UpperCase};

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TERMINAL, Handler::Now(|task, call| TERMINALS.inquire(task, call))),
    (cmd::SET_TERMINAL, Handler::Waits(|task, call| Box::pin(TERMINALS.set(task, call)))),
];

/// RESP2 of TERMIDERR: no such terminal.
const NOT_FOUND: i32 = 1;

/// RESP2 of INVREQ: the terminal belongs to another region.
const OTHER_REGION: i32 = 24;

/// UCTRANST.
const TRANSLATIONS: &[(&str, OptionId)] =
    &[("UCTRAN", opt::UCTRAN), ("NOUCTRAN", opt::NOUCTRAN), ("TRANIDONLY", opt::TRANIDONLY)];

/// A terminal that is there, or is defined and may come.
pub(super) struct Known {
    there: Option<Arc<Terminal>>,
    defined: Option<Arc<Definition>>,
    typeterm: Option<Arc<Typeterm>>,
    name: TerminalName,
    printers: Printers,
}

impl Known {
    fn find(region: &Region, name: TerminalName) -> Option<Self> {
        let terminals = Terminals::of(region);
        let (there, defined) = (terminals.get(name), terminals.defined.get(name));
        let typeterm = defined.as_ref().and_then(|it| terminals.defined.typeterm(it.typeterm));
        let printers = terminals.printers_of(name);
        (there.is_some() || defined.is_some()).then_some(Self { there, defined, typeterm, name, printers })
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

    /// The language that it takes if it is a printer.
    fn language(&self) -> Option<PrinterLanguage> {
        let defined = || match self.typeterm.as_ref()?.device {
            Device::Printer(language) => Some(language),
            Device::Display => None,
        };
        self.told(|t| t.parts.printer.map(|printer| printer.language)).unwrap_or_else(defined)
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

/// The printer of a name; blank takes the present one away.
///
/// # Errors
/// TERMIDERR: there is no terminal of that name. INVREQ: it is a display, or the terminal belongs to another region.
fn printer(by: &Manager, terminal: &Known, to: &Given) -> Outcome<TerminalName> {
    if terminal.owner().is_some() {
        return Err(cond::INVREQ.raise(OTHER_REGION));
    }
    let Given::Text(name) = to else { return Ok(TerminalName::BLANK) };
    let (name, terminals) = (TerminalName::new(name), Terminals::of(&by.region));
    match () {
        () if name.is_blank() || terminals.is_a_printer(name) => Ok(name),
        () if terminals.is_known(name) => Err(cond::INVREQ.raise(0)),
        () => Err(cond::TERMIDERR.raise(NOT_FOUND)),
    }
}

/// Changes a display's printers. Both may change by one command.
fn change(by: &Manager, terminal: &Known, how: impl FnOnce(&mut Printers)) -> Outcome {
    let terminals = Terminals::of(&by.region);
    let mut printers = terminals.printers_of(terminal.name);
    how(&mut printers);
    terminals.set_printers(terminal.name, printers);
    Ok(())
}

pub(super) static TERMINALS: Resource<Known> = Resource {
    name: opt::TERMINAL,
    key: Key::Name,
    names: |by| Known::names(&by.region),
    find: |by, name| Known::find(&by.region, TerminalName::new(name)),
    missing: Raise::Condition(cond::TERMIDERR, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, _| Value::Cvda("VTAM")),
        (opt::ACQSTATUS, |_, t| Value::either(t.there.is_some(), "ACQUIRED", "RELEASED")),
        (opt::AIDCOUNT, |_, t| Value::Number(t.told(Terminal::started_tasks).unwrap_or(0) as i64)),
        (opt::ALTPRINTER, |_, t| Value::text(t.printers.second)),
        (opt::ALTPRTCOPYST, |_, _| Value::Cvda("NOALTPRTCOPY")),
        (opt::ALTSCRNHT, |_, t| Value::Number(t.alternate_size().rows.into())),
        (opt::ALTSCRNWD, |_, t| Value::Number(t.alternate_size().columns.into())),
        (opt::ATISTATUS, |_, _| Value::Cvda("ATI")),
        (opt::COPYST, |_, _| Value::Cvda("NOCOPY")),
        (opt::DATASTREAM, |_, t| Value::either(t.language() == Some(PrinterLanguage::Scs), "SCS", "DS3270")),
        (opt::DEFPAGEHT, |_, t| Value::Number(t.size().rows.into())),
        (opt::DEFPAGEWD, |_, t| Value::Number(t.size().columns.into())),
        (opt::DEFSCRNHT, |_, t| Value::Number(t.size().rows.into())),
        (opt::DEFSCRNWD, |_, t| Value::Number(t.size().columns.into())),
        (opt::DEVICE, |_, t| {
            Value::Cvda(match t.language() {
                None => "T3277R",
                Some(PrinterLanguage::DataStream) => "T3284R",
                Some(PrinterLanguage::Scs) => "T3790SCSP",
            })
        }),
        (opt::FORMFEEDST, |_, t| Value::either(t.has_form_feed(), "FORMFEED", "NOFORMFEED")),
        (opt::HFORMST, |_, _| Value::Cvda("NOHFORM")),
        (opt::NATURE, |_, _| Value::Cvda("TERMINAL")),
        (opt::NETNAME, |_, t| Value::text(t.netname())),
        (opt::NEXTTRANSID, |_, t| {
            Value::text(t.told(Terminal::next_transaction).flatten().unwrap_or_default())
        }),
        (opt::PAGEHT, |_, t| Value::Number(t.present_size().rows.into())),
        (opt::PAGEWD, |_, t| Value::Number(t.present_size().columns.into())),
        (opt::PRINTADAPTST, |_, _| Value::Cvda("NOPRINTADAPT")),
        (opt::PRINTER, |_, t| Value::text(t.printers.first)),
        (opt::PRTCOPYST, |_, _| Value::Cvda("NOPRTCOPY")),
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
        (opt::TERMMODEL, |_, _| Value::Number(2)),
        (opt::TNADDR, |_, t| Value::padded(&t.told(|t| t.parts.peer.clone()).unwrap_or_default(), 39)),
        (opt::TRANSACTION, |_, t| {
            let task = t.told(Terminal::task).flatten();
            Value::text(task.map_or([b' '; 4], |task| *task.transaction.name.as_bytes()))
        }),
        (opt::TTISTATUS, |_, t| Value::either(t.language().is_some(), "NOTTI", "TTI")),
        (opt::UCTRANST, |_, t| {
            Value::Cvda(match t.told(Terminal::upper_case) {
                None | Some(UpperCase::No) => "NOUCTRAN",
                Some(UpperCase::Transaction) => "TRANIDONLY",
                Some(UpperCase::Yes) => "UCTRAN",
            })
        }),
        (opt::USERID, |_, t| Value::text(t.told(|t| t.user().id).unwrap_or_default())),
        (opt::USERNAME, |_, t| Value::padded(&t.told(|t| t.user().name.clone()).unwrap_or_default(), 20)),
        (opt::VFORMST, |_, _| Value::Cvda("NOVFORM")),
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
            option: opt::PRINTER,
            takes: Takes::Text,
            resp2: 0,
            set: Set::Now(|by, terminal, to| {
                let name = printer(by, terminal, to)?;
                change(by, terminal, |printers| printers.first = name)
            }),
        },
        Setting {
            option: opt::ALTPRINTER,
            takes: Takes::Text,
            resp2: 0,
            set: Set::Now(|by, terminal, to| {
                let name = printer(by, terminal, to)?;
                change(by, terminal, |printers| printers.second = name)
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
