//! The numbers of the command line's messages.

pub(crate) use command_line::codes::{NO_KEY, NO_RUNTIME, NO_SOCKET, UNREADABLE, UNWRITABLE};

/// The folder is not there.
pub(crate) const NO_FOLDER: &str = "SPCL001";
/// The folder has no region.toml.
pub(crate) const NO_REGION: &str = "SPCL002";
/// Something is in the way of a new application.
pub(crate) const NOT_EMPTY: &str = "SPCL005";
/// Some programs or maps do not build.
pub(crate) const NOT_BUILT: &str = "SPCL006";
/// There is no such user.
pub(crate) const NO_USER: &str = "SPCL007";
/// The password is not the user's.
pub(crate) const WRONG_PASSWORD: &str = "SPCL008";
/// No password was given.
pub(crate) const NO_PASSWORD: &str = "SPCL009";
/// A word that is no right.
pub(crate) const NO_RIGHT: &str = "SPCL010";
/// A user id or group that breaks the rules for names.
pub(crate) const BAD_NAME: &str = "SPCL011";
/// The log cannot be started.
pub(crate) const NO_LOG: &str = "SPCL013";
/// The CSD texts have errors.
pub(crate) const NOT_DEFINED: &str = "SPCL014";
/// A file for a ddname that is not understood.
pub(crate) const BAD_FILE: &str = "SPCL015";
/// The data sets cannot be had.
pub(crate) const NO_ACCESS: &str = "SPCL020";
/// A copybook, or the record in it, is not what it should be.
pub(crate) const NO_LAYOUT: &str = "SPCL021";
/// A batch program or a job did not end well.
pub(crate) const NOT_WELL: &str = "SPCL022";
/// There are no records to report on.
pub(crate) const NO_RECORDS: &str = "SPCL023";
/// A file that is no backup, or cannot be restored.
pub(crate) const NO_BACKUP: &str = "SPCL026";
/// A field that monitoring does not have.
pub(crate) const NO_FIELD: &str = "SPCL024";
/// No region runs on the state.
pub(crate) const NO_RUNNING_REGION: &str = "SPCL030";
/// A transaction that was run from outside ended with an abend.
pub(crate) const ABENDED: &str = "SPCL031";
/// An operator's command of which something was not done.
pub(crate) const NOT_OPERATED: &str = "SPCL038";
/// Nothing is known of what is to be explained.
pub(crate) const NOT_KNOWN: &str = "SPCL032";
/// A database that cannot be asked about SQL statements.
pub(crate) const NO_DATABASE: &str = "SPCL034";
/// An SQL statement that a database objects to.
pub(crate) const OBJECTION: &str = "SPCL035";
/// An SQL statement that was refused.
pub(crate) const REFUSED: &str = "SPCL037";
/// Tables that a backup does not have.
pub(crate) const WITHOUT_TABLES: &str = "SPCL039";
/// A web service that cannot be bound, or tried.
pub(crate) const NO_SERVICE: &str = "SPCL036";
/// An option that has no effect any more.
pub(crate) const WITHOUT_EFFECT: &str = "SPCL041";
/// An audit that is not in order, or not there.
pub(crate) const AUDIT: &str = "SPCL033";
/// Records that cannot be served.
pub(crate) const NOT_SERVED: &str = "SPCL042";
/// A topology that is not there, or runs already.
pub(crate) const NO_TOPOLOGY: &str = "SPCL043";
/// Definitions of which a region has not installed all.
pub(crate) const NOT_INSTALLED: &str = "SPCL044";
/// Standard output is no terminal.
pub(crate) const NO_TERMINAL: &str = "SPCL045";
/// A page that cannot be read, or was not run to its end.
pub(crate) const NO_PAGE: &str = "SPCL046";
