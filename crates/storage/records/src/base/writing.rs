//! Before LMDB writes: every page that it will look at is what it was when it was written. LMDB itself takes any page for
//! what it says, and a damaged one would lead it anywhere.

use super::pages::Value;
use super::snapshot::{Snapshot, damaged};
use super::{Batch, FullKey, Space, full_key};
use crate::Result;

impl Snapshot {
    /// Compares all pages that a batch can touch.
    pub(super) fn prepare(&self, batch: &Batch) -> Result<()> {
        self.prepare_free()?;
        let Some(root) = self.state().main() else { return Ok(()) };
        for space in &batch.cleared {
            self.prepare_space(root, &full_key(*space, &[]), &full_key(Space(space.0 + 1), &[]))?;
        }
        for (space, map) in &batch.changes {
            let mut keys = map.keys().map(|key| full_key(*space, key)).peekable();
            self.prepare_keys(root, &mut keys, None)?;
        }
        self.prepare_notes(root)
    }

    /// Compares all pages that filling a space can touch: the way to its end.
    pub(super) fn prepare_fill(&self, space: Space) -> Result<()> {
        self.prepare_free()?;
        let Some(root) = self.state().main() else { return Ok(()) };
        self.prepare_keys(root, &mut [full_key(Space(space.0 + 1), &[])].into_iter().peekable(), None)?;
        // Its last record is asked for as well.
        self.prepare_keys(root, &mut [full_key(Space(u32::MAX), &[])].into_iter().peekable(), None)
    }

    /// The way to the base's own notes.
    pub(super) fn prepare_notes(&self, root: u64) -> Result<()> {
        self.prepare_keys(root, &mut [full_key(Space(0), &[])].into_iter().peekable(), None)?;
        self.prepare_keys(root, &mut [full_key(Space(1), &[])].into_iter().peekable(), None)
    }

    /// The tree of free pages, as a whole.
    pub(super) fn prepare_free(&self) -> Result<()> {
        self.state().free().map_or(Ok(()), |root| self.prepare_all(root))
    }

    fn prepare_all(&self, number: u64) -> Result<()> {
        let page = self.node(number)?;
        (0..page.count).try_for_each(|at| {
            if !page.is_leaf {
                return self.prepare_all(page.child(at).ok_or_else(|| damaged(number))?);
            }
            self.value(page.value(at).ok_or_else(|| damaged(number))?).map(drop)
        })
    }

    /// Everything between two keys.
    fn prepare_space(&self, number: u64, from: &[u8], to: &[u8]) -> Result<()> {
        let page = self.node(number)?;
        let torn = || damaged(number);
        if page.is_leaf {
            return (0..page.count).try_for_each(|at| match page.value(at).ok_or_else(torn)? {
                long @ Value::Long { .. } => self.value(long).map(drop),
                Value::Here(_) => Ok(()),
            });
        }
        let first = page.way_to(from).ok_or_else(torn)?;
        let last = page.way_to(to).ok_or_else(torn)?;
        for at in first..=last {
            self.prepare_space(page.child(at).ok_or_else(torn)?, from, to)?;
        }
        self.prepare_neighbours(number, first..last + 1)
    }

    /// The leaves of these keys, which ascend, up to `end`, and the ways there.
    fn prepare_keys(
        &self,
        number: u64,
        keys: &mut std::iter::Peekable<impl Iterator<Item = FullKey>>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let page = self.node(number)?;
        let torn = || damaged(number);
        let is_before = |key: &FullKey, end: Option<&[u8]>| end.is_none_or(|end| key.as_slice() < end);
        while let Some(key) = keys.next_if(|key| page.is_leaf && is_before(key, end)) {
            let (at, found) = page.search(&key).ok_or_else(torn)?;
            if found {
                self.value(page.value(at).ok_or_else(torn)?)?;
            }
        }
        while let Some(key) = keys.peek().filter(|key| !page.is_leaf && is_before(key, end)) {
            let at = page.way_to(key).ok_or_else(torn)?;
            let next = if at + 1 < page.count { page.key(at + 1) } else { end };
            self.prepare_keys(page.child(at).ok_or_else(torn)?, keys, next)?;
            self.prepare_neighbours(number, at..at + 1)?;
        }
        Ok(())
    }

    /// A page that becomes nearly empty is joined with one beside it, down to its first leaf.
    fn prepare_neighbours(&self, number: u64, range: std::ops::Range<usize>) -> Result<()> {
        let page = self.node(number)?;
        for at in
            [range.start.checked_sub(1), Some(range.end).filter(|at| *at < page.count)].into_iter().flatten()
        {
            let mut below = page.child(at).ok_or_else(|| damaged(number))?;
            loop {
                let page = self.node(below)?;
                if page.is_leaf {
                    break;
                }
                below = page.child(0).ok_or_else(|| damaged(below))?;
            }
        }
        Ok(())
    }
}
