//! Native programs: what is written in Rust and runs as a program of the region.

use std::pin::Pin;

use super::Context;
use crate::exec::Flow;
use crate::name::Name8;
use crate::programs::{Body, Concurrency, Native, Program};
use crate::raise::Outcome;

/// A program that is part of the product, written in Rust: an async function of its [`Context`], in which it issues
/// commands, LINKs and goes on, and takes syncpoints.
pub trait NativeProgram: Send + Sync {
    /// Runs it.
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> NativeWaiting<'a>;
}

impl<F> NativeProgram for F
where
    F: for<'a, 'c> Fn(&'a mut Context<'c>) -> NativeWaiting<'a> + Send + Sync,
{
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> NativeWaiting<'a> {
        self(context)
    }
}

/// A native program that is a function.
pub type NativeFunction = for<'a, 'c> fn(&'a mut Context<'c>) -> NativeWaiting<'a>;

/// The future of a native program.
pub type NativeWaiting<'a> = Pin<Box<dyn Future<Output = Outcome<Flow>> + 'a>>;

impl Program {
    /// A program of the product's own, which runs on any TCB.
    pub fn native(name: Name8, program: impl NativeProgram + 'static) -> Self {
        let program: Box<dyn NativeProgram> = Box::new(program);
        Self { body: Body::Native(Native(Box::new(program))), ..Self::new(name, Concurrency::Threadsafe) }
    }
}

/// Code of a supplied program.
///
/// # Panics
/// Never: [`Program::native`] alone makes one.
pub(super) fn program(native: &Native) -> &dyn NativeProgram {
    let program = native.0.downcast_ref::<Box<dyn NativeProgram>>();
    &**program.unwrap_or_else(|| unreachable!("a native program is made here"))
}
