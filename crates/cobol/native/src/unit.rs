//! The programs of one source, loaded: the first is where CICS enters it, the others stand within it or behind it.

use crate::{KeptProgram, Loaded};

/// A loaded source.
#[derive(Debug)]
pub struct Unit {
    source: String,
    programs: Vec<Loaded<KeptProgram>>,
}

impl Unit {
    /// A source without programs: what is kept of one that is not compiled.
    pub fn empty(source: String) -> Self {
        Self::of(source, Vec::new())
    }

    /// The programs of a source, in their order; messages show the source by its name.
    pub fn of(source: String, programs: Vec<Loaded<KeptProgram>>) -> Self {
        Self { source, programs }
    }

    /// All of them.
    pub(crate) fn programs(&self) -> &[Loaded<KeptProgram>] {
        &self.programs
    }

    /// The source's name.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Bytes of machine code of all its programs.
    pub fn code_length(&self) -> usize {
        self.programs.iter().map(Loaded::code_length).sum()
    }

    /// A program by its place.
    pub fn program(&self, place: usize) -> Option<&Loaded<KeptProgram>> {
        self.programs.get(place)
    }

    /// Returns true if a statement of a program names its COMMAREA, or one that it contains may.
    pub fn names_commarea(&self, place: usize) -> bool {
        let is_alone = self.programs.len() == 1;
        self.programs.get(place).is_none_or(|program| !is_alone || program.names_commarea())
    }

    /// The place of a program of this source that stands in no other, by its name.
    pub fn beside(&self, name: &str) -> Option<usize> {
        self.programs.iter().position(|own| {
            own.program().container.is_none() && own.program().name.eq_ignore_ascii_case(name)
        })
    }

    /// A program, by its place, and all that it contains.
    pub fn with_contained(&self, place: usize) -> Vec<usize> {
        let mut all = vec![place];
        // Each stands behind the one that contains it.
        for (at, own) in self.programs.iter().enumerate() {
            let container = own.program().container.map(|container| container as usize);
            if container.is_some_and(|container| all.contains(&container)) {
                all.push(at);
            }
        }
        all
    }

    /// The place of the program that another one of this source means by a name: one that it contains, or one that is
    /// COMMON in a program around it.
    pub fn contained(&self, caller: usize, name: &str) -> Option<usize> {
        let mut around = Some(caller);
        while let Some(place) = around {
            let found = self.programs.iter().position(|own| {
                let own = own.program();
                let within = own.container.map(|container| container as usize) == Some(place);
                within && (place == caller || own.common) && own.name.eq_ignore_ascii_case(name)
            });
            if found.is_some() {
                return found;
            }
            around = self.programs.get(place)?.program().container.map(|container| container as usize);
        }
        None
    }
}
