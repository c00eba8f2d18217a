//! A sort that gives way: a heap, which takes and gives a row in few steps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use db2_values::Value;

use super::room::Room;
use crate::failed::Refused;
use crate::limits;
use crate::rows::Rid;

/// A row that is sorted: its key, then its place among those that came, so that equal ones stay in their order.
struct Item {
    key: Box<[u8]>,
    place: u64,
    row: Box<[Value]>,
    rid: Option<Rid>,
}

impl Item {
    fn by(&self) -> (&[u8], u64) {
        (&self.key, self.place)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.key.len() + super::room::size_of(&self.row)
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.by() == other.by()
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.by().cmp(&other.by())
    }
}

/// Rows on their way into an order.
pub(super) struct Sort {
    heap: Heap,
    /// Rows that came so far.
    places: u64,
}

enum Heap {
    /// All of them, the least on top.
    All(BinaryHeap<Reverse<Item>>),
    /// The first so many of an order, the greatest on top.
    First(BinaryHeap<Item>, usize),
}

impl Sort {
    /// A sort of which so many rows are wanted; `None`: all.
    pub(super) fn new(first: Option<u64>) -> Self {
        let heap = match first {
            Some(most @ 0..=limits::FIRST_ROWS) => Heap::First(BinaryHeap::new(), most as usize),
            _ => Heap::All(BinaryHeap::new()),
        };
        Self { heap, places: 0 }
    }

    /// Adds a row.
    pub(super) fn add(
        &mut self,
        key: Vec<u8>,
        row: Vec<Value>,
        rid: Option<Rid>,
        room: &mut Room,
    ) -> Result<(), Refused> {
        let item = Item { key: key.into(), place: self.places, row: row.into(), rid };
        self.places += 1;
        room.take(item.size())?;
        match &mut self.heap {
            Heap::All(heap) => heap.push(Reverse(item)),
            Heap::First(heap, most) => {
                heap.push(item);
                if heap.len() > *most
                    && let Some(last) = heap.pop()
                {
                    room.give(last.size());
                }
            }
        }
        Ok(())
    }

    /// Turns to giving: all rows are there. If only the first rows are wanted, there are no more than fit into a turn.
    pub(super) fn turn(&mut self) {
        if let Heap::First(heap, _) = &mut self.heap {
            self.heap = Heap::All(std::mem::take(heap).into_iter().map(Reverse).collect());
        }
    }

    /// The next row, and the bytes of memory that it has taken.
    pub(super) fn next(&mut self, room: &mut Room) -> Option<(Vec<Value>, Option<Rid>, usize)> {
        let Heap::All(heap) = &mut self.heap else { return None };
        let Reverse(item) = heap.pop()?;
        let size = item.size();
        room.give(size);
        Some((item.row.into_vec(), item.rid, size))
    }
}
