//! Changes of a transaction of LMDB: the trees before and after it are compared, page by page.
//!
//! LMDB never writes a page that the tree before it has. So a page of the new tree that the old one has as well is
//! unchanged, and everything below it is; all others are new, and those of the old tree that are not met are free.
//! New pages are looked through before they get their checksums: what overwrote them in main storage is noticed here.

use std::collections::HashSet;

use super::Space;
use super::checks::{Counts, check};
use super::pages::{BaseState, HEADER, Page, Value, long_pages};
use super::snapshot::{Snapshot, damaged};
use crate::record::verified;
use crate::{Error, Result};

/// The next checks.
pub(super) struct Succession<'a> {
    before: &'a Snapshot,
    /// Checksums of pages.
    pub(super) table: Vec<u32>,
    pub(super) counts: Counts,
    /// Pages that both trees have.
    kept: HashSet<u64>,
    /// Pages that were written.
    pub(super) written: Vec<u64>,
}

/// Which tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tree {
    Free,
    Main,
}

impl<'a> Succession<'a> {
    /// Fate of `before` in the transaction that left `after`.
    pub(super) fn find(before: &'a Snapshot, after: &BaseState) -> Result<Self> {
        let mut table = before.checks.to_table();
        table.resize(usize::try_from(after.last_page()).unwrap_or(usize::MAX).saturating_add(1), 0);
        let counts = before.checks.counts.clone();
        let mut this = Self { before, table, counts, kept: HashSet::new(), written: Vec::new() };
        for (tree, old, new) in [
            (Tree::Free, before.state().free(), after.free()),
            (Tree::Main, before.state().main(), after.main()),
        ] {
            new.map_or(Ok(()), |root| this.add(tree, root, &[], None))?;
            old.map_or(Ok(()), |root| this.remove(tree, root))?;
        }
        this.counts.retain(|_, records| *records > 0);
        if this.counts.values().sum::<u64>() != after.entries() {
            return Err(Error::damaged("the base has another number of records than was counted"));
        }
        Ok(this)
    }

    /// Returns true if the tree before had a page.
    fn keeps(&mut self, page: u64) -> bool {
        let kept = self.before.checks.of(page) != 0;
        if kept {
            self.kept.insert(page);
        }
        kept
    }

    fn set(&mut self, page: u64, check: u32) -> Result<()> {
        let at = usize::try_from(page).ok().and_then(|page| self.table.get_mut(page));
        *at.ok_or_else(|| damaged(page))? = check;
        Ok(())
    }

    /// Takes a page into the new tree with what is below it.
    fn add(&mut self, tree: Tree, number: u64, from: &[u8], to: Option<&[u8]>) -> Result<()> {
        if self.keeps(number) {
            return Ok(());
        }
        let bytes = self.before.file.fetch(number)?;
        let page = Page::read(&bytes).ok_or_else(|| unsound(number))?;
        if tree == Tree::Main && !page.is_sound(number, from, to) {
            return Err(unsound(number));
        }
        self.set(number, check(&bytes))?;
        self.written.push(number);
        for at in 0..page.count {
            let key = page.key(at).ok_or_else(|| unsound(number))?;
            if !page.is_leaf {
                let child = page.child(at).ok_or_else(|| unsound(number))?;
                let from = if at == 0 { from } else { key };
                let next = if at + 1 < page.count { page.key(at + 1) } else { to };
                self.add(tree, child, from, next)?;
                continue;
            }
            let long;
            let value = match page.value(at).ok_or_else(|| unsound(number))? {
                Value::Here(value) => value,
                Value::Long { page, length } => {
                    long = self.add_long(page, length)?;
                    &long
                }
            };
            if tree == Tree::Main {
                let (space, key) = key.split_first_chunk::<4>().ok_or_else(|| unsound(number))?;
                // What is long and kept was looked at when it was written.
                if !value.is_empty() && verified(key, value).is_none() {
                    return Err(unsound(number));
                }
                *self.counts.entry(Space(u32::from_be_bytes(*space))).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Takes the pages of a long record. Returns it, or nothing if it is kept.
    fn add_long(&mut self, first: u64, length: usize) -> Result<Vec<u8>> {
        if self.keeps(first) {
            return Ok(Vec::new());
        }
        let mut bytes = self.before.file.fetch(first)?;
        let pages = long_pages(&bytes, first).ok_or_else(|| unsound(first))?;
        self.set(first, check(&bytes))?;
        self.written.push(first);
        for number in first + 1..first + pages {
            let page = self.before.file.fetch(number)?;
            self.set(number, check(&page))?;
            self.written.push(number);
            bytes.extend(page);
        }
        bytes.get(HEADER..HEADER + length).map(<[u8]>::to_vec).ok_or_else(|| unsound(first))
    }

    /// Takes a page of the old tree away with what is below it, unless it is kept.
    fn remove(&mut self, tree: Tree, number: u64) -> Result<()> {
        if self.kept.contains(&number) {
            return Ok(());
        }
        let before = self.before;
        let page = before.node(number)?;
        self.clear(number)?;
        for at in 0..page.count {
            if !page.is_leaf {
                self.remove(tree, page.child(at).ok_or_else(|| damaged(number))?)?;
                continue;
            }
            if let Value::Long { page: first, .. } = page.value(at).ok_or_else(|| damaged(number))?
                && !self.kept.contains(&first)
            {
                let pages = long_pages(before.page(first)?, first).ok_or_else(|| damaged(first))?;
                (first..first + pages).try_for_each(|page| self.clear(page))?;
            }
            if tree == Tree::Main {
                let space = page.key(at).and_then(<[u8]>::first_chunk::<4>).ok_or_else(|| damaged(number))?;
                if let Some(count) = self.counts.get_mut(&Space(u32::from_be_bytes(*space))) {
                    *count = count.saturating_sub(1);
                }
            }
        }
        Ok(())
    }

    /// No tree has the page any longer.
    fn clear(&mut self, page: u64) -> Result<()> {
        self.set(page, 0)
    }
}

/// A page that was just written contradicts itself.
fn unsound(page: u64) -> Error {
    Error::Overwritten(format!("page {page} of the base, before it was written,"))
}
