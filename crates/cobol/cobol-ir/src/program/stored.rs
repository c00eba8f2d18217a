//! A program as bytes: what a compilation keeps of it for the next start.

use super::Program;

impl Program {
    /// It as bytes.
    ///
    /// # Errors
    /// A mistake of ours: something of it has no form in bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }

    /// The program in some bytes; `None` if they are not a program. The caller answers for their author: nothing of
    /// the program is verified here.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (program, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(program)
    }
}

/// Tables with an entry for each character: serde knows only short arrays by itself.
pub(super) mod table {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    use super::super::CHARACTERS;

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        table: &[T; CHARACTERS],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        table.as_slice().serialize(to)
    }

    pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Box<[T; CHARACTERS]>, D::Error> {
        let entries = Vec::deserialize(from)?;
        let entries = Box::<[T]>::from(entries).try_into();
        entries.map_err(|_| D::Error::custom("a table has an entry for each character"))
    }
}

/// The same where there may be none.
pub(super) mod perhaps_table {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    use super::super::CHARACTERS;

    pub(in super::super) fn serialize<S: Serializer>(
        table: &Option<Box<[u8; CHARACTERS]>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        table.as_ref().map(|table| table.as_slice()).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Box<[u8; CHARACTERS]>>, D::Error> {
        let Some(entries) = Option::<Vec<u8>>::deserialize(from)? else { return Ok(None) };
        let entries = Box::<[u8]>::from(entries).try_into();
        entries.map(Some).map_err(|_| D::Error::custom("a table has an entry for each character"))
    }
}
