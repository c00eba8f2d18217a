//! One at a time makes, starts or stops a private server: regions and commands that come to one folder wait for each other. The
//! system lets go of a lock whose holder is killed.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;

use tokio::time::{Instant, sleep};

use super::cluster::Cluster;
use super::{CannotStart, LOOK};
use crate::limits;

/// The turn of one; the next one's begins when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _lock: File,
}

/// Waits for its turn, in limited time.
pub(super) async fn take(cluster: &Cluster) -> Result<Turn, CannotStart> {
    let path = cluster.path().join("lock");
    let failed = |error| CannotStart::Io { path: path.clone(), error };
    let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(failed)?;
    let deadline = Instant::now() + limits::SERVER_TURN;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Turn { _lock: lock }),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(CannotStart::InUse(cluster.path().to_owned()));
            }
            Err(TryLockError::WouldBlock) => sleep(LOOK).await,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}
