//! The CALL by which a program asks for an SQL statement: what the compiler writes and the host reads.
//!
//! Its parameters are the descriptor, the SQLCA, and the items of the statement.
//!
//! The descriptor has [`LENGTH`] bytes. Little-endian, packed:
//!
//! | bytes | meaning |
//! |---|---|
//! | 8 | the package's token: see [`Package::token`](crate::package::Package::token) |
//! | 2 | the statement's number in the package, from 1 |
//! | 1 | zero |
//! | 1 | version of this layout |
//!
//! All else stands in the package, once for all calls of the program. The third and later parameters of the CALL are
//! the items that the package's [`Variable`](crate::package::Variable)s name, each once: parameter *n* of a variable is
//! parameter [`IN_FRONT`] + *n* of the CALL. The function's value is not looked at.

/// The symbol called for each statement.
pub const SYMBOL: &str = "DFHSQL";
/// Parameters of the CALL before those that variables name: descriptor and SQLCA.
pub const IN_FRONT: usize = 2;
/// Most items that a statement may pass beside them: a CALL takes no more.
pub const ARGUMENTS_MAX: usize = 180;
/// Bytes of a descriptor.
pub const LENGTH: usize = 12;

const VERSION: u8 = 2;

/// A read descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Which package the statement is in.
    pub token: u64,
    /// Its number there, from 1.
    pub statement: u16,
}

impl Descriptor {
    /// Reads a descriptor; `None` if the bytes are not one.
    #[inline]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let (token, rest) = bytes.split_first_chunk::<8>()?;
        let [low, high, 0, VERSION] = *rest else { return None };
        let statement = u16::from_le_bytes([low, high]);
        Some(Self { token: u64::from_le_bytes(*token), statement })
    }

    /// The bytes of it.
    pub fn encode(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..8].copy_from_slice(&self.token.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.statement.to_le_bytes());
        bytes[11] = VERSION;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_survives_the_way_through_a_program() {
        let descriptor = Descriptor { token: 0x0123_4567_89ab_cdef, statement: 513 };
        assert_eq!(Descriptor::new(&descriptor.encode()), Some(descriptor));
    }

    #[test]
    fn garbage_is_not_a_descriptor() {
        assert_eq!(Descriptor::new(b""), None);
        assert_eq!(Descriptor::new(&[0; LENGTH]), None);
        assert_eq!(Descriptor::new(&[VERSION; LENGTH + 1]), None);
    }
}
