//! EXTERNAL items: one storage for each name, shared by the programs of a link level, which is a run unit.
//!
//! A program asks for their addresses once, when it initializes itself for the template; a fresh image has those of its own
//! level put in their place.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};

use crate::storage::Overlay;
use crate::storage::guarded::Guarded;
use crate::storage::supply::NoStorage;

/// The EXTERNAL items of a link level.
#[derive(Default)]
pub struct Externals {
    items: RefCell<Vec<Item>>,
    /// Bytes of the pages that they lie in.
    bytes: Cell<usize>,
}

struct Item {
    name: CString,
    size: usize,
    block: Guarded,
}

/// Why a program has no EXTERNAL item.
#[derive(Debug, PartialEq, Eq)]
pub enum NoItem {
    /// Another program of the level declares it with fewer bytes: so many.
    Smaller(usize),
    /// There is no storage for it.
    NoStorage(NoStorage),
}

impl NoItem {
    /// What the program's owner should know.
    pub fn message(&self, name: &CStr, size: usize) -> String {
        let name = name.to_string_lossy();
        match self {
            Self::Smaller(other) => {
                format!(
                    "EXTERNAL item {name} has {size} bytes here, and {other} in a program before: make them the same"
                )
            }
            Self::NoStorage(why) => {
                format!("there is no storage for the {size} bytes of EXTERNAL item {name}: {why}")
            }
        }
    }
}

impl Externals {
    /// The address of an item, made when it is first asked for.
    pub fn address(
        &self,
        name: &CString,
        size: usize,
        make: impl FnOnce(usize) -> Result<Guarded, NoStorage>,
    ) -> Result<usize, NoItem> {
        let mut items = self.items.borrow_mut();
        if let Some(item) = items.iter().find(|item| item.name == *name) {
            return if size <= item.size {
                Ok(item.block.address())
            } else {
                Err(NoItem::Smaller(item.size))
            };
        }
        let block = make(size).map_err(NoItem::NoStorage)?;
        let address = block.address();
        self.bytes.set(self.bytes.get() + block.size());
        items.push(Item { name: name.clone(), size, block });
        Ok(address)
    }

    /// Bytes of the pages that they lie in.
    pub fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// What was written in front of one of them.
    pub fn overlay(&self) -> Option<Overlay> {
        self.items.borrow().iter().find_map(|item| item.block.overlay())
    }
}

/// An EXTERNAL item that a program has asked for.
pub struct Asked {
    pub name: CString,
    pub size: usize,
    /// Where it was for the task that asked.
    pub address: usize,
}

/// Where a program's template holds the address of an EXTERNAL item, or of something in it.
pub struct Reference {
    /// Bytes from the start of the program's data.
    pub at: usize,
    /// Which of those that it asked for.
    pub item: usize,
    /// Bytes from the item's start.
    pub within: usize,
}

/// Finds them: pointers are aligned, and nothing else is at an address of a block.
pub fn references(template: &[u8], asked: &[Asked]) -> Vec<Reference> {
    let (words, _) = template.as_chunks::<{ size_of::<usize>() }>();
    let found = words.iter().enumerate().filter_map(|(index, word)| {
        let value = usize::from_ne_bytes(*word);
        let item = asked.iter().position(|a| (a.address..a.address + a.size).contains(&value))?;
        Some(Reference { at: index * size_of::<usize>(), item, within: value - asked[item].address })
    });
    if asked.is_empty() { Vec::new() } else { found.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_into_an_item_is_found() {
        let asked =
            [(64, 16), (1 << 20, 8)].map(|(address, size)| Asked { name: c"A".into(), size, address });
        let template: Vec<u8> =
            [7usize, 64, 79, 80, 1 << 20].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let found =
            references(&template, &asked).iter().map(|r| (r.at, r.item, r.within)).collect::<Vec<_>>();
        assert_eq!(found, [(8, 0, 0), (16, 0, 15), (32, 1, 0)]);
    }

    #[test]
    fn programs_of_a_level_share_an_item_by_its_name() {
        let externals = Externals::default();
        let [first, second] = [c"FIRST", c"SECOND"].map(CString::from);
        let ask = |name, size| externals.address(name, size, |size| Guarded::new(size, None));
        let address = ask(&first, 100).expect("memory");
        assert_ne!(ask(&second, 100), Ok(address));
        assert_eq!(ask(&first, 50), Ok(address));
        assert_eq!(ask(&first, 101), Err(NoItem::Smaller(100)));
    }
}
