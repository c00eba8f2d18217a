//! What the last start of a region has decided about records that hosted and native programs see otherwise: data that it has left
//! in data sets and queues has that form.

use std::fs;
use std::path::Path;

use diagnostics::Diagnostic;

use crate::facts::Shape;
use crate::record::write_whole;
use crate::whole::Whole;
use crate::{Toolchain, codes};

/// The file's name in the folder of compiled programs.
const FILE: &str = "records.decided";
const NATIVE: &str = "native";
const HOSTED: &str = "hosted";

impl Toolchain {
    /// Warnings of records whose form is no longer that of the last start for which [`Self::keep_decision`] was called.
    pub fn decided_otherwise(&self) -> Vec<Diagnostic> {
        let Some(whole) = self.whole.get() else { return Vec::new() };
        let kept = read(self.cache.folder());
        let changed = Shape::ALL.into_iter().filter_map(|shape| {
            let now = form(whole, shape)?;
            let before = kept.iter().find_map(|(of, form)| (*of == name(shape)).then_some(form.as_str()))?;
            (before != now).then(|| changed(shape, now))
        });
        changed.collect()
    }

    /// Keeps what is decided for the next start.
    pub fn keep_decision(&self) {
        let Some(whole) = self.whole.get() else { return };
        let mut kept = read(self.cache.folder());
        for shape in Shape::ALL {
            if let Some(form) = form(whole, shape) {
                kept.retain(|(of, _)| *of != name(shape));
                kept.push((name(shape).to_owned(), form.to_owned()));
            }
        }
        let text: String = kept.iter().map(|(shape, form)| format!("{shape} {form}\n")).collect();
        // What cannot be kept is not warned of.
        let _ = write_whole(&self.cache.folder().join(FILE), text.as_bytes());
    }
}

fn read(folder: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let line = |line: &str| line.split_once(' ').map(|(shape, form)| (shape.to_owned(), form.to_owned()));
    text.lines().filter_map(line).collect()
}

fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Pointer => "pointers",
        Shape::Float => "floating-point",
    }
}

/// Whose records of a shape are; none where no program has one.
fn form(whole: &Whole, shape: Shape) -> Option<&'static str> {
    match () {
        () if whole.spoiler(shape).is_some() => Some(HOSTED),
        () if whole.another_native(shape, "").is_some() => Some(NATIVE),
        () => None,
    }
}

fn changed(shape: Shape, now: &str) -> Diagnostic {
    let what = match shape {
        Shape::Pointer => "pointers",
        Shape::Float => "floating point",
    };
    let text = format!(
        "records with {what} are those of {now} programs from now on: what data sets and queues hold of them has the form of the last start"
    );
    Diagnostic::warning(codes::OTHER_FORM, text).help(
        "load such data again; or have one compiler take these programs at every start: name them in `native` or `gnucobol` of [cobol]",
    )
}
