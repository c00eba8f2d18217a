//! Adapters of events and sets of them: `.epadapter`, `.epadapterset`, and the adapter within an event binding.

use bundle_source::xml::{Element, Wrong};

use crate::elements::{NAMESPACE, is_event_name, root, text};

/// Adapters of a set.
const SET_MAX: usize = 100;

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpAdapter {
    /// Its kind, with what is its own.
    pub kind: AdapterKind,
    /// The format of what it emits.
    pub format: DataFormat,
    /// Events of high priority come before others.
    pub is_urgent: bool,
    /// Events are emitted when their unit of work commits; else at once.
    pub transactional: bool,
    /// Events are emitted by the task that they are captured in.
    pub synchronous: bool,
    /// The user on whose behalf it runs.
    pub user: AdapterUser,
    /// The transaction that it runs as; empty: the region's own.
    pub transaction: String,
    /// The line on which it begins.
    pub line: usize,
}

/// The kind of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterKind {
    /// A temporary storage queue.
    TsQueue {
        /// Its name.
        queue: String,
        /// In auxiliary storage.
        auxiliary: bool,
    },
    /// A transient data queue.
    TdQueue {
        /// Its name.
        queue: String,
    },
    /// A transaction that is started for each event.
    Transaction {
        /// Its name.
        name: String,
        /// Its user; empty: that of the adapter.
        user: AdapterUser,
    },
    /// A server, by POST.
    Http {
        /// The URIMAP that names it.
        urimap: String,
    },
    /// A log stream: ours.
    LogStream {
        /// The journal that leads to it.
        journal: String,
    },
    /// A program of the application's, which the adapter's transaction begins.
    Custom {
        /// Data for it.
        data: String,
    },
}

/// The user of an adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterUser {
    /// The region's own.
    #[default]
    Region,
    /// That of the task in which the event was captured.
    Context,
    /// This one.
    Named(String),
}

/// The format of emitted events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFormat {
    /// Common base event.
    Cbe,
    /// The same without its envelope.
    Cber,
    /// Containers.
    Cce,
    /// Flattened.
    Cfe,
    /// That of Decision Server Insights.
    Dsie,
    /// That of WebSphere Business Events.
    Wbe,
    /// A line of JSON: our own.
    Json,
}

/// The formats by their names.
const FORMATS: [(&str, DataFormat); 7] = [
    ("CBE", DataFormat::Cbe),
    ("CBER", DataFormat::Cber),
    ("CCE", DataFormat::Cce),
    ("CFE", DataFormat::Cfe),
    ("DSIE", DataFormat::Dsie),
    ("WBE", DataFormat::Wbe),
    ("JSON", DataFormat::Json),
];

impl DataFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }
}

impl EpAdapter {
    /// Reads an `.epadapter`.
    ///
    /// # Errors
    /// It is none, or has something that is not known.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        let root = root(text, "EPAdapter")?;
        root.parts_of(&["description", "userTag", "eventDispatcherSpecification"])?;
        Self::within(&root)?.ok_or_else(|| root.wrong("it has no <eventDispatcherSpecification>"))
    }

    /// Reads the adapter within an element, if there is one.
    pub(crate) fn within(outer: &Element) -> Result<Option<Self>, Wrong> {
        let Some(specification) = outer.one("eventDispatcherSpecification")? else { return Ok(None) };
        let dispatcher = only(specification, "eventDispatcher")?;
        dispatcher.parts_of(&["eventDispatcherPolicy", "eventDispatcherAdapter"])?;
        let [adapter] = only(dispatcher, "eventDispatcherAdapter")?.parts.as_slice() else {
            return Err(dispatcher.wrong("an <eventDispatcherAdapter> has one adapter"));
        };
        let policy = only(dispatcher, "eventDispatcherPolicy")?;
        let known =
            ["dispatchPriority", "eventsTransactional", "adapterUserid", "adapterTranId", "emissionMode"];
        policy.parts_of(&known)?;
        let kind = kind(adapter)?;
        let read = Self {
            format: format(adapter, &kind)?,
            is_urgent: choice(policy, "dispatchPriority", ["normal", "high"])?,
            transactional: choice(policy, "eventsTransactional", ["false", "true"])?,
            synchronous: choice(policy, "emissionMode", ["asynchronous", "synchronous"])?,
            user: user(policy, "adapterUserid")?,
            transaction: transaction(policy, "adapterTranId")?,
            kind,
            line: adapter.line,
        };
        read.fits(adapter, policy)?;
        Ok(Some(read))
    }

    /// Checks what goes together.
    fn fits(&self, adapter: &Element, policy: &Element) -> Result<(), Wrong> {
        let is_custom = matches!(self.kind, AdapterKind::Custom { .. });
        if is_custom && self.transaction.is_empty() {
            return Err(policy.wrong("a custom adapter needs its transaction, <adapterTranId>"));
        }
        if is_custom && self.synchronous {
            return Err(policy.wrong("a custom adapter in the task of its event (synchronous) is not built"));
        }
        let backs_out = matches!(self.kind, AdapterKind::TsQueue { .. } | AdapterKind::TdQueue { .. });
        if self.synchronous && self.transactional && !backs_out {
            return Err(adapter.wrong(format!(
                "{adapter} cannot be backed out, so that its events are not transactional and synchronous"
            )));
        }
        Ok(())
    }
}

/// The one element of a name, which is all that is within.
fn only<'e>(outer: &'e Element, name: &str) -> Result<&'e Element, Wrong> {
    outer.one(name)?.ok_or_else(|| outer.wrong(format!("{outer} has no <{name}>")))
}

/// Returns true if an element has the second of two words; it may be missing, which is the first.
fn choice(outer: &Element, name: &str, [usual, other]: [&str; 2]) -> Result<bool, Wrong> {
    match text(outer, name)?.to_ascii_lowercase() {
        word if word.is_empty() || word == usual => Ok(false),
        word if word == other => Ok(true),
        word => Err(outer.wrong(format!("<{name}> is {usual} or {other}, not '{word}'"))),
    }
}

fn user(outer: &Element, name: &str) -> Result<AdapterUser, Wrong> {
    let Some(element) = outer.one(name)? else { return Ok(AdapterUser::Region) };
    element.knows(&["useContextUserid"])?;
    let named = element.text.trim();
    match (element.attribute("useContextUserid").unwrap_or("false"), named) {
        ("true", _) => Ok(AdapterUser::Context),
        ("false", "") => Ok(AdapterUser::Region),
        ("false", named) if named.len() <= 8 => Ok(AdapterUser::Named(named.to_owned())),
        (other, _) => {
            Err(element.wrong(format!("{element} names no user: '{named}', useContextUserid '{other}'")))
        }
    }
}

fn transaction(outer: &Element, name: &str) -> Result<String, Wrong> {
    let name_of = text(outer, name)?;
    let is_one = name_of.len() <= 4 && name_of.bytes().all(|byte| byte.is_ascii_graphic());
    if is_one {
        Ok(name_of.to_owned())
    } else {
        Err(outer.wrong(format!("<{name}> is no transaction: '{name_of}'")))
    }
}

/// A name within an adapter that must be there.
fn need<'e>(adapter: &'e Element, name: &str, longest: usize) -> Result<&'e str, Wrong> {
    match text(adapter, name)? {
        "" => Err(adapter.wrong(format!("{adapter} has no <{name}>"))),
        long if long.len() > longest => {
            Err(adapter.wrong(format!("<{name}> has more than {longest} characters")))
        }
        found => Ok(found),
    }
}

fn kind(adapter: &Element) -> Result<AdapterKind, Wrong> {
    let local = |known: &[&str]| {
        adapter.parts_of(known)?;
        match text(adapter, "sysid")? {
            "" => Ok(()),
            system => {
                Err(adapter.wrong(format!("events to another system (<sysid> {system}) are not built")))
            }
        }
    };
    match adapter.name.as_str() {
        "cicsTSQueueAdapter" => {
            local(&["queueName", "sysid", "useAuxTempStorage", "format"])?;
            let auxiliary = choice(adapter, "useAuxTempStorage", ["false", "true"])?;
            Ok(AdapterKind::TsQueue { queue: need(adapter, "queueName", 16)?.to_owned(), auxiliary })
        }
        "cicsTDQueueAdapter" => {
            local(&["queueName", "sysid", "format"])?;
            Ok(AdapterKind::TdQueue { queue: need(adapter, "queueName", 4)?.to_owned() })
        }
        "cicsTransactionAdapter" => {
            local(&["transactionId", "sysid", "userid", "format"])?;
            need(adapter, "transactionId", 4)?;
            Ok(AdapterKind::Transaction {
                name: transaction(adapter, "transactionId")?,
                user: user(adapter, "userid")?,
            })
        }
        // Ours: there is no published one.
        "logStreamAdapter" => {
            adapter.parts_of(&["journalName", "format"])?;
            Ok(AdapterKind::LogStream { journal: need(adapter, "journalName", 8)?.to_owned() })
        }
        // Recalled, not read: no published file with these is at hand.
        "httpAdapter" | "cicsHTTPAdapter" => {
            adapter.parts_of(&["urimap", "format"])?;
            Ok(AdapterKind::Http { urimap: need(adapter, "urimap", 8)?.to_owned() })
        }
        "customAdapter" | "cicsCustomAdapter" => {
            adapter.parts_of(&["data", "format"])?;
            Ok(AdapterKind::Custom { data: text(adapter, "data")?.to_owned() })
        }
        _ => Err(adapter.wrong(format!("the adapter {adapter} is not built"))),
    }
}

fn format(adapter: &Element, kind: &AdapterKind) -> Result<DataFormat, Wrong> {
    let written = text(adapter, "format")?;
    let format = FORMATS.iter().find(|(name, _)| *name == written).map(|(_, format)| *format);
    match (kind, format) {
        (AdapterKind::Custom { .. }, _) => Ok(DataFormat::Cce),
        (AdapterKind::Transaction { .. }, Some(DataFormat::Cce)) => Ok(DataFormat::Cce),
        (AdapterKind::Transaction { .. }, None) if written.is_empty() => Ok(DataFormat::Cce),
        (AdapterKind::Transaction { .. }, _) => {
            Err(adapter.wrong("a transaction gets its events in the format CCE"))
        }
        (_, Some(DataFormat::Cce)) => Err(adapter.wrong("the format CCE is for transactions")),
        (AdapterKind::Http { .. }, Some(DataFormat::Cfe)) => {
            Err(adapter.wrong("a server gets no events in the format CFE"))
        }
        (_, Some(format)) => Ok(format),
        (_, None) => Err(adapter.wrong(format!("the format '{written}' of events is not known"))),
    }
}

/// Reads an `.epadapterset`: the names of its adapters.
///
/// # Errors
/// It is none, or has something that is not known.
pub fn read_set(text: &str) -> Result<Vec<String>, Wrong> {
    let root = root(text, "EPAdapterSet")?;
    let parts = root.parts_of(&["description", "userTag", "eventAdapterName"])?;
    let mut names: Vec<String> = Vec::new();
    for element in parts.iter().filter(|part| part.name == "eventAdapterName") {
        let name = element.text.trim();
        if !is_event_name(name) || names.iter().any(|other| other == name) {
            return Err(element.wrong(format!("the name of an adapter is none, or is there twice: '{name}'")));
        }
        names.push(name.to_owned());
    }
    if names.is_empty() || names.len() > SET_MAX {
        return Err(root.wrong(format!("a set in {NAMESPACE} has 1 to {SET_MAX} adapters")));
    }
    Ok(names)
}
