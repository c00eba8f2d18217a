//! Data sets on an engine over a database, compared with SQLite: the same operations as on the engine of one machine.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "real/place.rs"]
mod place;
#[path = "../../vsam/tests/differential/three.rs"]
mod three;

use std::path::Path;
use std::sync::Arc;

use records::Engine;

/// The engine of a region.
pub struct Opened {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    _opened: place::Opened,
}

impl Opened {
    /// The engine over the schema of a folder.
    pub async fn new(folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_string_lossy();
        let plain =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
        let schema: String = "seed_".chars().chain(name.chars().map(plain)).collect();
        if !folder.join("holder").exists() {
            place::schema(&schema).await;
        }
        let opened = place::open(folder, &schema, place::LONG).await;
        Self { engine: opened.engine.clone(), _opened: opened }
    }
}

#[test]
fn a_data_set_and_sqlite_give_the_same_answers() {
    three::a_data_set_and_sqlite_give_the_same_answers("-p depot --test differential");
}
