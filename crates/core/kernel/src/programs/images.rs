//! Images of LOAD: a program's module as bytes in storage.
//!
//! States of an image: *in use* by tasks, *held* by LOAD HOLD, both, or gone. Tasks that LOAD a program share its
//! image; a new copy of the program begins a new one. A task's uses end with the task, a hold with RELEASE.
//!
//! The bytes are those of the module: an image for this machine, of use to programs that look at it, not to any that expect
//! the layout of another compiler. They lie where all tasks see them (`storage::Arena`).

use std::sync::{Arc, Weak};

use areas::Area;
use foldhash::HashMap;
use parking_lot::Mutex;
use spec::cond;

use super::Module;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::storage::{Arena, StorageAddress};

/// RESP2 of INVREQ for RELEASE.
mod refusal {
    pub const NOT_LOADED: i32 = 6;
    pub const LOADED_BY_ANOTHER: i32 = 7;
}

/// A program's image in storage.
pub struct Image {
    /// The program.
    pub program: Name8,
    module: Arc<Module>,
    area: Area,
}

impl Image {
    /// Its address.
    pub fn address(&self) -> StorageAddress {
        StorageAddress::of(&self.area)
    }

    /// Its bytes.
    pub fn length(&self) -> usize {
        self.area.len()
    }
}

/// The images of a region.
#[derive(Default)]
pub struct Images {
    table: Mutex<HashMap<Name8, Entry>>,
}

#[derive(Default)]
struct Entry {
    in_use: Weak<Image>,
    holds: Uses,
}

/// Images, each with how often it was loaded: a program that LOADs without end does not grow.
#[derive(Default)]
pub struct Uses(Vec<(Arc<Image>, u64)>);

impl Uses {
    /// Another LOAD.
    pub fn add(&mut self, image: Arc<Image>) {
        match self.0.iter_mut().find(|(used, _)| Arc::ptr_eq(used, &image)) {
            Some((_, times)) => *times += 1,
            None => self.0.push((image, 1)),
        }
    }

    /// One LOAD of a program less, of its youngest image; false if there is none.
    pub fn take(&mut self, program: Name8) -> bool {
        let Some(at) = self.0.iter().rposition(|(image, _)| image.program == program) else { return false };
        self.0[at].1 -= 1;
        if self.0[at].1 == 0 {
            self.0.remove(at);
        }
        true
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Images {
    /// The image of a module, if it is in storage.
    pub fn of(&self, program: Name8, module: &Arc<Module>) -> Option<Arc<Image>> {
        let image = self.table.lock().get(&program)?.in_use.upgrade()?;
        Arc::ptr_eq(&image.module, module).then_some(image)
    }

    /// Puts a module's bytes into storage. If another task was faster, its image is used.
    pub fn add(&self, arena: &Arena, program: Name8, module: Arc<Module>, bytes: &[u8]) -> Arc<Image> {
        let mut table = self.table.lock();
        let entry = table.entry(program).or_default();
        if let Some(image) = entry.in_use.upgrade().filter(|image| Arc::ptr_eq(&image.module, &module)) {
            return image;
        }
        let image = Arc::new(Image { program, module, area: arena.hold(bytes) });
        entry.in_use = Arc::downgrade(&image);
        image
    }

    /// LOAD HOLD.
    pub fn hold(&self, image: Arc<Image>) {
        self.table.lock().entry(image.program).or_default().holds.add(image);
    }

    /// Returns true if LOAD HOLD keeps an image of the program.
    pub fn is_held(&self, program: Name8) -> bool {
        self.table.lock().get(&program).is_some_and(|entry| !entry.holds.is_empty())
    }

    /// RELEASE of a program that the task itself has not loaded: the last hold goes.
    ///
    /// # Errors
    /// INVREQ: it is not loaded, or another task has loaded it without HOLD.
    pub fn release(&self, program: Name8) -> Outcome {
        let mut table = self.table.lock();
        let entry = table.get_mut(&program).ok_or_else(|| cond::INVREQ.raise(refusal::NOT_LOADED))?;
        match (entry.holds.take(program), entry.in_use.strong_count()) {
            (true, _) => Ok(()),
            (false, 0) => Err(cond::INVREQ.raise(refusal::NOT_LOADED)),
            (false, _) => Err(cond::INVREQ.raise(refusal::LOADED_BY_ANOTHER)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_lives_while_it_is_used_or_held() {
        let (images, arena, name) = (Images::default(), Arena::default(), Name8::from("TABLE"));
        let module = Arc::new(Module {
            entry: String::from("TABLE"),
            source: "table".into(),
            unit: Arc::new(native::Unit::empty("table".to_owned())),
            statements: Box::new(|_| None),
        });
        assert_eq!(images.release(name), Err(cond::INVREQ.raise(6)));
        let image = images.add(&arena, name, Arc::clone(&module), b"rows");
        assert!(Arc::ptr_eq(&image, &images.add(&arena, name, Arc::clone(&module), b"rows")));
        assert_eq!(images.release(name), Err(cond::INVREQ.raise(7)));
        assert!(!images.is_held(name));
        images.hold(Arc::clone(&image));
        drop(image);
        assert!(images.is_held(name));
        assert_eq!(images.of(name, &module).map(|image| image.length()), Some(4));
        images.hold(images.of(name, &module).expect("it is held"));
        assert_eq!(images.release(name), Ok(()));
        let address = images.of(name, &module).map(|image| image.address()).expect("it is held");
        assert!(arena.read_at(address, &mut [0; 4]));
        assert_eq!(images.release(name), Ok(()));
        assert!(images.of(name, &module).is_none());
        assert!(!arena.read_at(address, &mut [0; 4]));
    }
}
