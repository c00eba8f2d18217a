//! The pages of an LMDB file, as they are read here: every offset in them is looked at before it is followed, so that no
//! page, whatever is in it, can lead outside of itself.
//!
//! ```text
//! page   = number:8 -:2 flags:2 lower:2 upper:2 offset:2 ...      a branch or a leaf; lower ends the offsets
//!        | number:8 -:2 flags:2 pages:4 bytes                     a long record, on as many pages
//! node   = low:2 high:2 flags:2 key-length:2 key record           of a leaf: low and high are the record's length
//!        | low:2 high:2 top:2 key-length:2 key                    of a branch: the number of the page below
//! meta   = page-header magic:4 version:4 -:8 size:8 state         pages 0 and 1, by turns
//! state  = free:48 main:48 last-page:8 transaction:8
//! tree   = page-size:4 flags:2 depth:2 -:32 records... root:8
//! ```

use std::cmp::Ordering;

/// Bytes of a page's header.
pub(super) const HEADER: usize = 16;
/// Bytes of a node before its key.
const NODE: usize = 8;
const BRANCH: u16 = 1;
const LEAF: u16 = 2;
const OVERFLOW: u16 = 4;
const META: u16 = 8;
/// The record lies on pages of its own, whose first one the node names.
const LONG: u16 = 1;
/// No page.
const NONE: u64 = u64::MAX;

const MAGIC: u32 = 0xBEEF_C0DE;
const VERSION: u32 = 1;
/// Start of the state in a meta page, and its length.
const STATE: usize = HEADER + 24;
pub(super) const STATE_BYTES: usize = 112;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

/// State that a transaction has left: the roots of the trees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct BaseState(pub(super) [u8; STATE_BYTES]);

impl BaseState {
    /// From a meta page, if it is one.
    pub(super) fn read(page: &[u8]) -> Option<Self> {
        let is_meta = u16_at(page, 10)? == META
            && u32_at(page, HEADER)? == MAGIC
            && u32_at(page, HEADER + 4)? == VERSION;
        is_meta.then_some(Self(page.get(STATE..STATE + STATE_BYTES)?.try_into().ok()?))
    }

    fn number(&self, at: usize) -> u64 {
        self.0[at..at + 8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// The size of a page.
    pub(super) fn page_bytes(&self) -> usize {
        self.number(0) as u32 as usize
    }

    /// The root of the tree of free pages, if there is any.
    pub(super) fn free(&self) -> Option<u64> {
        Some(self.number(40)).filter(|root| *root != NONE)
    }

    /// The root of the tree of records, if there is any.
    pub(super) fn main(&self) -> Option<u64> {
        Some(self.number(88)).filter(|root| *root != NONE)
    }

    /// Number of records.
    pub(super) fn entries(&self) -> u64 {
        self.number(80)
    }

    /// The last page that was ever used.
    pub(super) fn last_page(&self) -> u64 {
        self.number(96)
    }

    /// The transaction's number.
    pub(super) fn transaction(&self) -> u64 {
        self.number(104)
    }
}

/// A record where it lies.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// In the node.
    Here(&'a [u8]),
    /// On pages of its own.
    Long { page: u64, length: usize },
}

/// A page of a tree.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    bytes: &'a [u8],
    /// Number of nodes.
    pub(super) count: usize,
    pub(super) is_leaf: bool,
}

impl<'a> Page<'a> {
    /// A branch or a leaf.
    #[inline]
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let flags = u16_at(bytes, 10)? & (BRANCH | LEAF | OVERFLOW | META);
        let is_leaf = match flags {
            LEAF => true,
            BRANCH => false,
            _ => return None,
        };
        let count = usize::from(u16_at(bytes, 12)?).checked_sub(HEADER)? / 2;
        Some(Self { bytes, count, is_leaf })
    }

    #[inline]
    fn node(&self, at: usize) -> Option<&'a [u8]> {
        let offset = u16_at(self.bytes, HEADER + 2 * at)?;
        self.bytes.get(offset.into()..)
    }

    /// The key of a node. The first one of a branch has none: it stands for all that are lower than the second.
    #[inline]
    pub(super) fn key(&self, at: usize) -> Option<&'a [u8]> {
        let node = self.node(at)?;
        let length = usize::from(u16_at(node, 6)?);
        node.get(NODE..NODE + length)
    }

    /// The page below a node of a branch.
    #[inline]
    pub(super) fn child(&self, at: usize) -> Option<u64> {
        let node = self.node(at)?;
        Some(u64::from(u32_at(node, 0)?) | u64::from(u16_at(node, 4)?) << 32)
    }

    /// The record of a node of a leaf.
    #[inline]
    pub(super) fn value(&self, at: usize) -> Option<Value<'a>> {
        let node = self.node(at)?;
        let length = u32_at(node, 0)? as usize;
        let rest = node.get(NODE + usize::from(u16_at(node, 6)?)..)?;
        match u16_at(node, 4)? {
            0 => rest.get(..length).map(Value::Here),
            LONG => Some(Value::Long { page: u64_at(rest, 0)?, length }),
            _ => None,
        }
    }

    /// The first node with this key or a higher one, and whether it has this key.
    #[inline]
    pub(super) fn search(&self, key: &[u8]) -> Option<(usize, bool)> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            match self.key(middle)?.cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some((middle, true)),
                Ordering::Greater => high = middle,
            }
        }
        Some((low, false))
    }

    /// The node of a branch below which a key lies.
    #[inline]
    pub(super) fn way_to(&self, key: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (1, self.count);
        while low < high {
            let middle = (low + high) / 2;
            if self.key(middle)? <= key { low = middle + 1 } else { high = middle }
        }
        Some(low - 1)
    }

    /// Returns true if it has this number and all its nodes lie in it, in the order of their keys, within these
    /// bounds.
    pub(super) fn is_sound(&self, number: u64, from: &[u8], to: Option<&[u8]>) -> bool {
        let nodes = |at| {
            if self.is_leaf { self.value(at).is_some() } else { self.child(at).is_some() }
        };
        let first = usize::from(!self.is_leaf);
        let key = |at| self.key(at).unwrap_or_default();
        u64_at(self.bytes, 0) == Some(number)
            && self.count > 0
            && (0..self.count).all(|at| self.key(at).is_some() && nodes(at))
            && (first + 1..self.count).all(|at| key(at - 1) < key(at))
            && (self.count <= first || key(first) >= from && to.is_none_or(|to| key(self.count - 1) < to))
    }
}

/// The pages that a long record takes, as its first page says.
pub(super) fn long_pages(first: &[u8], number: u64) -> Option<u64> {
    let is_long = u16_at(first, 10)? & OVERFLOW != 0 && u64_at(first, 0)? == number;
    is_long.then_some(u64::from(u32_at(first, 12)?))
}
