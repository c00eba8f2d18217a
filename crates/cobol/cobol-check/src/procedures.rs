//! Sections and paragraphs.

use cobol_syntax::tree::{Name, Procedure};

/// A section or paragraph.
#[derive(Clone, Debug)]
pub struct ProcedureDef {
    /// Its name.
    pub name: Name,
    /// True if it is a section.
    pub is_section: bool,
    /// The section it belongs to: its place in the list.
    pub section: Option<usize>,
    /// True if it stands among the declaratives.
    pub declarative: bool,
}

/// All of a division, in order.
pub(crate) fn definitions(procedure: &Procedure) -> Vec<ProcedureDef> {
    let mut list = Vec::new();
    let declaratives = procedure.declaratives.iter().map(|section| (section, true));
    for (section, declarative) in
        declaratives.chain(procedure.sections.iter().map(|section| (section, false)))
    {
        let own = section.name.as_ref().map(|name| {
            list.push(ProcedureDef { name: name.clone(), is_section: true, section: None, declarative });
            list.len() - 1
        });
        for name in section.paragraphs.iter().filter_map(|paragraph| paragraph.name.as_ref()) {
            list.push(ProcedureDef { name: name.clone(), is_section: false, section: own, declarative });
        }
    }
    list
}
