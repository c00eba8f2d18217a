//! The numbers of this crate's messages. Those that begin with IDC are the utility's published ones; the words are ours.

/// A name is not one that a data set can have.
pub(crate) const NAME: &str = "SPDS001";
/// The data sets refuse a command.
pub(crate) const REFUSED: &str = "SPDS002";
/// A command names no data set that is known here.
pub(crate) const NO_DATA_SET: &str = "SPDS003";
/// A command or organization is not built.
pub(crate) const NOT_BUILT: &str = "SPDS004";
/// A file outside cannot be read or written.
pub(crate) const FILE: &str = "SPDS005";
/// A file is no copy that EXPORT wrote.
pub(crate) const NO_COPY: &str = "SPDS006";
/// A definition and the existing entry differ.
pub(crate) const OTHERWISE: &str = "SPDS007";

/// A command is done, with its code.
pub(crate) const DONE: &str = "IDC0001I";
/// The number of records that were processed.
pub(crate) const PROCESSED: &str = "IDC0005I";
/// An entry was altered.
pub(crate) const ALTERED: &str = "IDC0531I";
/// An entry was deleted.
pub(crate) const DELETED: &str = "IDC0550I";
/// A copy was written.
pub(crate) const EXPORTED: &str = "IDC0594I";
/// A copy is read in.
pub(crate) const IMPORTED: &str = "IDC0604I";
/// An alternate index was built.
pub(crate) const BUILT: &str = "IDC0652I";
/// An index test begins, and has found nothing.
pub(crate) const INDEX_TEST: &str = "IDC01700I";
pub(crate) const INDEX_SOUND: &str = "IDC01724I";
/// A data test begins, and has found nothing.
pub(crate) const DATA_TEST: &str = "IDC01701I";
pub(crate) const DATA_SOUND: &str = "IDC01709I";
/// The number of records that the data test read, and the longest.
pub(crate) const DATA_RECORDS: &str = "IDC01710I";
pub(crate) const DATA_LONGEST: &str = "IDC01712I";
/// A test has found something.
pub(crate) const UNSOUND: &str = "IDC01723I";
/// No entry has this name.
pub(crate) const NOT_FOUND: &str = "IDC3012I";
/// An entry has this name already.
pub(crate) const EXISTS: &str = "IDC3013I";
/// The catalogue refuses.
pub(crate) const CATALOGUE: &str = "IDC3009I";
/// A data set cannot be opened.
pub(crate) const NOT_OPENED: &str = "IDC3300I";
/// A record cannot be read or written.
pub(crate) const ACTION: &str = "IDC3302I";
/// Records were refused as duplicates.
pub(crate) const DUPLICATES: &str = "IDC3308I";
/// A record comes out of order.
pub(crate) const OUT_OF_ORDER: &str = "IDC3314I";

/// The number that tells of an error of the data sets.
pub(crate) fn of(error: &vsam::Error) -> &'static str {
    use vsam::Error;
    match error {
        Error::NoEntry(_) => NOT_FOUND,
        Error::EntryExists(_) => EXISTS,
        Error::Definition { .. } | Error::WrongKind { .. } | Error::NotEmpty(_) => CATALOGUE,
        Error::InUse(_) => NOT_OPENED,
        Error::OutOfOrder(_) => OUT_OF_ORDER,
        Error::Duplicate | Error::DuplicateAlternate(_) => DUPLICATES,
        Error::NotFound
        | Error::TooLong { .. }
        | Error::TooShort { .. }
        | Error::LengthChanged { .. }
        | Error::KeyLength { .. }
        | Error::Record { .. } => ACTION,
        Error::Name(_) => NAME,
        _ => REFUSED,
    }
}
