//! Keys with their records in a message: as bytes, not as numbers one by one.

use serde::{Deserialize, Deserializer, Serializer};
use serde_bytes::Bytes;

/// A key and its record.
type Pair<'a> = (&'a [u8], &'a [u8]);

pub(crate) fn serialize<S: Serializer>(pairs: &[Pair<'_>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|(key, record)| (Bytes::new(key), Bytes::new(record))))
}

pub(crate) fn deserialize<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Pair<'a>>, D::Error> {
    let pairs = Vec::<(&Bytes, &Bytes)>::deserialize(deserializer)?;
    Ok(pairs.into_iter().map(|(key, record)| (&**key, &**record)).collect())
}
