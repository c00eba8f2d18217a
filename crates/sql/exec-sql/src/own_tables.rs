//! The region's own tables, opened, and the scripts that make them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use attachment::{Known, Objection, OwnTables, Rules};
use db2_values::{Date, Order, Timestamp};
use kernel::clock::Moment;
use records::{Engine, Wait};

use crate::scripts;
use crate::settings::{Engine as Kind, Settings};

/// The schema of tables where the settings name none.
const SCHEMA: &str = "SYNCPT";

/// Opens the region's own tables on its record engine, and runs there the scripts that have not run yet; `None`: the settings want none.
///
/// # Errors
/// In words.
pub async fn open_tables(
    engine: Arc<dyn Engine>,
    settings: &Settings,
) -> Result<Option<Arc<OwnTables>>, String> {
    let Kind::Region { order } = settings.engine else { return Ok(None) };
    let rules = Rules {
        order: Order::of(order),
        schema: settings.schemas.first().cloned().unwrap_or_else(|| SCHEMA.to_owned()),
        further: settings.schemas.iter().skip(1).cloned().collect(),
        patience: match settings.lock_timeout_ms {
            0 => Wait::Forever,
            time => Wait::AtMost(Duration::from_millis(time.into())),
        },
    };
    let tables = OwnTables::open(engine, rules).await;
    let tables = tables.map_err(|why| format!("the region's tables cannot be opened: {why}"))?;
    for script in &settings.scripts {
        let text = scripts::read(&script.path)
            .map_err(|error| format!("the script {} cannot be read: {error}", script.name))?;
        let ran = tables.run_script(&script.name, &text, now()).await;
        if ran.map_err(|why| format!("the script {}, {why}", script.name))? {
            tracing::info!(target: "DB", "the script {} has run", script.name);
        }
    }
    Ok(Some(tables))
}

/// A script, with what is wrong with it.
pub struct Doubtful {
    /// Its file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The objections, by their lines.
    pub objections: Vec<Objection>,
}

/// The tables and views that the scripts of the region's own tables define, for the check of programs; `None`: statements go to a
/// server. Scripts come back that are not in order; one that cannot be read has its message elsewhere.
pub fn known(settings: &Settings) -> Option<(Known, Vec<Doubtful>)> {
    let Kind::Region { .. } = settings.engine else { return None };
    let mut known = match settings.schemas.as_slice() {
        [] => Known::in_schemas(&[SCHEMA.to_owned()]),
        schemas => Known::in_schemas(schemas),
    };
    let mut doubtful = Vec::new();
    for script in &settings.scripts {
        let Ok(text) = scripts::read(&script.path) else { continue };
        let objections = known.add_script(&text);
        if !objections.is_empty() {
            doubtful.push(Doubtful { path: script.path.clone(), text, objections });
        }
    }
    Some((known, doubtful))
}

/// The time of a statement: that of the clocks in the region's zone.
pub fn now() -> Timestamp {
    /// Days from 1900-01-01 to 1970-01-01, milliseconds of a day, picoseconds of a millisecond.
    const DAYS: i64 = 25_567;
    const DAY_MS: i64 = 86_400_000;
    const PICOSECONDS: u64 = 1_000_000_000;
    let abstime = Moment::now().stamp().abstime();
    let (day, ms) = (abstime.div_euclid(DAY_MS), abstime.rem_euclid(DAY_MS));
    let first = Date::new(1970, 1, 1).map_or(0, Date::days);
    let date = i32::try_from(day - DAYS).ok().and_then(|day| Date::from_days(first + day));
    date.and_then(|date| Timestamp::new(date, ms as u64 * PICOSECONDS)).unwrap_or(Timestamp::FIRST)
}
