//! The real binary with a region in it, looked at from outside: it starts, it serves terminals, it bears what programs,
//! texts and clients do wrong, it ends and comes back.

mod authenticator;
mod bank;
mod beside;
mod certificates;
mod clients;
mod contacts;
mod copies;
mod data;
mod direct;
mod elsewhere;
mod ending;
mod first_hour;
mod guessing;
mod house;
mod keys;
mod kills;
mod memory;
mod operating;
mod orders;
mod outside;
mod people;
mod programs;
mod recovering;
mod rtw;
mod securing;
mod sockets;
mod sql_faults;
mod sql_hangs;
mod sql_indoubt;
mod sql_kills;
mod starting;
mod terminal;
mod tokens;
mod watching;
mod with_database;
