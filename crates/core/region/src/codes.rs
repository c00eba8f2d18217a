//! The numbers of this crate's messages.

/// A file cannot be read.
pub(crate) const UNREADABLE: &str = "SPRG001";
/// A folder or file of the state cannot be written.
pub(crate) const UNWRITABLE: &str = "SPRG002";
/// A listening address cannot be had.
pub(crate) const ADDRESS: &str = "SPRG003";
/// The region's own parts do not start.
pub(crate) const START: &str = "SPRG004";
/// A list or group to install is not in the CSD texts.
pub(crate) const NO_LIST: &str = "SPRG005";
/// A program or mapset has no source (warning).
pub(crate) const NO_SOURCE: &str = "SPRG006";
/// A file cannot be loaded.
pub(crate) const LOAD: &str = "SPRG007";
/// A certificate cannot be used.
pub(crate) const CERTIFICATE: &str = "SPRG008";
/// A transaction's program is not defined (warning).
pub(crate) const NO_PROGRAM: &str = "SPRG010";
/// A parameter names a transaction that is not defined (warning).
pub(crate) const NO_TRANSACTION: &str = "SPRG011";
pub(crate) use unseal::codes::KEY;
/// A type of resource or an attribute that has no effect here (warning).
pub(crate) const NO_EFFECT: &str = "SPRG012";
/// Something that a definition names is not defined (warning).
pub(crate) const NO_DEFINITION: &str = "SPRG013";
/// A file's data set is not there (warning).
pub(crate) const NO_DATA_SET: &str = "SPRG014";
/// There are more warnings of a kind than are shown.
pub(crate) const MORE: &str = "SPRG015";
/// A job without a step that holds definitions (warning).
pub(crate) const NO_STEP: &str = "SPRG016";
/// The state belongs to another region.
pub(crate) const OTHER_REGION: &str = "SPRG017";
/// A definition is not installed (warning).
pub(crate) const NOT_INSTALLED: &str = "SPRG019";
/// A copybook of events cannot be used.
pub(crate) const EVENT: &str = "SPRG020";
/// A parameter names a user who is not defined.
pub(crate) const NO_USER: &str = "SPRG021";
/// A command names what is not defined (lint).
pub(crate) const UNDEFINED_NAME: &str = "SPRG022";
/// An area of a command is too short (lint).
pub(crate) const SHORT_AREA: &str = "SPRG023";
/// An item cannot hold every RESP or RESP2 (lint).
pub(crate) const RESPONSE_ITEM: &str = "SPRG024";
/// A name in a command ends with X'00' (lint).
pub(crate) const NULL_NAME: &str = "SPRG025";
/// Data on disk are damaged.
pub(crate) const DAMAGED: &str = "SPRG018";
/// A service cannot be made: the region does without it.
pub(crate) const NO_SERVICE: &str = "SPRG026";
/// Records and tables are of different times.
pub(crate) const NO_PAIR: &str = "SPRG030";
/// The region's own tables cannot be opened, or a script for them fails.
pub(crate) const TABLES: &str = "SPRG041";
/// The record server that has the records cannot be used.
pub(crate) const NO_RECORDS: &str = "SPRG031";
/// A deck of BIND asks for what is not done (warning).
pub(crate) const BIND: &str = "SPRG028";
/// A bundle, or a part of one, is wrong, or asks for what regions do not have: it is not enabled.
pub(crate) const BUNDLE: &str = "SPRG032";
