//! Decisions that were made before: found again by user, class and resource until the profiles change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::RwLock;

use crate::{Class, Level};

/// The number of decisions of one user that are kept; beyond it all are made again.
const KEPT_MAX: usize = 10_000;

/// The number of the profiles that are in force: any change of users or profiles raises it.
#[derive(Clone, Debug, Default)]
pub struct Generation(Arc<AtomicU64>);

impl Generation {
    /// The number now.
    pub fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// No decision of before counts any more.
    pub fn advance(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// The decisions for one user, for as long as the profiles are those of one generation.
#[derive(Debug, Default)]
pub struct Decisions(RwLock<Kept>);

#[derive(Debug, Default)]
struct Kept {
    generation: u64,
    /// By class, then by name: a name is looked up without a copy of it.
    levels: [HashMap<Box<[u8]>, Level>; Class::COUNT],
    count: usize,
}

impl Decisions {
    /// The level that was decided; `decide` is asked where none was, or the generation is another.
    pub fn level(
        &self,
        generation: u64,
        class: Class,
        resource: &[u8],
        decide: impl FnOnce() -> Level,
    ) -> Level {
        {
            let kept = self.0.read();
            if kept.generation == generation
                && let Some(level) = kept.levels[class as usize].get(resource)
            {
                return *level;
            }
        }
        let level = decide();
        let mut kept = self.0.write();
        if kept.generation != generation || kept.count >= KEPT_MAX {
            *kept = Kept { generation, ..Kept::default() };
        }
        kept.levels[class as usize].insert(Box::from(resource), level);
        kept.count += 1;
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_holds_for_its_generation() {
        let (decisions, generation) = (Decisions::default(), Generation::default());
        let ask = |class, name: &[u8], answer| decisions.level(generation.now(), class, name, || answer);
        assert_eq!(ask(Class::Fct, b"ACCOUNT", Level::Read), Level::Read);
        assert_eq!(ask(Class::Fct, b"ACCOUNT", Level::Alter), Level::Read, "it is kept");
        assert_eq!(ask(Class::Pct, b"ACCOUNT", Level::Update), Level::Update, "another class");
        generation.advance();
        assert_eq!(ask(Class::Fct, b"ACCOUNT", Level::None), Level::None, "a rebuild");
    }

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let decisions = Decisions::default();
        for number in 0..3 * KEPT_MAX {
            decisions.level(1, Class::Tst, number.to_string().as_bytes(), || Level::Read);
        }
        assert!(decisions.0.read().count <= KEPT_MAX);
    }
}
