//! Requests and answers of shipping, as bytes. A partner's bytes are read strictly, and mean nothing until they are checked.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Something is to be done in a conversation.
    Do {
        /// The conversation.
        conversation: u64,
        /// It begins with this.
        begins: Option<Begins>,
        /// The work.
        work: Work,
    },
    /// The conversation's unit of work is to be prepared under this name.
    Prepare {
        /// The conversation.
        conversation: u64,
        /// The name of the asker's log, and that of the unit of work.
        #[serde(with = "serde_bytes")]
        unit: Vec<u8>,
    },
    /// No other region has changes of the unit of work: it is committed in one phase.
    Commit {
        /// The conversation.
        conversation: u64,
    },
    /// The decision about a unit of work.
    Decide {
        /// The conversation, if it is still there.
        conversation: Option<u64>,
        /// The name under which it was prepared.
        #[serde(with = "serde_bytes")]
        unit: Vec<u8>,
        /// It is committed; else it is backed out.
        commits: bool,
    },
    /// The conversation is over: it has changed nothing.
    Forget {
        /// The conversation.
        conversation: u64,
    },
    /// An operator's decision may be forgotten.
    Forgotten {
        /// The name of the unit of work.
        #[serde(with = "serde_bytes")]
        unit: Vec<u8>,
    },
    /// The asker's units of work that are in doubt.
    Indoubt {
        /// The name of the asker's log.
        log: u64,
    },
    /// Units of work are in doubt at the asker for which this region decides: it is to say how they end.
    Doubts,
}

/// The beginning of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Begins {
    /// The user of the asking task.
    pub user: [u8; 8],
}

/// Work for a mirror task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    /// A command.
    Command(Shipped),
    /// A program.
    Link(Linked),
    /// A START, whose task the routing program of this area is to hear of.
    Followed(Shipped, #[serde(with = "serde_bytes")] Vec<u8>),
}

/// A command by the numbers of its sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shipped {
    /// The command.
    pub command: u16,
    /// The options with fields.
    pub fields: Vec<Field>,
    /// The options without.
    pub keywords: Vec<u16>,
    /// The channel that one of the options names.
    #[serde(with = "serde_bytes")]
    pub channel: Option<Vec<u8>>,
}

/// A field of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Field {
    /// The option.
    pub option: u16,
    /// The bytes that it takes.
    pub room: u32,
    /// The content.
    pub content: Wire,
}

/// The content of a field. There is no address in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Wire {
    /// Nothing.
    Nothing,
    /// Bytes.
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    /// A number.
    Number(i64),
}

/// A LINK.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Linked {
    /// The program.
    pub program: [u8; 8],
    /// The transaction of the mirror task; `None`: the usual one.
    pub transaction: Option<[u8; 4]>,
    /// The bytes of the COMMAREA that are sent, and its whole length.
    pub commarea: Option<(ByteBuf, u16)>,
    /// The channel.
    #[serde(with = "serde_bytes")]
    pub channel: Option<Vec<u8>>,
    /// SYNCONRETURN.
    pub syncs: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The command has come to this.
    Done(Done),
    /// The mirror task has ended with an abend.
    Abended([u8; 4]),
    /// There is no mirror task.
    Refused(Refusal),
    /// The vote.
    Voted(Voted),
    /// The end of a unit of work in one phase; `None`: not known.
    Ended(Option<bool>),
    /// The decision was carried out; true and false: an operator has committed, or backed it out, before.
    Heard(Option<bool>),
    /// The decision was not carried out, and is to be sent again.
    NotHeard,
    /// Units of work in doubt.
    Units(Vec<Vec<u8>>),
    /// The mirror task has ended with an abend, and what it had changed is undone.
    Undone([u8; 4]),
}

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// RESP.
    pub condition: u16,
    /// RESP2.
    pub resp2: i32,
    /// Its results, by the numbers of the sender.
    pub results: Vec<(u16, Wire)>,
    /// EIBREQID.
    pub request: [u8; 8],
    /// The COMMAREA.
    #[serde(with = "serde_bytes")]
    pub commarea: Option<Vec<u8>>,
    /// The containers that were changed, as a channel; and the names of those that were deleted.
    pub channel: Option<(ByteBuf, Vec<[u8; 16]>)>,
    /// The mirror task is still there.
    pub keeps: Keeps,
}

/// The state of a mirror task behind its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Keeps {
    /// It ends.
    #[default]
    Nothing,
    /// It holds something, and has changed nothing.
    Holds,
    /// It has changed something.
    Changes,
}

/// The reason for which there is no mirror task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Refusal {
    /// The user has no right to it.
    NotAuthorized,
    /// The region takes no more tasks.
    NoRoom,
    /// The request is none.
    NotUnderstood,
    /// The conversation is not there any more.
    Gone,
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Voted {
    /// It can end either way.
    Yes,
    /// It is backed out.
    No,
    /// It has changed nothing, and has ended.
    ReadOnly,
}

/// A message as bytes.
pub(crate) fn to_bytes(message: &impl Serialize) -> Vec<u8> {
    // Into memory of its own nothing can fail.
    postcard::to_stdvec(message).unwrap_or_default()
}

/// The message of these bytes, if they are one and nothing else.
pub(crate) fn of_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (message, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(message)
}
