//! Monitoring points of programs: what is defined for them, and what MONITOR does there.

use instruments::points::{Action, Change, Operand, Point};

use super::Monitoring;
use crate::control::TaskControl;
use crate::meters::Performance;
use crate::name::{Name8, Name16};
use crate::raise::Outcome;

/// The data that a command hands to a point. Each is read only if an action wants it.
pub trait PointData {
    /// The fullword in DATA1, or in DATA2.
    ///
    /// # Errors
    /// The command has none.
    fn fullword(&self, which: Operand) -> Outcome<u32>;

    /// So many fullwords at the address in DATA1.
    ///
    /// # Errors
    /// The command has none, or there are none.
    fn fullwords(&self, count: u16) -> Outcome<Vec<u32>>;

    /// The characters at the address in DATA1, at most so many: DATA2 says how many there are.
    ///
    /// # Errors
    /// The command has none, or there are none.
    fn characters(&self, most: u16) -> Outcome<Vec<u8>>;
}

impl Monitoring {
    /// Passes a point: what is defined for it is done. Returns true if the record of the task is to be written.
    ///
    /// # Errors
    /// The command does not have the data that an action wants.
    pub fn pass(
        &self,
        control: &TaskControl,
        (entry, number): (Name8, u8),
        data: &dyn PointData,
    ) -> Outcome<bool> {
        let Some(performance) = control.performance() else { return Ok(false) };
        performance.point(Name16::from(format!("{entry}.{number}").as_str()));
        let of_entry = |point: &&Point| point.entry.as_bytes() == entry.trimmed() && point.number == number;
        let mut deliver = false;
        if let Some(point) = self.points.iter().find(of_entry) {
            for action in &point.actions {
                deliver |= *action == Action::Deliver;
                act(performance, entry, *action, data)?;
            }
        }
        Ok(deliver)
    }

    /// The name of a clock or counter in records: the entry, and the name that the definition gives it or its number.
    pub(super) fn name_of(&self, entry: Name8, is_clock: bool, number: usize) -> String {
        let of_entry = self.points.iter().filter(|point| point.entry.as_bytes() == entry.trimmed());
        let mut names = of_entry
            .filter_map(|point| if is_clock { &point.clocks } else { &point.counters }.get(number - 1));
        match names.next() {
            Some(name) => format!("{entry}.{name}"),
            None => format!("{entry}.{number}"),
        }
    }
}

fn act(performance: &Performance, entry: Name8, action: Action, data: &dyn PointData) -> Outcome {
    match action {
        Action::StartClock(number) | Action::StopClock(number) => {
            let start = matches!(action, Action::StartClock(_));
            if performance.user(entry, |area| area.clock(number, start)) == Some(false) {
                performance.clock_error();
            }
        }
        Action::Count(change, number, operand) => {
            let operand = match operand {
                Operand::Number(value) => value,
                which => data.fullword(which)?,
            };
            performance.user(entry, |area| area.change(number, change, operand));
        }
        Action::CountMany(first, count) => {
            let words = data.fullwords(count)?;
            performance.user(entry, |area| {
                for (number, word) in (first..).zip(words) {
                    area.change(number, Change::Add, word);
                }
            });
        }
        Action::Move(offset, most) => {
            let bytes = data.characters(most)?;
            performance.user(entry, |area| area.put(offset, &bytes));
        }
        Action::Deliver => {}
    }
    Ok(())
}
