//! Supplied programs: programs in Rust that run as programs of the region.

use std::pin::Pin;

use super::context::Context;
use crate::exec::Flow;
use crate::name::Name8;
use crate::programs::{Body, Concurrency, Program, SuppliedCode};
use crate::raise::Outcome;

/// A program that is part of the product, written in Rust: an async function of its [`Context`], in which it issues
/// commands, LINKs and goes on, and takes syncpoints.
pub trait SuppliedProgram: Send + Sync {
    /// Runs it.
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a>;
}

impl<F> SuppliedProgram for F
where
    F: for<'a, 'c> Fn(&'a mut Context<'c>) -> SuppliedWaiting<'a> + Send + Sync,
{
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        self(context)
    }
}

/// A supplied program that is a function.
pub type SuppliedFunction = for<'a, 'c> fn(&'a mut Context<'c>) -> SuppliedWaiting<'a>;

/// The future of a supplied program.
pub type SuppliedWaiting<'a> = Pin<Box<dyn Future<Output = Outcome<Flow>> + 'a>>;

impl Program {
    /// A program of the product's own, which runs on any TCB.
    pub fn supplied(name: Name8, program: impl SuppliedProgram + 'static) -> Self {
        let program: Box<dyn SuppliedProgram> = Box::new(program);
        Self {
            body: Body::Supplied(SuppliedCode(Box::new(program))),
            ..Self::new(name, Concurrency::Threadsafe)
        }
    }
}

/// Code of a supplied program.
///
/// # Panics
/// Never: [`Program::supplied`] alone makes one.
pub(super) fn program(code: &SuppliedCode) -> &dyn SuppliedProgram {
    let program = code.0.downcast_ref::<Box<dyn SuppliedProgram>>();
    &**program.unwrap_or_else(|| unreachable!("a supplied program is made here"))
}
