//! A machine that exists in memory only, whose power fails when a seed says so: for tests of what survives.
//!
//! Everything that happens on it follows from its seed and the calls made: there are no threads, the log is written
//! when the test says so. A power cut may leave any part of the write that was under way, sector by sector. Reads may
//! fail, a write may find no room, go to a wrong place without a word, or take its time.

mod base;
mod disk;
mod power;

use std::sync::Arc;

pub use disk::Damage;
pub use power::{NoSpace, Power, READ_ERROR};

use self::base::SimBase;
use self::disk::SimDisk;
use crate::clock::TokioClock;
use crate::local::{Core, Local, assemble};
use crate::seal::{SALT, Sealing};
use crate::{EncryptionKey, Limits, Result};

/// The machine: what is on its disks outlives its power.
pub struct Machine {
    power: Arc<Power>,
    disk: SimDisk,
    base: Arc<SimBase>,
    limits: Limits,
    key: Option<EncryptionKey>,
    former: Option<EncryptionKey>,
}

/// An engine that runs on the machine, without threads.
#[derive(Clone)]
pub struct Running {
    core: Arc<Core>,
    /// The engine.
    pub engine: Arc<Local>,
}

impl Machine {
    /// A new machine with empty disks.
    pub fn new(seed: u64, limits: Limits) -> Self {
        let power = Power::new(seed);
        let disk = SimDisk::new(power.clone());
        let base = Arc::new(SimBase::new(power.clone()));
        Self { power, disk, base, limits, key: None, former: None }
    }

    /// The same machine, with everything encrypted.
    pub fn encrypted(self, key: EncryptionKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The same machine, whose owner has another key from now on and still knows the one before.
    pub fn with_another_key(self, key: EncryptionKey) -> Self {
        Self { former: self.key, key: Some(key), ..self }
    }

    /// The same machine, whose owner has forgotten the key before.
    pub fn with_one_key(self) -> Self {
        Self { former: None, ..self }
    }

    /// Its power, and its other troubles.
    pub fn power(&self) -> &Arc<Power> {
        &self.power
    }

    /// Damages the log, while no engine runs. False if there is none yet.
    pub fn damage_log(&self, damage: Damage) -> bool {
        self.disk.damage(damage)
    }

    /// Flips a bit of a record that rests in the base. False if there is none.
    pub fn damage_base(&self) -> bool {
        self.base.flip()
    }

    /// Starts an engine on what the disks hold.
    pub fn start(&self) -> Result<Running> {
        let disk = Arc::new(self.disk.clone());
        let sealing =
            self.key.clone().map(|key| Sealing { key, former: self.former.clone(), salt: self.salt() });
        let core = assemble(
            disk,
            self.base.clone(),
            Arc::new(TokioClock),
            (self.limits.clone(), crate::Trust::Checked),
            sealing,
        )?;
        Ok(Running { engine: Local::without_threads(core.clone()), core })
    }
}

impl Machine {
    /// The base on its disks.
    #[cfg(test)]
    pub(crate) fn base(&self) -> &SimBase {
        &self.base
    }

    /// Random bytes for a start.
    pub(crate) fn salt(&self) -> [u8; SALT] {
        std::array::from_fn(|_| self.power.chance(256) as u8)
    }
}

impl Running {
    /// Core of the engine.
    #[cfg(test)]
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Seals some records under a former key again, as the engine's thread would. False if none is left.
    pub fn seal_some(&self) -> Result<bool> {
        self.core.seal_some()
    }

    /// Writes the next group of the log, as the log's thread would. False if nothing waits.
    pub fn write_group(&self) -> Result<bool> {
        self.core.write_group().map(|written| written.is_some())
    }
}
