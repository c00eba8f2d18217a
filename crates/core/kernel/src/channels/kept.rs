//! A channel as a field of a record: what a START leaves for the time after a restart.

use std::sync::Arc;

use super::{Bytes, Channel, DataType, Encoding};
use crate::fields::{FieldReader, FieldWriter};

/// Stands where the CCSID of characters would: the container has bytes.
const BYTES: i64 = 0;

impl Channel {
    /// Its name, and its containers in the order in which they were put.
    pub fn to_bytes(&self) -> Vec<u8> {
        let containers = self.names().into_iter().filter_map(|name| Some((name, self.get(name)?)));
        let written =
            containers.fold(FieldWriter::default().bytes(self.name.as_ref()), |fields, (name, kept)| {
                let ccsid = match kept.data_type {
                    DataType::Bit => BYTES,
                    DataType::Char(encoding) => encoding.ccsid(),
                };
                fields.bytes(name.as_ref()).number(ccsid).bytes(&kept.data)
            });
        written.end()
    }

    /// The channel again; `None` where it is none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Arc<Self>> {
        let mut fields = FieldReader(bytes);
        let channel = Self::new(fields.name()?);
        while !fields.is_at_end() {
            let name = fields.name()?;
            let data_type = match fields.number()? {
                BYTES => DataType::Bit,
                ccsid => DataType::Char(Encoding::of_ccsid(ccsid)?),
            };
            channel.put(name, Bytes::own(fields.bytes()?), data_type);
        }
        Some(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_comes_back_as_it_was() {
        let channel = Channel::new("ORDERS".into());
        channel.put("SECOND".into(), Bytes::own(b"\0\xff"), DataType::Bit);
        channel.put("FIRST".into(), Bytes::own(b"text"), DataType::Char(Encoding::Utf8));
        let written = channel.to_bytes();
        let back = Channel::from_bytes(&written).expect("a channel");
        assert_eq!((back.name, back.names()), (channel.name, channel.names()));
        for name in channel.names() {
            let (own, other) = (channel.get(name).expect("there"), back.get(name).expect("there"));
            assert_eq!((&**own.data, own.data_type), (&**other.data, other.data_type));
        }
        assert!(Channel::from_bytes(&written[..written.len() - 1]).is_none());
    }
}
