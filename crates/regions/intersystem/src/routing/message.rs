//! Requests and answers of routing, as bytes. A partner's bytes are read strictly, and mean nothing until they are checked.

use bms::{Extended, ExtendedSet};
use domains::interval::StartData;
use kernel::channels::Channel;
use kernel::name::{Name8, QueueName, TerminalName, TransactionName};
use kernel::task::{NextTask, StartCode};
use kernel::terminals::{AtOwner, Printer, Terminal, TerminalParts, UpperCase};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use tn3270::datastream::{Address, Aid, Field, Inbound, Input, Size};
use tn3270::telnet::PrinterLanguage;

use crate::message::{of_bytes, to_bytes};

/// The byte by which messages of routing differ from those of shipping, which never begin with it.
const OWN: u8 = 0xFF;

/// The rest of a message of routing; `None`: it is another one.
pub(crate) fn own(body: &[u8]) -> Option<&[u8]> {
    body.strip_prefix(&[OWN])
}

/// A message as bytes.
pub(super) fn written(message: &impl Serialize) -> Vec<u8> {
    [&[OWN], to_bytes(message).as_slice()].concat()
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Ask {
    /// A task is to begin.
    Attach(Box<Attach>),
    /// The task goes on.
    Next {
        /// The conversation.
        conversation: u64,
        /// The input for which it waits.
        input: Option<Typed>,
        /// The fate of the page that it prints.
        printed: Option<u8>,
    },
    /// The terminal is gone.
    Gone {
        /// The conversation.
        conversation: u64,
    },
    /// The task goes on without the input for which it has waited.
    Wake {
        /// The conversation, of the other direction.
        conversation: u64,
    },
    /// A task is to be started at a terminal of the region that is asked.
    Start(Box<Start>),
}

/// The beginning of a routed task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attach {
    /// The conversation.
    pub conversation: u64,
    /// The user of the relay.
    pub user: [u8; 8],
    /// The transaction by its name there.
    pub transaction: [u8; 4],
    /// The beginning.
    pub begins: Begins,
    /// The terminal.
    pub terminal: Shown,
    /// The state of its screen.
    pub now: Now,
    /// The input that starts it.
    pub input: Option<Typed>,
    /// The COMMAREA of the pseudo-conversation.
    #[serde(with = "serde_bytes")]
    pub commarea: Option<Vec<u8>>,
    /// Its channel.
    #[serde(with = "serde_bytes")]
    pub channel: Option<Vec<u8>>,
    /// INPUTMSG.
    #[serde(with = "serde_bytes")]
    pub input_message: Option<Vec<u8>>,
}

/// A START for a terminal of the region that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Start {
    /// The terminal's name there.
    pub terminal: [u8; 4],
    /// The transaction.
    pub transaction: [u8; 4],
    /// The user.
    pub user: [u8; 8],
    /// The beginning.
    pub begins: Begins,
    /// START CHANNEL.
    #[serde(with = "serde_bytes")]
    pub channel: Option<Vec<u8>>,
}

/// The cause of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Begins {
    /// Input, or RETURN TRANSID.
    Terminal,
    /// START.
    Start(Option<Data>),
    /// The trigger level of a queue.
    Trigger([u8; 4]),
}

/// The data of a START.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Data {
    /// FROM.
    #[serde(with = "serde_bytes")]
    pub data: Option<Vec<u8>>,
    /// RTRANSID.
    pub transaction: Option<[u8; 4]>,
    /// RTERMID.
    pub terminal: Option<[u8; 4]>,
    /// QUEUE.
    pub queue: Option<[u8; 8]>,
}

impl Begins {
    /// The cause of a task with this start code, which has this for RETRIEVE.
    pub fn of(code: StartCode, data: Option<&StartData>) -> Self {
        match code {
            StartCode::Trigger(queue) => Self::Trigger(*queue.as_bytes()),
            StartCode::Start | StartCode::StartWithData => {
                Self::Start(data.filter(|data| !data.is_empty()).map(|data| Data {
                    data: data.data.clone(),
                    transaction: data.transaction.map(|name| *name.as_bytes()),
                    terminal: data.terminal.map(|name| *name.as_bytes()),
                    queue: data.queue.map(|name| *name.as_bytes()),
                }))
            }
            _ => Self::Terminal,
        }
    }

    /// The start code of the task, and its data for RETRIEVE.
    pub fn into_task(self) -> (StartCode, Option<StartData>) {
        match self {
            Self::Terminal => (StartCode::Terminal, None),
            Self::Trigger(queue) => (StartCode::Trigger(QueueName::new(queue)), None),
            Self::Start(None) => (StartCode::Start, Some(StartData::default())),
            Self::Start(Some(data)) => {
                let data = StartData {
                    data: data.data,
                    transaction: data.transaction.map(TransactionName::new),
                    terminal: data.terminal.map(TerminalName::new),
                    queue: data.queue.map(Name8::new),
                    ..StartData::default()
                };
                (StartCode::StartWithData, Some(data))
            }
        }
    }
}

/// A terminal, as its owner describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shown {
    /// Its name.
    pub name: [u8; 4],
    /// The number of its connection: a user who has signed on from it is not signed on for the next one of its name.
    pub connection: u64,
    /// Its network name.
    pub netname: [u8; 8],
    /// The rows and columns of both sizes.
    pub sizes: [(u16, u16); 2],
    /// Its extended attributes, by their places in symbolic maps.
    pub features: Vec<u8>,
    /// The place of its client.
    pub peer: String,
    /// A printer: true if it takes SCS, and true if it begins a page at a form feed.
    pub printer: Option<(bool, bool)>,
}

impl Shown {
    /// A terminal of this region.
    pub fn of(terminal: &Terminal) -> Self {
        let parts = &terminal.parts;
        let size = |size: Size| (size.rows, size.columns);
        Self {
            name: *terminal.name.as_bytes(),
            connection: terminal.connection,
            netname: *terminal.netname.as_bytes(),
            sizes: [size(parts.default_size), size(parts.alternate_size)],
            features: parts.features.kinds().map(|kind| kind as u8).collect(),
            peer: parts.peer.clone(),
            printer: parts.printer.map(|it| (it.language == PrinterLanguage::Scs, it.form_feed)),
        }
    }

    /// Its parts; `None` if its screen cannot have that size.
    pub fn parts(&self) -> Option<TerminalParts> {
        let [default_size, alternate_size] = self.sizes.map(|(rows, columns)| Size::checked(rows, columns));
        let known = Extended::ALL.into_iter().filter(|kind| self.features.contains(&(*kind as u8)));
        Some(TerminalParts {
            default_size: default_size?,
            alternate_size: alternate_size?,
            features: known.fold(ExtendedSet::NONE, ExtendedSet::with),
            peer: self.peer.chars().take(PEER_MAX).collect(),
            upper_case: UpperCase::No,
            printer: self.printer.map(|(is_scs, form_feed)| Printer {
                language: if is_scs { PrinterLanguage::Scs } else { PrinterLanguage::DataStream },
                form_feed,
            }),
        })
    }
}

/// Characters of the place of a client.
const PEER_MAX: usize = 64;

/// The state of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Now {
    alternate: bool,
    locked: bool,
    upper_case: u8,
    aid: u8,
    cursor: u16,
}

impl From<AtOwner> for Now {
    fn from(now: AtOwner) -> Self {
        let AtOwner { alternate, locked, upper_case, last_key: (aid, cursor) } = now;
        Self { alternate, locked, upper_case: upper_case as u8, aid: aid.code(), cursor: cursor.0 }
    }
}

impl From<Now> for AtOwner {
    fn from(now: Now) -> Self {
        Self {
            alternate: now.alternate,
            locked: now.locked,
            upper_case: match now.upper_case {
                0 => UpperCase::No,
                1 => UpperCase::Transaction,
                _ => UpperCase::Yes,
            },
            last_key: (Aid::of(now.aid).unwrap_or(Aid::None), Address(now.cursor)),
        }
    }
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Typed {
    aid: u8,
    data: Keyed,
}

/// The data of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Keyed {
    Nothing,
    Fields(u16, Vec<(u16, Vec<u8>)>),
    Unformatted(u16, #[serde(with = "serde_bytes")] Vec<u8>),
    Structured(Vec<Vec<u8>>),
}

impl From<Inbound> for Typed {
    fn from(input: Inbound) -> Self {
        let data = match input.input {
            Input::None => Keyed::Nothing,
            Input::Fields { cursor, fields } => Keyed::Fields(
                cursor.0,
                fields.into_iter().map(|field| (field.address.0, field.data)).collect(),
            ),
            Input::Unformatted { cursor, data } => Keyed::Unformatted(cursor.0, data),
            Input::Structured(fields) => Keyed::Structured(fields),
        };
        Self { aid: input.aid.code(), data }
    }
}

impl Typed {
    /// The input; `None` if no key has that code.
    pub fn into_input(self) -> Option<Inbound> {
        let field = |(address, data)| Field { address: Address(address), data };
        let input = match self.data {
            Keyed::Nothing => Input::None,
            Keyed::Fields(cursor, fields) => {
                Input::Fields { cursor: Address(cursor), fields: fields.into_iter().map(field).collect() }
            }
            Keyed::Unformatted(cursor, data) => Input::Unformatted { cursor: Address(cursor), data },
            Keyed::Structured(fields) => Input::Structured(fields),
        };
        Some(Inbound { aid: Aid::of(self.aid)?, input })
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The output of the task, and what it does then.
    Told(Vec<ByteBuf>, Then),
    /// The task does not begin, and why: for the user.
    Refused(String),
    /// It was heard.
    Heard,
    /// There is no such conversation, or no such terminal.
    Nobody,
}

/// The state of a task behind its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Then {
    /// It goes on.
    Goes,
    /// It waits for input.
    Waits,
    /// It prints a page; true: in SCS.
    Prints(#[serde(with = "serde_bytes")] Vec<u8>, bool),
    /// It is over.
    Ended(Box<Ended>),
}

/// The end of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended {
    /// RETURN TRANSID.
    pub transaction: Option<[u8; 4]>,
    /// Its COMMAREA.
    #[serde(with = "serde_bytes")]
    pub commarea: Option<Vec<u8>>,
    /// Its channel.
    #[serde(with = "serde_bytes")]
    pub channel: Option<Vec<u8>>,
    /// IMMEDIATE.
    pub immediate: bool,
    /// INPUTMSG.
    #[serde(with = "serde_bytes")]
    pub input_message: Option<Vec<u8>>,
    /// The session with the terminal is to end.
    pub logs_off: bool,
    /// Its abend.
    pub abend: Option<[u8; 4]>,
}

impl Ended {
    /// The end of a task whose RETURN asks for this.
    pub fn of(next: NextTask) -> Self {
        Self {
            transaction: next.transaction.map(|name| *name.as_bytes()),
            commarea: next.commarea,
            channel: next.channel.map(|channel| channel.to_bytes()),
            immediate: next.immediate,
            input_message: next.input_message,
            ..Self::default()
        }
    }

    /// The task that is to come next.
    pub fn next(&mut self) -> NextTask {
        NextTask {
            transaction: self.transaction.take().map(TransactionName::new),
            commarea: self.commarea.take(),
            channel: self.channel.take().and_then(|bytes| Channel::from_bytes(&bytes)),
            immediate: self.immediate,
            input_message: self.input_message.take(),
        }
    }
}

/// The answer of these bytes.
pub(super) fn answer(bytes: &[u8]) -> Option<Answer> {
    own(bytes).and_then(of_bytes)
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;

    use kernel::security::User;
    use kernel::terminals::Line as TerminalLine;

    use super::*;

    /// A client that nothing reaches.
    struct Deaf;

    impl TerminalLine for Deaf {
        fn send(&self, _: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(std::future::ready(false))
        }

        fn try_send(&self, _: Vec<u8>) -> bool {
            false
        }

        fn close(&self) {}
    }

    #[test]
    fn a_client_that_comes_later_is_another_terminal_whatever_its_name() {
        let size = Size::checked(24, 80).expect("a size");
        let connected = || {
            let parts = TerminalParts {
                default_size: size,
                alternate_size: size,
                features: ExtendedSet::NONE,
                peer: String::from("192.0.2.1:5000"),
                upper_case: UpperCase::No,
                printer: None,
            };
            let name = TerminalName::from("T001");
            Terminal::new(name, Name8::from("LU1"), parts, User::region(), Box::new(Deaf))
        };
        let (one, other): (Arc<Terminal>, Arc<Terminal>) = (connected(), connected());
        assert_eq!(Shown::of(&one), Shown::of(&one));
        assert_ne!(Shown::of(&one), Shown::of(&other), "who has signed on from one is nobody to the other");
    }
}
