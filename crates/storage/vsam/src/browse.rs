//! Browses: reading a data set in order, forward and backward, from a place that can be changed.
//!
//! ```text
//!          start / reposition              next, prev
//!   ┌──────────────► Before(search) ──────────────► On(entry, direction) ◄─┐
//!   │                                                   │       └──────────┘ next, prev
//!   └───────────────────────────────────────────────────┘ reposition
//! ```
//!
//! A change of direction reads the same record again. The end of the data set is no place: a browse that met it stays
//! on the last record, so that turning round reads that one.
//!
//! Through a non-unique alternate index, records with the same alternate key come in the order in which they were
//! written, in both directions, as published; turning round begins with the first of them.

use std::sync::Arc;

use records::{Direction, Origin, UnitOfWork, Wait};

use crate::cursor::Cursor;
use crate::dataset::Dataset;
use crate::search::Found;
use crate::sphere::{Index, Key};
use crate::{Error, Integrity, Result, Search};

/// A browse. It belongs to no unit of work: it sees what each one sees that it is used in.
pub struct Browse {
    dataset: Arc<Dataset>,
    cursor: Cursor,
    place: Place,
    generic: bool,
    at_least: bool,
}

/// Position of a browse.
#[derive(Clone)]
enum Place {
    /// Before the record that a search for this key finds.
    Before(Key),
    /// The same, and the cursor is on what the search found.
    Found(Key),
    /// On the record that was read last: its entry in the order of the browse.
    On(Key, Direction),
}

impl Dataset {
    /// Starts a browse. [`Error::NotFound`] if the search finds nothing; but a full key of X'FF' finds the end of a
    /// data set that is not empty, for a browse backward.
    pub async fn browse(self: &Arc<Self>, unit: &mut dyn UnitOfWork, search: Search<'_>) -> Result<Browse> {
        let index = self.through.as_ref().map_or(self.sphere.store, |index| index.store);
        let mut browse = Browse {
            dataset: self.clone(),
            cursor: Cursor::new(index),
            place: Place::Before(Key::new()),
            generic: search.generic,
            at_least: search.at_least,
        };
        browse.reset(unit, search).await?;
        Ok(browse)
    }
}

impl Browse {
    /// The data set.
    pub fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    /// Returns true if it was started by the beginning of a key.
    pub fn is_generic(&self) -> bool {
        self.generic
    }

    /// Starts again from another place, with another kind of search.
    pub async fn reset(&mut self, unit: &mut dyn UnitOfWork, search: Search<'_>) -> Result<()> {
        self.dataset.check_search(search)?;
        let is_end = !search.generic && search.key.iter().all(|byte| *byte == u8::MAX);
        if let Place::Found(key) = &self.place {
            // The cursor leaves it now, and comes back only by searching.
            self.place = Place::Before(key.clone());
        }
        let origin = if is_end { Origin::Start } else { Origin::At(search.key) };
        let direction = if is_end { Direction::Backward } else { Direction::Forward };
        let found = self.cursor.seek(unit, origin, direction).await?;
        if !found || !(is_end || search.accepts(self.ordered_key())) {
            return Err(Error::NotFound);
        }
        (self.generic, self.at_least) = (search.generic, search.at_least);
        let key = Key::from_slice(search.key);
        self.place = if is_end { Place::Before(key) } else { Place::Found(key) };
        Ok(())
    }

    /// Continues from another key, with the same kind of search. The next read shows if there is such a record.
    pub fn reposition(&mut self, key: &[u8]) -> Result<()> {
        self.dataset.check_search(self.search(key))?;
        self.place = Place::Before(Key::from_slice(key));
        Ok(())
    }

    /// The record that comes next in the direction of the browse, where it was read ahead: most are.
    fn at_hand(
        &mut self,
        unit: &dyn UnitOfWork,
        direction: Direction,
        record: &mut Vec<u8>,
    ) -> Option<Found> {
        let Place::On(key, going) = &mut self.place else { return None };
        let goes_on = *going == direction && self.cursor.direction() == direction;
        if !goes_on || self.dataset.is_path() || self.cursor.entry().0 != key.as_slice() {
            return None;
        }
        if !self.cursor.step_on(unit) {
            return None;
        }
        let (entry, contents) = self.cursor.entry();
        *key = Key::from_slice(entry);
        record.clear();
        record.extend_from_slice(contents);
        Some(Found::base(entry))
    }

    /// Reads the next record.
    pub async fn next(&mut self, unit: &mut dyn UnitOfWork, record: &mut Vec<u8>) -> Result<Found> {
        if let Some(found) = self.at_hand(unit, Direction::Forward, record) {
            return Ok(found);
        }
        loop {
            self.go_next(unit).await?;
            let found = self.read_current(unit, record).await?;
            self.place = Place::On(Key::from_slice(self.cursor.entry().0), Direction::Forward);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// Reads the previous record. Right after a start or a change of key there must be a record with exactly that key,
    /// except at the end ([`Dataset::browse`]); a generic start cannot be followed by it.
    pub async fn prev(&mut self, unit: &mut dyn UnitOfWork, record: &mut Vec<u8>) -> Result<Found> {
        if self.generic && matches!(self.place, Place::Before(_) | Place::Found(_)) {
            return Err(Error::Invalid("reading backward after a generic start"));
        }
        if let Some(found) = self.at_hand(unit, Direction::Backward, record) {
            return Ok(found);
        }
        loop {
            self.go_prev(unit).await?;
            let found = self.read_current(unit, record).await?;
            self.place = Place::On(Key::from_slice(self.cursor.entry().0), Direction::Backward);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// Reads the next record, or the previous one, and locks it: for a moment where the integrity is
    /// [`Integrity::Consistent`], otherwise until the end of the unit of work. A browse that cannot have the lock stays
    /// where it was.
    pub async fn step_with(
        &mut self,
        unit: &mut dyn UnitOfWork,
        direction: Direction,
        integrity: Integrity,
        wait: Wait,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        if integrity == Integrity::Uncommitted {
            return self.step(unit, direction, record).await;
        }
        let store = self.dataset.sphere.store;
        let before = match self.place.clone() {
            // The cursor leaves it now.
            Place::Found(key) => Place::Before(key),
            place => place,
        };
        let mut found = self.step(unit, direction, record).await?;
        // What is found may have changed while the lock was waited for: look again, now that it cannot.
        loop {
            self.place = before.clone();
            unit.lock(store, &found.base, wait).await?;
            let again = self.step(unit, direction, record).await;
            let stays = matches!(&again, Ok(again) if again.base == found.base);
            if !stays || integrity == Integrity::Consistent {
                unit.unlock(store, &found.base);
            }
            found = again?;
            if stays {
                return Ok(found);
            }
        }
    }

    /// [`Self::next`] or [`Self::prev`].
    pub async fn step(
        &mut self,
        unit: &mut dyn UnitOfWork,
        direction: Direction,
        record: &mut Vec<u8>,
    ) -> Result<Found> {
        match direction {
            Direction::Forward => self.next(unit, record).await,
            Direction::Backward => self.prev(unit, record).await,
        }
    }

    /// Puts the cursor on the entry that is read next.
    async fn go_next(&mut self, unit: &mut dyn UnitOfWork) -> Result<()> {
        use Direction::{Backward, Forward};
        let found = match &self.place {
            Place::Found(key) => self.cursor.seek_again(unit, key).await?,
            Place::Before(key) => self.cursor.seek(unit, Origin::At(key), Forward).await?,
            Place::On(key, Forward) => self.cursor.beyond(unit, key, Forward).await?,
            Place::On(_, Backward) => {
                let turned = self.group_of_place();
                self.cursor.seek(unit, Origin::At(&turned), Forward).await?
            }
        };
        if let Place::Before(key) | Place::Found(key) = &self.place
            && found
            && !self.search(key).accepts(self.ordered_key())
        {
            return Err(Error::NotFound);
        }
        if found { Ok(()) } else { Err(Error::EndOfFile) }
    }

    /// Puts the cursor on the entry that is read next backward.
    async fn go_prev(&mut self, unit: &mut dyn UnitOfWork) -> Result<()> {
        use Direction::{Backward, Forward};
        let grouped = self.dataset.has_duplicates();
        let found = match &self.place {
            Place::Before(key) | Place::Found(key) if key.iter().all(|byte| *byte == u8::MAX) => {
                self.seek_last(unit, Origin::Start).await?
            }
            Place::Before(key) | Place::Found(key) => {
                let found = self.cursor.seek(unit, Origin::At(key), Forward).await?;
                if !found || self.ordered_key() != key.as_slice() {
                    return Err(Error::NotFound);
                }
                found
            }
            Place::On(key, Backward) if !grouped => self.cursor.beyond(unit, key, Backward).await?,
            Place::On(key, Backward) => {
                // The rest of the records with this alternate key, in their own order; then the group before.
                let turned = self.group_of_place();
                let more = self.cursor.beyond(unit, key, Forward).await?;
                if more && self.cursor.entry().0.starts_with(&turned) {
                    true
                } else {
                    self.seek_last(unit, Origin::Beyond(&turned)).await?
                }
            }
            Place::On(_, Forward) if grouped => {
                let turned = self.group_of_place();
                self.cursor.seek(unit, Origin::At(&turned), Forward).await?
            }
            Place::On(key, Forward) => self.cursor.seek(unit, Origin::At(key), Backward).await?,
        };
        if found { Ok(()) } else { Err(Error::EndOfFile) }
    }

    /// Goes to the last entry up to `origin`, or to the first of those with the same alternate key.
    async fn seek_last(&mut self, unit: &mut dyn UnitOfWork, origin: Origin<'_>) -> Result<bool> {
        let found = self.cursor.seek(unit, origin, Direction::Backward).await?;
        if found && self.dataset.has_duplicates() {
            let group = Key::from_slice(self.ordered_key());
            return self.cursor.seek(unit, Origin::At(&group), Direction::Forward).await;
        }
        Ok(found)
    }

    /// The entry on which the browse is; or where the entries with its alternate key begin, where there can be several.
    fn group_of_place(&self) -> Key {
        let (Place::Before(key) | Place::Found(key) | Place::On(key, _)) = &self.place;
        match &self.dataset.through {
            Some(index) if !index.unique => Key::from_slice(index.split(key, &[]).0),
            _ => Key::from_slice(key),
        }
    }

    /// Reads the record of the current entry; `None` if the entry leads nowhere.
    async fn read_current(
        &mut self,
        unit: &mut dyn UnitOfWork,
        record: &mut Vec<u8>,
    ) -> Result<Option<Found>> {
        let (key, contents) = self.cursor.entry();
        let Some(index) = self.dataset.through.clone() else {
            record.clear();
            record.extend_from_slice(contents);
            return Ok(Some(Found::base(key)));
        };
        let (alternate, base) = index.split(key, contents);
        let mut found =
            Found { key: Key::from_slice(alternate), base: Key::from_slice(base), duplicate: false };
        if !self.dataset.read_indexed(&index, unit, &found, record).await? {
            return Ok(None);
        }
        found.duplicate = self.duplicate_follows(&index, unit, &found.key).await?;
        Ok(Some(found))
    }

    async fn duplicate_follows(
        &self,
        index: &Index,
        unit: &mut dyn UnitOfWork,
        alternate: &[u8],
    ) -> Result<bool> {
        if index.unique {
            return Ok(false);
        }
        Ok(self.cursor.peek(unit).await?.is_some_and(|next| next.starts_with(alternate)))
    }

    /// The key of the current entry by which the browse is ordered.
    fn ordered_key(&self) -> &[u8] {
        let (key, contents) = self.cursor.entry();
        self.dataset.through.as_ref().map_or(key, |index| index.split(key, contents).0)
    }

    fn search<'a>(&self, key: &'a [u8]) -> Search<'a> {
        Search { key, generic: self.generic, at_least: self.at_least }
    }
}
