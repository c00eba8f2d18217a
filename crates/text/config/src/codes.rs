//! The numbers of this crate's messages.

/// The text is not TOML.
pub const SYNTAX: &str = "SPCF001";
/// A key that the file does not have.
pub const UNKNOWN_KEY: &str = "SPCF002";
/// A value of the wrong type.
pub const TYPE: &str = "SPCF003";
/// A value that is out of bounds or none of the words allowed.
pub const VALUE: &str = "SPCF004";
/// A key that must be there is not.
pub const MISSING: &str = "SPCF005";
/// A listening address that is none.
pub const ADDRESS: &str = "SPCF006";
/// A listener that other machines can reach, in clear (warning).
pub const OPEN_LISTENER: &str = "SPCF007";
/// A system initialization parameter that does not exist.
pub const UNKNOWN_PARAMETER: &str = "SPCF008";
/// A system initialization parameter that has no effect here (warning).
pub const NO_EFFECT: &str = "SPCF009";
/// A system initialization parameter that is written elsewhere in the file.
pub const ELSEWHERE: &str = "SPCF010";
/// A name that breaks the rules of its kind.
pub const NAME: &str = "SPCF011";
/// A key of `[compile]` that has no effect any more (warning).
pub const OF_COBC: &str = "SPCF012";
/// A user that the file names twice.
pub const DUPLICATE_USER: &str = "SPCF013";
/// A password that is no hash.
pub const PASSWORD: &str = "SPCF014";
/// A TLS listener without a certificate.
pub const NO_CERTIFICATE: &str = "SPCF015";
/// A setting from outside the file that is none.
pub const SETTING: &str = "SPCF016";
/// A class that no parameter of `[sit]` names.
pub const CLASS: &str = "SPCF017";
/// A profile that the file has twice.
pub const DUPLICATE_PROFILE: &str = "SPCF018";
/// A date that is none.
pub const DATE: &str = "SPCF019";
/// A compiler that former versions had.
pub const COMPILER: &str = "SPCF021";
/// A secret in clear.
pub const SECRET: &str = "SPCF020";
