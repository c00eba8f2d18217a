//! The numbers of this crate's messages.

/// No folder has the program.
pub(crate) const NO_PROGRAM: &str = "SPTC001";
/// No folder has the mapset.
pub(crate) const NO_MAPSET: &str = "SPTC002";
/// A folder or file that the configuration names is not there.
pub(crate) const NO_FOLDER: &str = "SPTC003";
/// A file cannot be read.
pub(crate) const UNREADABLE: &str = "SPTC004";
/// The compiler failed without saying where.
pub(crate) const COMPILER_FAILED: &str = "SPTC005";
/// The compiler is not installed.
pub(crate) const NO_COMPILER: &str = "SPTC006";
/// The compiler is of another version than the host knows.
pub(crate) const OTHER_COMPILER: &str = "SPTC007";
/// The folder of compiled programs cannot be written.
pub(crate) const UNWRITABLE: &str = "SPTC008";
/// A character that programs cannot hold (warning).
pub(crate) const CHARACTER: &str = "SPTC009";
/// There are more errors than are shown (note).
pub(crate) const MORE_ERRORS: &str = "SPTC010";
/// The C compiler behind the COBOL compiler is not installed.
pub(crate) const NO_C_COMPILER: &str = "SPTC011";
/// A path that is there names no member of its kind.
pub(crate) const NO_MEMBER: &str = "SPTC012";
/// A copybook stands for a supplied one and lacks names of it, or gives them other values (warning).
pub(crate) const SHADOWED: &str = "SPTC013";
/// A program has a record that natively compiled programs cannot use.
pub(crate) const NOT_NATIVE: &str = "SPTC014";
/// The configuration leaves a program to GnuCOBOL (warning).
pub(crate) const HOSTED: &str = "SPTC015";
/// The code of our own compiler cannot be kept for the next start (warning).
pub(crate) const NOT_KEPT: &str = "SPTC016";
/// A program by GnuCOBOL sees a record otherwise than natively compiled ones do (warning).
pub(crate) const DECIDED: &str = "SPTC017";
/// A natively compiled program CALLs one that is hosted (warning).
pub(crate) const ACROSS: &str = "SPTC019";
/// The hosted compiler has not ended within its limit.
pub(crate) const ENDLESS: &str = "SPTC020";
/// Several files hold a program or mapset of one name, and none is called so (warning).
pub(crate) const DOUBLED: &str = "SPTC021";
/// A place at which GnuCOBOL computes something else (warning).
pub(crate) const HOSTED_PLACE: &str = "SPTC022";
