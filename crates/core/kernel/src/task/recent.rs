//! The commands that a task has last had answered: for its dump.
//!
//! This stands on the path of every command: a note is two words of a ring, and nothing is looked up.

use spec::{CommandId, Condition};

use crate::name::Name8;

/// Commands that are shown.
pub(crate) const RECENT_SHOWN: usize = 20;
/// Places of the ring: a power of two, so that finding the next one is a mask.
const PLACES: usize = 32;

/// A ring of commands.
#[derive(Clone, Default)]
pub struct Recent {
    notes: [Note; PLACES],
    /// Number of commands, and of those that are in the trace.
    count: u32,
    traced: u32,
}

#[derive(Clone, Copy, Default)]
struct Note {
    /// Bytes of the program's name.
    program: [u8; 8],
    statement: u16,
    command: u16,
    resp: u16,
    /// As far as it fits: published numbers do.
    resp2: i16,
}

/// A command that was answered, or passes control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub program: Name8,
    pub statement: u16,
    pub command: CommandId,
    /// None for a command that passes control, or ended its task.
    pub outcome: Option<(Condition, i16)>,
}

/// A note as the trace has it.
pub(crate) struct TracedCommand {
    pub program: [u8; 8],
    pub command: u16,
    /// Statement, RESP and RESP2: see [`TracedCommand::parts`].
    pub detail: u64,
}

impl TracedCommand {
    /// The statement, and the condition with RESP2 if there is one, of the detail of an entry.
    pub fn parts(detail: u64) -> (u16, Option<(Condition, i16)>) {
        let resp = (detail >> 16) as u16;
        ((detail >> 32) as u16, (resp != NO_RESP).then_some((Condition(resp), detail as u16 as i16)))
    }
}

/// RESP of a command that has none.
const NO_RESP: u16 = u16::MAX;

impl Recent {
    /// Notes an answer. Returns true if the ring is full of notes that are not in the trace.
    #[inline(always)]
    pub(crate) fn note(
        &mut self,
        program: Name8,
        call: (u16, CommandId),
        resp: Option<Condition>,
        resp2: i32,
    ) -> bool {
        self.notes[self.count as usize % PLACES] = Note {
            program: *program.as_bytes(),
            statement: call.0,
            command: call.1.0,
            resp: resp.map_or(NO_RESP, |condition| condition.0),
            resp2: resp2 as i16,
        };
        self.count = self.count.wrapping_add(1);
        self.count.is_multiple_of(PLACES as u32)
    }

    /// Returns true if there are notes that are not in the trace.
    pub(crate) fn has_untraced(&self) -> bool {
        self.traced != self.count
    }

    /// Takes the notes that are not in the trace, the oldest first.
    pub(crate) fn untraced(&mut self) -> impl Iterator<Item = TracedCommand> {
        let count = self.count;
        let first = self.traced.max(count.saturating_sub(PLACES as u32));
        self.traced = count;
        (first..count).map(|number| {
            let note = self.notes[number as usize % PLACES];
            let resp2 = u64::from(note.resp2 as u16);
            let detail = u64::from(note.statement) << 32 | u64::from(note.resp) << 16 | resp2;
            TracedCommand { program: note.program, command: note.command, detail }
        })
    }

    /// Number of commands.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Returns true if one of the last ones had this outcome.
    pub fn met(&self, condition: Condition) -> bool {
        self.latest().any(|answered| answered.outcome.is_some_and(|(met, _)| met == condition))
    }

    /// The last ones, the latest first.
    pub(crate) fn latest(&self) -> impl Iterator<Item = Answered> {
        let known = (self.count as usize).min(RECENT_SHOWN);
        (1..=known).map(|back| {
            let note = self.notes[(self.count as usize).wrapping_sub(back) % PLACES];
            Answered {
                program: Name8::new(note.program),
                statement: note.statement,
                command: CommandId(note.command),
                outcome: (note.resp != NO_RESP).then_some((Condition(note.resp), note.resp2)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use spec::{cmd, cond};

    use super::*;

    #[test]
    fn the_latest_come_first_and_the_ring_forgets_the_oldest() {
        let mut recent = Recent::default();
        assert_eq!(recent.latest().count(), 0);
        for statement in 1..=40 {
            recent.note(Name8::from("PAYS"), (statement, cmd::READ), Some(cond::NOTFND), 80);
        }
        recent.note(Name8::from("PAYS"), (41, cmd::XCTL), None, 0);
        let latest: Vec<_> = recent.latest().collect();
        assert_eq!(latest.len(), RECENT_SHOWN);
        assert_eq!((latest[0].statement, latest[0].outcome), (41, None));
        assert_eq!((latest[1].statement, latest[1].outcome), (40, Some((cond::NOTFND, 80))));
        assert_eq!((latest[19].statement, recent.count()), (22, 41));
    }
}
