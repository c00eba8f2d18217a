//! No client is shown or sent a byte of another's: each sends messages of one letter of its own through a door, programs fill all
//! that they are given or show all that they find there, and no answer may hold any other letter.

mod common;

use std::net::SocketAddr;

use common::{Run, Site};
use fastrand::Rng;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Messages of a run.
const MESSAGES: usize = 400;
/// Clients: each has a letter.
const CLIENTS: usize = 12;
/// Bytes of the longest message and answer.
const LONGEST: usize = 400;
/// Bytes of the COMMAREA of the converted program and of the conversation.
const COMMAREA: usize = 120;

/// Fills what it is given (`1`), shows all of its answer (`2`) or all of its message (`3`), leaves it as it is (`4`); from own storage
/// where its answer is got by GETMAIN (`5`).
const PROGRAMS: &str = "
```cobol SHOWS threadsafe
01 P POINTER.
01 C PIC S9(9) COMP-5.
01 GOT POINTER.
LINKAGE SECTION.
COPY VSVCLIST.
01 REQU PIC X(400).
01 REQL PIC S9(9) COMP.
01 RESP PIC X(400).
01 RESPL PIC S9(9) COMP.
PROCEDURE DIVISION.
CALL 'VSVPSYNC' USING P RETURNING C
PERFORM UNTIL C NOT = ZERO
  SET ADDRESS OF LIST-POINTER TO P
  SET ADDRESS OF REQU TO LIST-ADR-REQU
  SET ADDRESS OF REQL TO LIST-ADR-REQUL
  SET ADDRESS OF RESP TO LIST-ADR-RESP
  SET ADDRESS OF RESPL TO LIST-ADR-RESPL
  EVALUATE REQU(1:1)
    WHEN '1'
      MOVE ALL '-' TO RESP
      INSPECT RESP REPLACING ALL '-' BY REQU(2:1)
      MOVE RESP TO REQU
      MOVE 10 TO RESPL
    WHEN '2' MOVE 400 TO RESPL
    WHEN '3' MOVE REQU TO RESP MOVE 400 TO RESPL
    WHEN '4' MOVE REQL TO RESPL
    WHEN '5'
      EXEC CICS GETMAIN SET(GOT) FLENGTH(400) END-EXEC
      SET LIST-ADR-RESP TO GOT
      MOVE 400 TO RESPL
  END-EVALUATE
  CALL 'VSVPSYNC' USING P RETURNING C
END-PERFORM
GOBACK.
```

```file FILLS.cbl
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FILLS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  KEPT PIC X(120).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA PIC X(120).
       PROCEDURE DIVISION.
           IF CA(1:1) = '1'
               MOVE ALL '-' TO KEPT
               INSPECT KEPT REPLACING ALL '-' BY CA(2:1)
               MOVE KEPT TO CA.
           EXEC CICS RETURN END-EXEC.
```

```cobol TALKS threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA.
  05 LL PIC 9(4) BINARY.
  05 CA PIC X(118).
PROCEDURE DIVISION.
IF CA(1:1) = '1'
  MOVE CA(2:1) TO REC(1:1)
  MOVE ALL '-' TO CA
  INSPECT CA REPLACING ALL '-' BY REC(1:1)
  MOVE 10 TO LL
ELSE
  MOVE 118 TO LL
END-IF.
```

```csd
DEFINE PROGRAM(FILLSD) GROUP(T) CONCURRENCY(THREADSAFE)
DEFINE PROGRAM(FILLS) GROUP(T) CONCURRENCY(THREADSAFE)
```
";

fn application() -> String {
    format!(
        "# Own bytes\n\n```toml\n[direct]\nlisten = \"127.0.0.1:0\"\n\
         [[direct.scenario]]\npath = \"/shows\"\nprogram = \"SHOWS\"\ninstances = 2\nmessage = {LONGEST}\nanswer = {LONGEST}\n\
         [[direct.scenario]]\npath = \"/fills\"\nprogram = \"FILLSD\"\nconvert = \"FILLS.cbl\"\ncommarea = {COMMAREA}\ninstances = 2\n\
         [[direct.scenario]]\nlisten = \"127.0.0.1:0\"\nprogram = \"SHOWS\"\nmessage = {LONGEST}\nanswer = {LONGEST}\n\
         [[conversation]]\nprogram = \"TALKS\"\nreceive = \"127.0.0.1:0\"\ncommarea = {COMMAREA}\n```\n{PROGRAMS}"
    )
}

/// Makes a message: its kind, then nothing but its client's letter.
fn message(rng: &mut Rng, letter: u8, longest: usize) -> Vec<u8> {
    let mut message = vec![letter; rng.usize(2..longest)];
    message[0] = b'1' + rng.u8(..5);
    message
}

/// Finds the first byte of an answer that belongs to another client.
fn stranger(answer: &[u8], letter: u8) -> Option<char> {
    let is_own = |byte: &u8| [letter, 0, b' ', b'-'].contains(byte) || byte.is_ascii_digit();
    answer.iter().find(|byte| !is_own(byte)).map(|byte| char::from(*byte))
}

/// Returns the answer of a path.
async fn asked(stream: &mut TcpStream, path: &str, message: &[u8]) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", message.len());
    stream.write_all(&[head.as_bytes(), message].concat()).await.expect("it is sent");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("an answer"));
    }
    let head = String::from_utf8(head).expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    stream.read_exact(&mut body).await.expect("a body");
    body
}

/// Returns the answer of a port with lengths of two bytes.
async fn framed(stream: &mut TcpStream, message: &[u8]) -> Vec<u8> {
    let length = u16::try_from(message.len()).expect("it is short").to_be_bytes();
    stream.write_all(&[&length, message].concat()).await.expect("it is sent");
    let mut answer = vec![0; stream.read_u16().await.expect("an answer").into()];
    stream.read_exact(&mut answer).await.expect("all of it");
    answer
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("a connection")
}

/// Lets all clients of a region talk in turns, at one door after the other. Those of a conversation share its connection, as many
/// clients behind one proxy do.
async fn talk(run: &Run, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let [http, raw] = run.house.running.addresses("direct")[..] else { panic!("two ports") };
    let conversation =
        run.house.running.listening().into_iter().find(|at| at.name == "TALKS").expect("a port");
    let (mut clients, mut raws) = (Vec::new(), Vec::new());
    for _ in 0..CLIENTS {
        clients.push(connect(http).await);
        raws.push(connect(raw).await);
    }
    let mut shared = connect(conversation.address).await;
    for number in 0..MESSAGES {
        let client = rng.usize(..CLIENTS);
        let letter = b'A' + client as u8;
        let door = rng.u8(..4);
        let longest = if door == 0 || door == 1 { LONGEST } else { COMMAREA - 2 };
        let message = message(&mut rng, letter, longest);
        let answer = match door {
            0 => asked(&mut clients[client], "/shows", &message).await,
            1 => framed(&mut raws[client], &message).await,
            2 => asked(&mut clients[client], "/fills", &message).await,
            _ => framed(&mut shared, &message).await,
        };
        let found = stranger(&answer, letter);
        assert_eq!(found, None, "seed {seed}, message {number} of {} at door {door}", char::from(letter));
    }
}

#[test]
fn no_answer_holds_a_byte_of_another_client() {
    let seed = fastrand::u64(..);
    Site::new("own-bytes", &application()).run(async |run| {
        talk(run, seed).await;
        true
    });
}
