//! Bundles as their owners have them: zips and texts in, values out.
//!
//! | module | content |
//! |---|---|
//! | [`archive`] | a zip of a bundle: its files |
//! | [`manifest`] | `META-INF/cics.xml`: the parts of a bundle |
//! | [`variables`] | `variables.properties`: what `${name}` stands for in the parts |
//! | [`definition_part`] | `.program`, `.file` and their like: definitions of resources |
//! | [`xml`] | elements with their lines, of which all other parts are read |
//! | [`limits`] | how much of all that may be |
//!
//! Every element and attribute that is not known is refused with its line: what is not understood is never passed over.
//!
//! Out of scope: policies and parts of event processing (crate `policies`), files, and regions.

pub mod archive;
pub mod definition_part;
pub mod limits;
pub mod manifest;
pub mod variables;
pub mod xml;

pub use archive::{Archive, NoArchive};
pub use manifest::{Manifest, Need, Part, PartClass};
pub use variables::Variables;
pub use xml::Wrong;
