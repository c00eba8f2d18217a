//! A server that speaks nonsense: a session ends with an error, nothing else. Each case follows a seed; `SQL_SEED=n` runs one.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use fastrand::Rng;
use sql::value::{Argument, Field, FieldTarget, Styles, take_row};
use sql::{Address, Isolation, Leaves, ListenPlace, Session, Settings, Statement, Tls, Unit};

use crate::place::block_on;

const CASES: u64 = 200;
/// Messages of real servers, so that nonsense gets beyond the first of them.
const TAGS: &[u8] = b"12tTnDCsIEZSNAKR3";

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![tag];
    message.extend((body.len() as u32 + 4).to_be_bytes());
    message.extend(body);
    message
}

/// Bytes that are often a count or a length.
fn body(rng: &mut Rng) -> Vec<u8> {
    let length = rng.usize(0..40);
    (0..length).map(|_| if rng.bool() { rng.u8(0..4) } else { rng.u8(..) }).collect()
}

/// Greets as a server does (mostly), then says what comes to its mind.
fn serve(mut stream: TcpStream, mut rng: Rng) {
    let mut heard = [0; 4096];
    // Whatever happens to the connection, the session has to cope with it.
    let _ = stream.read(&mut heard);
    if rng.u8(0..10) > 0 {
        let _ = stream.write_all(&message(b'R', &[0; 4]));
        let _ = stream.write_all(&message(b'Z', b"I"));
        let _ = stream.read(&mut heard);
    }
    for _ in 0..rng.usize(0..60) {
        let tag = if rng.u8(0..20) > 0 { TAGS[rng.usize(0..TAGS.len())] } else { rng.u8(..) };
        let mut said = message(tag, &body(&mut rng));
        if rng.u8(0..40) == 0 {
            let at = rng.usize(0..said.len());
            said[at] = rng.u8(..);
        }
        if stream.write_all(&said).is_err() {
            return;
        }
    }
}

#[test]
fn nonsense_ends_a_session_and_nothing_else() {
    let seeds = match std::env::var("SQL_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..CASES,
    };
    for seed in seeds {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || serve(listener.accept().unwrap().0, Rng::with_seed(seed)));
        block_on(async {
            let place = ListenPlace::Host { host: "127.0.0.1".to_owned(), port, tls: Tls::Off };
            let (user, database) = ("a".to_owned(), "b".to_owned());
            let address = Address { place, user, database, password: Some("c".to_owned()) };
            let Ok(session) = Session::connect(&address, &Settings::default()).await else { return };
            let mut unit = Unit::new(session);
            let statement = Statement::new("SELECT $1", &[]);
            let argument = Argument { field: Field::char(3), bytes: b"abc", indicator: None };
            for _ in 0..3 {
                let done =
                    unit.run(&statement, &[argument], 2, Isolation::Committed, Leaves::Something).await;
                let (Ok(answer), Some(described)) = (done, statement.described()) else { continue };
                for row in 0..answer.rows.len() {
                    let mut into = [[0; 10]; 2];
                    let fields = [Field::char(10), Field::packed(19, 2)];
                    let mut targets: Vec<FieldTarget<'_>> = into
                        .iter_mut()
                        .zip(fields)
                        .map(|(bytes, field)| FieldTarget { field, bytes, indicator: None })
                        .collect();
                    let _ =
                        take_row(answer.rows.row(row), &described.columns, &mut targets, Styles::default());
                }
            }
            let _ = unit.commit().await;
        });
        assert!(server.join().is_ok(), "SQL_SEED={seed}");
    }
}
