//! The numbers of this crate's messages.

/// No folder has the program.
pub(crate) const NO_PROGRAM: &str = "SPTC001";
/// No folder has the mapset.
pub(crate) const NO_MAPSET: &str = "SPTC002";
/// A folder or file that the configuration names is not there.
pub(crate) const NO_FOLDER: &str = "SPTC003";
/// A file cannot be read.
pub(crate) const UNREADABLE: &str = "SPTC004";
/// The compiler has failed.
pub(crate) const COMPILER_FAILED: &str = "SPTC005";
/// The folder of compiled programs cannot be written.
pub(crate) const UNWRITABLE: &str = "SPTC008";
/// A path that is there names no member of its kind.
pub(crate) const NO_MEMBER: &str = "SPTC012";
/// A copybook stands for a supplied one and lacks names of it, or gives them other values (warning).
pub(crate) const SHADOWED: &str = "SPTC013";
/// The code of a program cannot be kept for the next start (warning).
pub(crate) const NOT_KEPT: &str = "SPTC016";
/// Several files hold a program or mapset of one name, and none is called so (warning).
pub(crate) const DOUBLED: &str = "SPTC021";
/// A program is not compiled any more, since the region ends.
pub(crate) const ENDED: &str = "SPTC022";
