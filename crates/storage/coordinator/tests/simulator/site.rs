//! The place of a participant: what is there, and what happens to it.

use coordinator::UnitName;
use records::Decision;

use crate::network::Message;

/// A participant's own side.
pub trait Site {
    /// A unit of work of the coordinator's region changes something here. False: it cannot just now.
    fn write(&mut self, unit: &UnitName) -> bool;

    /// It reads something.
    fn read(&mut self, unit: &UnitName);

    /// A message has come. It is given back if it has to wait for one that came before.
    fn receive(&mut self, message: Message) -> Option<Message>;

    /// Goes on with what is under way.
    fn work(&mut self);

    /// Dies, and comes back with what was durable.
    fn die(&mut self);

    /// An operator ends a unit of work that is in doubt; `None`: none is, or it does not work just now.
    fn force(&mut self, decision: Decision) -> Option<UnitName>;

    /// Units of work that are in doubt, or whose forced end is remembered.
    fn indoubt(&mut self) -> Vec<UnitName>;

    /// Returns true if the changes of a unit of work are here.
    fn has(&mut self, unit: &UnitName) -> bool;
}
