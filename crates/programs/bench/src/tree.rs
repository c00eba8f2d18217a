//! LMDB and nothing else, as a floor.

use std::path::Path;

use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions};

/// The most that a tree may hold.
const MAP_BYTES: usize = 8 << 30;

/// An empty tree in a folder of its own.
pub(crate) fn open(folder: &Path) -> heed::Result<(Env, Database<Bytes, Bytes>)> {
    let mut options = EnvOpenOptions::new();
    options.map_size(MAP_BYTES);
    let env = records::open_lmdb(options, EnvFlags::empty(), folder)?;
    let mut txn = env.write_txn()?;
    let records = env.create_database(&mut txn, None)?;
    txn.commit()?;
    Ok((env, records))
}
