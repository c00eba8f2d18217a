//! Figures as values: families of samples.

use std::borrow::Cow;

/// The kind of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows; its samples' names end with `_total`.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Labels that say what something is; its sample's name ends with `_info`.
    Info,
    /// Counts by size.
    Histogram,
}

/// The value of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// Counts by size: the upper bound of each bucket and how many were in it, the last bound without an end; and the sum.
    Buckets(Vec<(f64, u64)>, f64),
}

/// A sample: labels and a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its labels; a value may be any text.
    pub labels: Vec<(&'static str, Cow<'static, str>)>,
    /// Its value.
    pub value: Value,
}

/// A family of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Its name, without the ending of its samples.
    pub name: &'static str,
    /// Its meaning.
    pub help: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its samples.
    pub samples: Vec<Sample>,
}

impl Family {
    /// A family without samples.
    pub fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, help, kind, samples: Vec::new() }
    }

    /// Adds a sample.
    pub fn add(&mut self, labels: &[(&'static str, &str)], value: Value) {
        let labels = labels.iter().map(|(key, text)| (*key, Cow::Owned((*text).to_owned()))).collect();
        self.samples.push(Sample { labels, value });
    }

    /// The same family with one sample that has no labels.
    pub fn with(mut self, value: Value) -> Self {
        self.add(&[], value);
        self
    }
}
