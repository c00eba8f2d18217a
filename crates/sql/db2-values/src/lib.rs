//! Values in Db2's types, and everything that is calculated with them.
//!
//! In scope: types and those of results, exact decimal numbers, dates and times, conversions with their SQLCODEs, comparison in the
//! order of a code page, LIKE, functions of values and of rows, keys whose bytes sort as values do.
//!
//! Out of scope: a statement's text (`db2-syntax`), rows, host variables in their program's forms (`sql`).

#![doc = include_str!("../README.md")]

pub mod aggregate;
mod assign;
mod calculate;
mod compare;
mod convert;
pub mod datetime;
mod decimal;
pub mod digits;
pub mod duration;
mod function;
pub mod key;
mod like;
pub mod limits;
mod order;
pub mod row;
mod setting;
mod types;
mod unfit;
mod value;

pub use aggregate::Aggregate;
pub use assign::assign;
pub use calculate::{calculate, negative};
pub use compare::{Comparison, compare};
pub use convert::{Purpose, constant, convert, text_of};
pub use datetime::{Date, DateStyle, Time, TimeStyle, Timestamp};
pub use decimal::Decimal;
pub use digits::Operator;
pub use duration::Unit;
pub use function::{Function, Types, call};
pub use like::Pattern;
pub use order::Order;
pub use setting::{Setting, Warnings};
pub use types::Type;
pub use unfit::Unfit;
pub use value::Value;
