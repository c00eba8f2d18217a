//! The parts of which a workload is made: cases, each an application and its loads, and the published figures beside them.

use crate::regions::terminals::Input;

/// A workload that terminals drive against one region.
pub(super) struct Workload {
    /// Its name on the command line and in the page.
    pub name: &'static str,
    /// The published section.
    pub section: &'static str,
    /// Simulated terminals, as published.
    pub terminals: usize,
    /// The figure by which its loads differ.
    pub across: Across,
    /// The configurations to be measured, one after the other.
    pub cases: Vec<Case>,
    /// Series of the plots that are published for another release or setting.
    pub others: Vec<(&'static str, Vec<Line>)>,
}

/// The figure by which loads differ: it goes to the right in plots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Across {
    /// Tasks a second.
    Rate,
    /// Containers of a channel.
    Containers,
}

/// A configuration: the files of an application, and its loads.
pub(super) struct Case {
    pub name: &'static str,
    pub files: Vec<(String, String)>,
    pub loads: Vec<Load>,
    /// The published figures of this configuration.
    pub published: Vec<Line>,
}

/// A load: what terminals type, and how often.
#[derive(Clone)]
pub(super) struct Load {
    /// The text that is typed first at each terminal, the words of the screen that comes, and of those of tasks.
    pub first: String,
    pub screens: [&'static str; 2],
    pub input: Input,
    /// Tasks a second, all terminals together.
    pub rate: f64,
    /// Its place on the axis to the right, where that is no rate.
    pub place: f64,
}

impl Load {
    /// A pseudo-conversation that begins with a text.
    pub fn conversation(first: &str, rate: f64) -> Self {
        let screens = ["READY", "DONE"];
        Self { first: first.to_owned(), screens, input: Input::Enter, rate, place: rate }
    }

    /// The same at another place.
    pub fn at(self, place: f64) -> Self {
        Self { place, ..self }
    }
}

/// A published line.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// Its place on the axis to the right.
    pub place: f64,
    /// Tasks a second.
    pub rate: f64,
    /// Milliseconds of processor time for a task.
    pub ms: f64,
    /// The mean response time in milliseconds.
    pub response: Option<f64>,
}

/// A line whose place is its rate.
pub(super) const fn line(rate: f64, ms: f64, response: Option<f64>) -> Line {
    Line { place: rate, rate, ms, response }
}

/// Lines that belong to a load are no further away from it, as a part of its place.
const NEAR: f64 = 0.02;

impl Line {
    /// Returns true if the line is published for this place.
    pub fn is_of(&self, place: f64) -> bool {
        (self.place - place).abs() <= NEAR * place
    }

    /// The processor time as part of one processor, in percent.
    pub fn percent(&self) -> f64 {
        self.rate * self.ms / 10.0
    }
}
