//! Reading a range: own changes over the overlay over the base.

use std::cmp::Ordering;
use std::collections::btree_map;
use std::iter::{Peekable, Rev};
use std::ops::Bound;

use crate::base::{Base, Patience};
use crate::change::{Map, Record};
use crate::key::Key;
use crate::state::Store;
use crate::{Batch, Direction, Origin, Result};

/// Reads up to `limit` records of a store into `batch`, as the unit of work with the changes `own` sees them.
pub(crate) fn read_range(
    store: &Store,
    own: Option<&Map>,
    (base, patience): (&dyn Base, Patience),
    (origin, direction): (Origin<'_>, Direction),
    limit: usize,
    batch: &mut Batch,
) -> Result<()> {
    let mut out = Out::new(batch, limit);
    let none = Map::new();
    let maps = [own.unwrap_or(&none), &store.active, &*store.frozen];
    let mut layers = Layers::new(maps.map(|map| Layer::new(map, origin, direction).peekable()), direction);
    if out.is_full() {
        return Ok(());
    }
    let mut pushed = Ok(());
    base.scan(store.space, origin, direction, patience, &mut |key, record| {
        while let Some((changed, change)) = layers.head_up_to(key) {
            let same = **changed == *key;
            layers.pass(changed);
            pushed = out.push_change(changed, change);
            if pushed.is_err() || out.is_full() {
                return false;
            }
            if same {
                return true;
            }
        }
        out.push(key, record);
        !out.is_full()
    })?;
    pushed?;
    while !out.is_full() {
        let Some((changed, change)) = layers.head else { break };
        layers.pass(changed);
        out.push_change(changed, change)?;
    }
    Ok(())
}

/// A batch that is being filled.
pub(crate) struct Out<'a> {
    batch: &'a mut Batch,
    limit: usize,
}

impl<'a> Out<'a> {
    pub(crate) fn new(batch: &'a mut Batch, limit: usize) -> Self {
        batch.clear();
        Self { batch, limit }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.batch.len() >= self.limit
    }

    pub(crate) fn push(&mut self, key: &[u8], record: &[u8]) {
        self.batch.push(key, record, self.limit);
    }

    pub(crate) fn push_change(&mut self, key: &[u8], change: &Option<Record>) -> Result<()> {
        if let Some(record) = change {
            self.push(key, record.verified(key)?);
        }
        Ok(())
    }
}

type Change<'a> = (&'a Key, &'a Option<Record>);

/// Maps of changes read together; where several have a key, the first one counts.
struct Layers<'a> {
    layers: [Peekable<Layer<'a>>; 3],
    direction: Direction,
    /// The next change.
    head: Option<Change<'a>>,
}

impl<'a> Layers<'a> {
    fn new(layers: [Peekable<Layer<'a>>; 3], direction: Direction) -> Self {
        let mut this = Self { layers, direction, head: None };
        this.head = this.first();
        this
    }

    /// The first of the changes that the layers have next.
    fn first(&mut self) -> Option<Change<'a>> {
        let mut head: Option<Change<'a>> = None;
        for layer in &mut self.layers {
            let Some(&change) = layer.peek() else { continue };
            if head.is_none_or(|(key, _)| order(self.direction, change.0, key) == Ordering::Less) {
                head = Some(change);
            }
        }
        head
    }

    /// The next change, unless it lies beyond `key`.
    fn head_up_to(&self, key: &[u8]) -> Option<Change<'a>> {
        self.head.filter(|(changed, _)| order(self.direction, changed, key) != Ordering::Greater)
    }

    /// Goes on behind a key that is at the head.
    fn pass(&mut self, key: &Key) {
        for layer in &mut self.layers {
            layer.next_if(|(head, _)| *head == key);
        }
        self.head = self.first();
    }
}

/// Which of two keys is read first.
fn order(direction: Direction, a: &[u8], b: &[u8]) -> Ordering {
    match direction {
        Direction::Forward => a.cmp(b),
        Direction::Backward => b.cmp(a),
    }
}

/// A part of one map, in the direction of reading.
enum Layer<'a> {
    Forward(btree_map::Range<'a, Key, Option<Record>>),
    Backward(Rev<btree_map::Range<'a, Key, Option<Record>>>),
}

impl<'a> Layer<'a> {
    fn new(map: &'a Map, origin: Origin<'_>, direction: Direction) -> Self {
        let from = match origin {
            Origin::Start => Bound::Unbounded,
            Origin::At(key) => Bound::Included(key),
            Origin::Beyond(key) => Bound::Excluded(key),
        };
        match direction {
            Direction::Forward => Self::Forward(map.range::<[u8], _>((from, Bound::Unbounded))),
            Direction::Backward => Self::Backward(map.range::<[u8], _>((Bound::Unbounded, from)).rev()),
        }
    }
}

impl<'a> Iterator for Layer<'a> {
    type Item = Change<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Forward(range) => range.next(),
            Self::Backward(range) => range.next(),
        }
    }
}
