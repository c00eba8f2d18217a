//! Db2's SQL as programs and scripts have it.
//!
//! Here live its tokens, which statement a text is and where its clauses begin, the rewriting for PostgreSQL with the way
//! back to the user's line, and the package that a program's statements make ([`package`]), with the descriptor of the
//! calls that ask for them ([`call`]).
//!
//! What never lives here: COBOL (`translator`), and any session with a database (`sql`).

pub mod call;
pub mod package;
