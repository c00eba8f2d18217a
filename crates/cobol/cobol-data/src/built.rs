//! The items of some areas, with the complaints about their descriptions.

use crate::item::{ItemId, Items};
use crate::messages::Complaint;

/// Items, and what is wrong with their descriptions.
#[derive(Debug, Default)]
pub struct Built {
    /// The items.
    pub items: Items,
    /// Mistakes in the descriptions.
    pub complaints: Vec<Complaint>,
    /// The records of each area, in order.
    pub records: Vec<ItemId>,
}
