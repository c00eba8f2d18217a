//! Bundles and policies as their owners have them: XML text in, values out.
//!
//! | module | content |
//! |---|---|
//! | [`manifest`] | `META-INF/cics.xml`: the parts of a bundle |
//! | [`policy`] | a `.policy` file: its rules and their actions |
//! | [`task_rule`] | rules of what a task uses |
//! | [`system_rule`] | rules of what happens to a region |
//!
//! Every element and attribute that is not known is refused with its line: what is not understood is never passed over.
//!
//! Out of scope: files, regions, and what a rule does.

pub mod limits;
pub mod manifest;
pub mod policy;
pub mod system_rule;
pub mod task_rule;

mod xml;

pub use manifest::{Manifest, Part, PartClass};
pub use policy::{Action, Condition, Policy, Rule};
pub use system_rule::{Occurrence, SystemKind, SystemRule};
pub use task_rule::{Quantity, TaskRule};
pub use xml::Wrong;
