//! A restart after a kill: the log is replayed.

use std::path::Path;

use records::{Local, Recovery};

use super::{DataSet, key, without_checkpoints};
use crate::Options;
use crate::clock::{median, spent};
use crate::promise::Measured;
use crate::site::{RECORD, Workshop, record};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Units of work in the log, a record each.
const LOGGED: usize = 100_000;
/// The promised limit of a restart.
const PROMISED_SECONDS: f64 = 1.0;

/// Opening an engine whose log has 100,000 records that the base does not have.
pub(crate) fn replay(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let logged = options.size(LOGGED, 1_000);
    let folder = workshop.scratch("restart")?;
    fill_log(&folder, logged)?;
    let open = || {
        let mut engine = None;
        let seconds = spent(|| engine = Some(Local::open(&folder, without_checkpoints())));
        engine.expect("it was just made").map(|_| seconds).map_err(|error| error.to_string())
    };
    let seconds = (0..options.size(ROUNDS, 1)).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    Ok(Measured::new(median(seconds), PROMISED_SECONDS)
        .note(format!("{logged} units of work with a record of {RECORD} bytes each")))
}

fn fill_log(folder: &Path, count: usize) -> Result<(), String> {
    let data = DataSet::new(folder, None)?;
    let filled = async {
        let mut unit = data.begin();
        let store = unit.create_store("restart", Recovery::Recoverable)?;
        unit.commit().await?;
        let owner = data.engine.locks().new_owner();
        for number in 0..count {
            let mut unit = data.engine.begin(owner);
            unit.put(store, &key(number), record(number).as_bytes()).await?;
            unit.commit_unforced().await?;
        }
        Ok(())
    };
    data.runtime.block_on(filled).map_err(|error: records::Error| error.to_string())
}
