//! Links: how code enters a program that it CALLs by itself.
//!
//! A program that was entered within code keeps its context, and the link of the CALL from which it was entered leads there. Code
//! enters it again through the same link without a helper, if all is as it was: the program does not run, and its arguments lie where
//! they lay. Whatever else may have changed ends that: storage that moves, a run of code that begins, a program that is entered by
//! another way ([`Context::called_from`](super::context::Context::called_from)).

use cobol_ir::Program;
use cobol_ir::program::{Argument, Bounds, BytePlace, Operation, Segment, Service, Site};
use cobol_run::{Activation, Task};

use super::context::{LINKED_RECORDS_MAX, Link, NAME_WORDS};

/// CALLs of a program that have a link, at most: others always go by a helper.
pub const LINKS_MAX: usize = 256;
/// Numbers of a program's frame that it clears by itself when it is entered, at most: one with more always goes by a helper.
pub const CLEARED_SLOTS_MAX: u32 = 64;
/// The links of programs of which nothing is known.
static UNKNOWN: [Link; LINKS_MAX] = [const { Link::unknown() }; LINKS_MAX];

/// Two bytes that are RETURN-CODE of programs without one.
pub(crate) static NO_CODE: [u8; 2] = [0; 2];

/// The links of a program of which nothing is known.
pub(crate) fn unknown() -> *const Link {
    UNKNOWN.as_ptr()
}

/// An item at a constant place of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) segment: Segment,
    pub(crate) at: u32,
    pub(crate) length: u32,
}

impl Given {
    /// `None` if the place of the item depends on what the program does.
    pub(crate) fn of(place: &BytePlace) -> Option<Self> {
        let (at, length) =
            (u32::try_from(place.at.constant).ok()?, u32::try_from(place.length.constant).ok()?);
        let is_within = match place.bounds {
            Bounds::Item { from, to } => at >= from && at.checked_add(length)? <= to && length > 0,
            _ => true,
        };
        let is_fixed = place.at.terms.is_empty() && place.length.terms.is_empty();
        let is_there = is_fixed && is_within && place.segment != Segment::Constant;
        is_there.then_some(Self { segment: place.segment, at, length })
    }

    /// Its place; zero without an address, `None` if that is no storage.
    #[inline]
    pub(crate) fn address(&self, activation: &Activation, storage: &Task) -> Option<u32> {
        let base = match self.segment {
            Segment::Working => activation.working,
            Segment::Local => activation.local,
            Segment::Linkage(index) => match *activation.linkage.get(index as usize)? {
                0 => return Some(0),
                base => base,
            },
            Segment::Constant => return None,
        };
        let record = storage.record(base);
        let end = u64::from(self.at) + u64::from(self.length);
        (record.base != 0 && end <= record.limit).then(|| base + self.at)
    }
}

/// A CALL that code may make by itself.
#[derive(Clone, Debug)]
pub struct Linked<'p> {
    /// Its number among the CALLs of its program.
    pub number: usize,
    /// The item that holds the name.
    pub name: Option<&'p BytePlace>,
    /// The records of the linkage section in which its arguments lie.
    pub records: Vec<u32>,
}

impl<'p> Linked<'p> {
    /// A call of the host by its number. `None` if it is something else, or its arguments depend on what the program does.
    pub fn of(program: &'p Program, site: u32) -> Option<Self> {
        let is_call = |site: &Site| matches!(site.service, Service::Call(_) | Service::CallNamed(_));
        let own = program.sites.get(site as usize).filter(|own| is_call(own) && own.returning.is_none())?;
        let number = program.sites.iter().take(site as usize).filter(|site| is_call(site)).count();
        let name = match &own.service {
            Service::CallNamed(place) => {
                let given = Given::of(place)?;
                let is_own = matches!(given.segment, Segment::Working | Segment::Local);
                let is_short = (1..=8 * NAME_WORDS as u32).contains(&given.length);
                Some(place).filter(|_| is_own && is_short).map(Some)?
            }
            _ => None,
        };
        let mut records = Vec::new();
        for argument in &own.arguments {
            let Argument::Reference(place) = argument else { return None };
            if let Segment::Linkage(index) = Given::of(place)?.segment
                && !records.contains(&index)
            {
                records.push(index);
            }
        }
        let has_link = number < LINKS_MAX && records.len() <= LINKED_RECORDS_MAX;
        has_link.then_some(Self { number, name, records })
    }

    /// The pieces of a name that are compared as words: where each begins, and its length.
    pub fn words(length: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..length.div_ceil(8)).map(move |word| (8 * word, (length - 8 * word).min(8)))
    }

    /// The words of a name.
    pub(crate) fn words_of(name: &[u8]) -> [u64; NAME_WORDS] {
        let mut words = [0; NAME_WORDS];
        for (word, bytes) in words.iter_mut().zip(name.chunks(8)) {
            let mut whole = [0; 8];
            whole[8 - bytes.len()..].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        words
    }
}

/// The number of links of a program.
pub fn links_of(program: &Program) -> usize {
    let calls =
        program.sites.iter().filter(|site| matches!(site.service, Service::Call(_) | Service::CallNamed(_)));
    calls.count().min(LINKS_MAX)
}

/// Returns true if a program has an entry, behind all others, at which it clears the numbers of its frame itself and begins.
#[inline]
pub fn clears_slots(program: &Program) -> bool {
    (1..=CLEARED_SLOTS_MAX).contains(&program.slots)
}

/// Returns true if code may enter a program again that has come to its end: nothing of its frame becomes another than it was but its
/// numbers, which it clears itself.
pub(crate) fn begins_by_itself(program: &Program) -> bool {
    let is_steady = |operation: &Operation| {
        !matches!(operation, Operation::SetAddress { .. } | Operation::XmlRead(_) | Operation::XmlNext(_))
    };
    let readdresses =
        |site: &Site| site.arguments.iter().any(|argument| matches!(argument, Argument::Address(_)));
    // A program within another one has RETURN-CODE of the outermost one, or gives none back.
    let gives_code = program.container.is_none() || program.return_code.is_some();
    gives_code
        && program.held == 0
        && program.slots <= CLEARED_SLOTS_MAX
        && !program.sites.iter().any(readdresses)
        && program.blocks.iter().all(|block| block.steps.iter().all(|step| is_steady(&step.operation)))
}
