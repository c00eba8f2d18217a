//! A region at a moment.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// A number with a name and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, without the prefix of the product.
    pub name: String,
    /// Its labels, with their values.
    pub labels: Vec<(String, String)>,
    /// The number.
    pub value: f64,
}

/// The attributes of a task, as CEMT names them.
pub type Attributes = BTreeMap<String, String>;

/// All figures at a moment, and the tasks.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The moment, from any other one on.
    pub at: Duration,
    /// By name, in the order in which they came.
    figures: HashMap<String, Vec<(Vec<String>, f64)>>,
    /// The tasks.
    pub tasks: Vec<Attributes>,
}

impl Snapshot {
    /// These figures and tasks at a moment.
    pub fn new(at: Duration, figures: Vec<Figure>, tasks: Vec<Attributes>) -> Self {
        let mut by_name: HashMap<String, Vec<(Vec<String>, f64)>> = HashMap::new();
        for Figure { name, labels, value } in figures {
            let labels = labels.into_iter().map(|(_, value)| value).collect();
            by_name.entry(name).or_default().push((labels, value));
        }
        Self { at, figures: by_name, tasks }
    }

    /// The figures of a name, each with the values of its labels.
    pub(crate) fn all(&self, name: &str) -> &[(Vec<String>, f64)] {
        self.figures.get(name).map_or(&[], Vec::as_slice)
    }

    /// The figure of a name with these values of its labels; 0 if there is none.
    pub(crate) fn one(&self, name: &str, labels: &[&str]) -> f64 {
        let found =
            self.all(name).iter().find(|(own, _)| own.iter().map(String::as_str).eq(labels.iter().copied()));
        found.map_or(0.0, |(_, value)| *value)
    }

    /// The sum of all figures of a name.
    pub(crate) fn sum(&self, name: &str) -> f64 {
        self.all(name).iter().map(|(_, value)| value).sum()
    }
}

/// Two moments of a region: what grew between them, for a second.
pub(crate) struct Between<'a> {
    pub before: Option<&'a Snapshot>,
    pub now: &'a Snapshot,
}

impl Between<'_> {
    /// Seconds between the moments; `None` if there is only one.
    fn seconds(&self) -> Option<f64> {
        let seconds = self.now.at.saturating_sub(self.before?.at).as_secs_f64();
        (seconds > 0.0).then_some(seconds)
    }

    /// The growth of a figure in a second; `None` if there is only one moment, or the region has started again meanwhile.
    pub fn rate(&self, name: &str, labels: &[&str]) -> Option<f64> {
        self.of(self.now.one(name, labels), self.before?.one(name, labels))
    }

    /// The growth of all figures of a name in a second.
    pub fn rate_of_all(&self, name: &str) -> Option<f64> {
        self.of(self.now.sum(name), self.before?.sum(name))
    }

    fn of(&self, now: f64, before: f64) -> Option<f64> {
        (now >= before).then_some((now - before) / self.seconds()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, value: f64) -> Snapshot {
        let labels = vec![(String::from("file"), String::from("ACCOUNTS"))];
        let figure = Figure { name: String::from("file_requests"), labels, value };
        Snapshot::new(Duration::from_secs(seconds), vec![figure], Vec::new())
    }

    #[test]
    fn a_rate_is_the_growth_of_the_time_between() {
        let (before, now) = (at(10, 100.0), at(12, 150.0));
        let between = Between { before: Some(&before), now: &now };
        assert_eq!(between.rate("file_requests", &["ACCOUNTS"]), Some(25.0));
        assert_eq!(between.rate("file_requests", &["OTHER"]), Some(0.0), "nobody uses it");
        assert_eq!(Between { before: None, now: &now }.rate("file_requests", &["ACCOUNTS"]), None);
    }

    #[test]
    fn a_region_that_has_started_again_has_no_rate_yet() {
        let (before, now) = (at(10, 100.0), at(12, 3.0));
        assert_eq!(Between { before: Some(&before), now: &now }.rate("file_requests", &["ACCOUNTS"]), None);
    }
}
