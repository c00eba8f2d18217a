//! Facts about the task in which an event is captured.

/// A fact about the task in which an event may be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Its transaction.
    Transaction,
    /// The program that gives the command.
    Program,
    /// Its user.
    User,
    /// The response of the command.
    Response,
    /// The last attention identifier.
    Aid,
    /// The position of the cursor.
    Cursor,
}

/// Words of facts: as an element of a filter, and as a source of an item.
pub(crate) const CONTEXTS: [(Context, &str, &str); 6] = [
    (Context::Transaction, "transactionId", "TRANSID"),
    (Context::Program, "currentProgram", "PROGRAM"),
    (Context::User, "userId", "USERID"),
    (Context::Response, "CommandResp", "RESP"),
    (Context::Aid, "EIBAID", "EIBAID"),
    (Context::Cursor, "EIBCPOSN", "EIBCPOSN"),
];

impl Context {
    /// Its word as the source of an item.
    pub fn source(self) -> &'static str {
        CONTEXTS.iter().find(|(of, ..)| *of == self).map_or("", |(.., source)| source)
    }
}
