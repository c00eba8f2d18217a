//! Data sets on an engine directly in a database, compared with SQLite: the same operations as on the engine of one machine.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "real/place.rs"]
mod place;
#[path = "../../vsam/tests/differential/three.rs"]
mod three;

use std::path::Path;
use std::sync::Arc;

use depot::Direct;
use records::Engine;

/// The engine of a region.
pub struct Opened {
    /// The engine.
    pub engine: Arc<dyn Engine>,
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
        let options = place::options(folder, &schema, place::LONG);
        Self { engine: Direct::open(options, "REGA", 1_000).await.unwrap() }
    }
}

#[test]
fn a_data_set_and_sqlite_give_the_same_answers() {
    three::a_data_set_and_sqlite_give_the_same_answers("-p depot --test direct_differential");
}
