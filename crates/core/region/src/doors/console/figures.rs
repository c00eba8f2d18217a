//! Figures of the region, read beside its TCBs, once for all who look at the same time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::region::Region;
use metrics::Value;
use parking_lot::Mutex;

use super::super::operate;

/// The time for which figures count as those of now.
const FRESH: Duration = Duration::from_millis(900);

/// A number with a name and labels.
pub(super) struct Figure {
    /// Its name, without the prefix of the product.
    pub name: String,
    /// Its labels and their values.
    pub labels: Vec<(&'static str, String)>,
    /// The number.
    pub value: f64,
}

/// All figures at a moment.
pub(super) struct Figures {
    at: Instant,
    all: Vec<Figure>,
}

impl Figures {
    /// The figures.
    pub fn all(&self) -> &[Figure] {
        &self.all
    }

    fn read(region: &Region, started: Instant) -> Self {
        let mut all = Vec::new();
        for family in operate::families(region, started) {
            let name = family.name.strip_prefix("syncpoint_").unwrap_or(family.name);
            for sample in family.samples {
                let value = match sample.value {
                    Value::Count(number) => number as f64,
                    Value::Number(number) | Value::Buckets(_, number) => number,
                };
                let labels = sample.labels.iter().map(|(key, text)| (*key, text.to_string())).collect();
                all.push(Figure { name: name.to_owned(), labels, value });
            }
        }
        Self { at: Instant::now(), all }
    }
}

/// The figures that were read last.
pub(super) struct Reader {
    started: Instant,
    last: Mutex<Option<Arc<Figures>>>,
}

impl Reader {
    pub fn new() -> Self {
        Self { started: Instant::now(), last: Mutex::new(None) }
    }

    /// Reads them, unless they were just read: not on a thread that runs tasks.
    pub fn read(&self, region: &Region) -> Arc<Figures> {
        let mut last = self.last.lock();
        if let Some(fresh) = last.as_ref().filter(|figures| figures.at.elapsed() < FRESH) {
            return Arc::clone(fresh);
        }
        let figures = Arc::new(Figures::read(region, self.started));
        *last = Some(Arc::clone(&figures));
        figures
    }
}
