//! Bindings of web services: what a program's records have to do with a service's messages.
//!
//! | module | what lives there |
//! |---|---|
//! | [`parameters`] | the published tools' options by their names |
//! | [`service`] | a service: operations with their mappings, [`service::from_copybook`] |
//! | [`file`] | a binding file: the texts and options that a service is made from |
//! | [`wsdl`], [`openapi`] | the texts that describe a service to its clients |
//! | [`from_wsdl`], [`from_openapi`] | a service from such a text: [`items`] of messages, [`cobol`] for them |
//!
//! Out of scope: files, requests, pipelines. Texts in, values and texts out.

pub mod cobol;
pub mod file;
pub mod from_openapi;
pub mod from_wsdl;
pub mod items;
pub mod limits;
pub mod openapi;
pub mod parameters;
pub mod service;
pub mod wsdl;

mod restful;
mod schema;
mod xml;
mod yaml;

pub use file::BindingFile;
pub use from_openapi::{Made, from_json_schema, from_openapi};
pub use from_wsdl::{from_schema, from_wsdl, imports};
pub use parameters::Parameters;
pub use restful::{Asked, fits};
pub use service::{Interface, Operation, Service, from_copybook, from_record};
