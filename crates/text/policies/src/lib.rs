//! Policies and parts of event processing as their owners have them: XML text in, values out.
//!
//! | module | content |
//! |---|---|
//! | [`policy`] | a `.policy` file: its rules and their actions |
//! | [`task_rule`] | rules of what a task uses |
//! | [`system_rule`] | rules of what happens to a region |
//! | [`messages`] | messages of a region that rules and captures may be about |
//! | [`event_binding`] | an `.evbind` file: events and their adapter |
//! | [`capture_specification`] | the places in which events are captured |
//! | [`ep_adapter`] | adapters of events, `.epadapter`, and sets of them |
//! | [`system_event`] | places in a region in which events are captured |
//! | [`event_values`] | captured fields, compared and formatted |
//!
//! Every element and attribute that is not known is refused with its line: what is not understood is never passed over.
//!
//! Out of scope: bundles, which bring them (crate `bundle-source`), files, regions, and what a rule does.

pub mod capture_specification;
mod context;
mod elements;
pub mod ep_adapter;
mod event;
pub mod event_binding;
pub mod event_values;
pub mod limits;
pub mod messages;
pub mod policy;
pub mod system_event;
pub mod system_rule;
pub mod task_rule;

pub use bundle_source::Wrong;
pub use capture_specification::{CapturePoint, CaptureSpecification};
pub use ep_adapter::EpAdapter;
pub use event_binding::EventBinding;
pub use policy::{Action, Condition, HealthStatus, Policy, Rule};
pub use system_event::SystemPoint;
pub use system_rule::{Occurrence, SystemKind, SystemRule};
pub use task_rule::{Quantity, TaskRule};
