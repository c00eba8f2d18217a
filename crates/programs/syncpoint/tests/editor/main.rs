//! `syncpoint lsp` as an editor meets it: the real binary, spoken to over its standard input and output.

mod client;
mod hostile;
mod like_check;
mod navigating;
mod typing;
