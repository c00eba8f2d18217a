//! Data sets on the engine of this machine, compared with SQLite.

mod three;

use std::path::Path;
use std::sync::Arc;

use records::{Engine, Limits, Local};

/// The engine of a folder, open as long as this is there.
pub struct Opened {
    /// The engine.
    pub engine: Arc<dyn Engine>,
}

impl Opened {
    /// The engine of a folder.
    pub async fn new(folder: &Path) -> Self {
        let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
        Self { engine: Local::open(folder, limits).expect("an engine") }
    }
}

#[test]
fn a_data_set_and_sqlite_give_the_same_answers() {
    three::a_data_set_and_sqlite_give_the_same_answers("-p vsam --test differential");
}
