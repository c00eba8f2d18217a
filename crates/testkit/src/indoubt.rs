//! A unit of work that lost its coordinator: something that no program can do to itself.

use kernel::name::{Name8, TerminalName, TransactionName};
use kernel::recovery::Identity;
use records::Wait;
use vsam::{Name, Result, Search, Vsam};

/// The task that has left it.
const TASK: u32 = 99;

/// Writes records, each in the place of one with its key or new, in a unit of work that stays indoubt.
pub(crate) async fn leave(vsam: &Vsam, data_set: &str, records: &[String]) -> Result<()> {
    let data_set = vsam.dataset(&data_set.parse::<Name>()?).await?;
    let engine = vsam.engine();
    let mut unit = engine.begin(engine.locks().new_owner());
    let length = data_set.cluster().maximum;
    for line in records {
        let record = format!("{line:<length$}").into_bytes();
        let key = data_set.key_field().and_then(|field| field.of(&record)).unwrap_or_default();
        let mut former = Vec::new();
        match data_set.read_for_update(&mut *unit, Search::equal(key), Wait::No, &mut former).await {
            Ok(found) => data_set.rewrite(&mut *unit, &found.base, &record, Wait::No).await?,
            Err(vsam::Error::NotFound) => {
                drop(data_set.write(&mut *unit, Some(key), &record, Wait::No).await?)
            }
            Err(error) => return Err(error),
        }
    }
    let identity = Identity {
        unit: engine.indoubt()?.len() as u64 + 1,
        task: TASK,
        transaction: TransactionName::from("GONE"),
        terminal: TerminalName::BLANK,
        user: Name8::from("NOBODY"),
        coordinated_as: b"testkit".to_vec(),
    };
    Ok(unit.prepare(&identity.to_name()).await?)
}
