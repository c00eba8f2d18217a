//! Monitoring points of applications: what MONITOR does with clocks, counters and characters of a task.
//!
//! The actions are written in the words of the published table: `SCLOCK(1)`, `ADDCNT(2,DATA1)`, `MOVE(0,8)`, `DELIVER`.

use std::fmt;

/// Bytes of characters that an entry has.
pub const CHARACTERS_MAX: usize = 256;
/// The numbers that clocks and counters have: 1 to this.
const NUMBER_MAX: u32 = 256;

/// An action of a monitoring point. Clocks and counters have their numbers within the entry, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// SCLOCK: starts a clock.
    StartClock(u16),
    /// PCLOCK: stops a clock.
    StopClock(u16),
    /// ADDCNT, SUBCNT, NACNT, ORCNT, EXCNT: changes a counter by an operand.
    Count(Change, u16, Operand),
    /// MLTCNT: adds so many adjacent fullwords, at the address in DATA1, to as many counters.
    CountMany(u16, u16),
    /// MOVE: moves characters, at the address in DATA1 and of the length in DATA2, to this offset, at most so many.
    Move(u16, u16),
    /// DELIVER: the record of the task is written, and the next one begins.
    Deliver,
}

/// A change of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// ADDCNT.
    Add,
    /// SUBCNT.
    Subtract,
    /// NACNT.
    And,
    /// ORCNT.
    Or,
    /// EXCNT.
    ExclusiveOr,
}

impl Change {
    /// The counter behind the change.
    pub fn of(self, counter: u32, operand: u32) -> u32 {
        match self {
            Self::Add => counter.wrapping_add(operand),
            Self::Subtract => counter.wrapping_sub(operand),
            Self::And => counter & operand,
            Self::Or => counter | operand,
            Self::ExclusiveOr => counter ^ operand,
        }
    }
}

/// The operand of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number.
    Number(u32),
    /// The fullword in DATA1 of the command.
    Data1,
    /// The fullword in DATA2.
    Data2,
}

/// The reason why a text is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAction;

impl fmt::Display for NoAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "SCLOCK(n), PCLOCK(n), ADDCNT(n,value), SUBCNT, NACNT, ORCNT, EXCNT, MLTCNT(n,count), MOVE(offset,length) or \
             DELIVER, where a value is a number, DATA1 or DATA2",
        )
    }
}

impl Action {
    /// Reads an action.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Self, NoAction> {
        let upper: String = text.to_ascii_uppercase().split_whitespace().collect();
        if upper == "DELIVER" {
            return Ok(Self::Deliver);
        }
        let (name, rest) = upper.split_once('(').ok_or(NoAction)?;
        let rest = rest.strip_suffix(')').ok_or(NoAction)?;
        let (first, second) = match rest.split_once(',') {
            Some((first, second)) => (first, Some(second)),
            None => (rest, None),
        };
        let change = match name {
            "SCLOCK" | "PCLOCK" if second.is_some() => return Err(NoAction),
            "SCLOCK" => return Ok(Self::StartClock(number(first)?)),
            "PCLOCK" => return Ok(Self::StopClock(number(first)?)),
            "MLTCNT" => return many(number(first)?, number(second.ok_or(NoAction)?)?),
            "MOVE" => return moved(first, second.ok_or(NoAction)?),
            "ADDCNT" => Change::Add,
            "SUBCNT" => Change::Subtract,
            "NACNT" => Change::And,
            "ORCNT" => Change::Or,
            "EXCNT" => Change::ExclusiveOr,
            _ => return Err(NoAction),
        };
        let operand = match second.ok_or(NoAction)? {
            "DATA1" => Operand::Data1,
            "DATA2" => Operand::Data2,
            value => Operand::Number(value.parse().map_err(|_| NoAction)?),
        };
        Ok(Self::Count(change, number(first)?, operand))
    }
}

fn number(text: &str) -> Result<u16, NoAction> {
    let number: u32 = text.parse().map_err(|_| NoAction)?;
    if (1..=NUMBER_MAX).contains(&number) { Ok(number as u16) } else { Err(NoAction) }
}

fn many(first: u16, count: u16) -> Result<Action, NoAction> {
    let last = u32::from(first) + u32::from(count) - 1;
    if last <= NUMBER_MAX { Ok(Action::CountMany(first, count)) } else { Err(NoAction) }
}

fn moved(offset: &str, length: &str) -> Result<Action, NoAction> {
    let (offset, length): (usize, usize) =
        (offset.parse().map_err(|_| NoAction)?, length.parse().map_err(|_| NoAction)?);
    match offset.checked_add(length) {
        Some(end) if length > 0 && end <= CHARACTERS_MAX => Ok(Action::Move(offset as u16, length as u16)),
        _ => Err(NoAction),
    }
}

/// A monitoring point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its entry: ENTRYNAME, `USER` where the command has none.
    pub entry: String,
    /// Its number: POINT.
    pub number: u8,
    /// Its actions, in order.
    pub actions: Vec<Action>,
    /// The names of the clocks of its entry, from number 1.
    pub clocks: Vec<String>,
    /// The names of the counters of its entry, from number 1.
    pub counters: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_written_in_the_words_of_the_published_table() {
        for (text, action) in [
            ("SCLOCK(1)", Ok(Action::StartClock(1))),
            ("pclock ( 2 )", Ok(Action::StopClock(2))),
            ("ADDCNT(2,DATA1)", Ok(Action::Count(Change::Add, 2, Operand::Data1))),
            ("SUBCNT(256, 7)", Ok(Action::Count(Change::Subtract, 256, Operand::Number(7)))),
            ("MLTCNT(1,256)", Ok(Action::CountMany(1, 256))),
            ("MOVE(0,256)", Ok(Action::Move(0, 256))),
            ("DELIVER", Ok(Action::Deliver)),
            ("SCLOCK(0)", Err(NoAction)),
            ("SCLOCK(257)", Err(NoAction)),
            ("SCLOCK(1,2)", Err(NoAction)),
            ("MLTCNT(2,256)", Err(NoAction)),
            ("MOVE(1,256)", Err(NoAction)),
            ("MOVE(0,0)", Err(NoAction)),
            ("ADDCNT(1)", Err(NoAction)),
            ("ADDCNT(1,DATA3)", Err(NoAction)),
            ("ADDCNT(1,99999999999)", Err(NoAction)),
            ("COUNT(1)", Err(NoAction)),
            ("SCLOCK(1", Err(NoAction)),
        ] {
            assert_eq!(Action::parse(text), action, "{text}");
        }
    }
}
