//! Workloads on several regions, each a process: the Authenticator on clones, DSW with static routing, web services whose program
//! is in another region. The processor time of each process is a column of its own.

pub(crate) mod arguments;
mod clones;
pub(crate) mod dsw;
pub(crate) mod four;
pub(crate) mod meter;
mod network;
pub(crate) mod page;
mod published;
pub(crate) mod show;
pub(crate) mod terminals;
mod topology;
pub(crate) mod web;
