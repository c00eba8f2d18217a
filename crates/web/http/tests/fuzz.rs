//! Requests torn, changed and cut anywhere, by a seed: the same bytes give the same requests however they come, nothing
//! panics, and memory stays within the limits.

#[path = "hostile/cases.rs"]
mod cases;

use http::{Event, Incoming, Limits, Refusal, form, proxy};

const LIMITS: Limits = Limits { head: 2_048, target: 256, body: 1_024 };
const PIECE_MAX: usize = 700;

/// The events of a connection, as text.
fn outcome(pieces: &[&[u8]]) -> Vec<String> {
    let mut incoming = Incoming::new(LIMITS);
    let mut seen = Vec::new();
    for piece in pieces {
        incoming.take(piece);
        if drain(&mut incoming, &mut seen).is_err() {
            break;
        }
        assert!(incoming.unread() <= LIMITS.head + PIECE_MAX, "{} bytes are kept", incoming.unread());
    }
    seen
}

fn drain(incoming: &mut Incoming, seen: &mut Vec<String>) -> Result<(), Refusal> {
    loop {
        let line = match incoming.next_event() {
            Ok(None) => return Ok(()),
            Ok(Some(Event::Head(head))) => format!(
                "{} {} {:?} {:?} {:?} {:?}",
                head.method(),
                head.path(),
                head.query(),
                head.authority(),
                head.length(),
                head.fields()
            ),
            Ok(Some(Event::Body(body, trailer))) => {
                assert!(body.len() as u64 <= LIMITS.body);
                format!("{} {trailer:?}", String::from_utf8_lossy(&body))
            }
            Err(refusal) => {
                seen.push(format!("{refusal:?}"));
                assert_eq!(incoming.next_event().err(), Some(refusal), "a refusal stays");
                return Err(refusal);
            }
        };
        seen.push(line);
    }
}

#[test]
fn every_cut_gives_the_same() {
    for case in cases::all() {
        let refused = matches!(case.wanted, cases::Wanted::Refused(_));
        let bytes = &case.bytes[..case.bytes.len().min(4_000)];
        let small: Vec<_> = bytes.chunks(PIECE_MAX).collect();
        let whole = outcome(&small);
        assert!(!refused || whole.len() <= 2, "{}: a head and a refusal at most", case.name);
        for cut in 0..bytes.len().min(PIECE_MAX) {
            let mut pieces = vec![&bytes[..cut]];
            pieces.extend(bytes[cut..].chunks(PIECE_MAX));
            assert_eq!(outcome(&pieces), whole, "{} cut at {cut}", case.name);
        }
        let singles: Vec<_> = bytes.chunks(1).collect();
        assert_eq!(outcome(&singles), whole, "{} byte by byte", case.name);
    }
}

#[test]
fn changed_requests_give_the_same_however_they_come() {
    let mut random = fastrand::Rng::with_seed(1717);
    let corpus: Vec<_> =
        cases::all().into_iter().map(|case| case.bytes).filter(|bytes| bytes.len() < 1_000).collect();
    for _ in 0..20_000 {
        let mut bytes = Vec::new();
        for _ in 0..random.usize(1..4) {
            bytes.extend_from_slice(&corpus[random.usize(..corpus.len())]);
        }
        for _ in 0..random.usize(..4) {
            change(&mut random, &mut bytes);
        }
        let one = outcome(&bytes.chunks(PIECE_MAX).collect::<Vec<_>>());
        let mut rest = bytes.as_slice();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(random.usize(1..=rest.len().min(60)));
            pieces.push(piece);
            rest = behind;
        }
        assert_eq!(outcome(&pieces), one, "{:?}", String::from_utf8_lossy(&bytes));
    }
}

fn change(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    const ODD: &[u8] = b"\r\n\0 \t:;,0159afxX/?#\x80\xff";
    if bytes.is_empty() {
        return;
    }
    let at = random.usize(..bytes.len());
    match random.u8(..4) {
        0 => bytes[at] = ODD[random.usize(..ODD.len())],
        1 => bytes.insert(at, ODD[random.usize(..ODD.len())]),
        2 => {
            bytes.remove(at);
        }
        _ => bytes.truncate(at),
    }
}

#[test]
fn other_readers_never_panic() {
    let mut random = fastrand::Rng::with_seed(42);
    let form_body = b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--b--\r\n".to_vec();
    let header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x20aaaabbbbccdd\x20\x00\x0d\x07\0\0\0\0\x21\x00\x05TLSv1\x03\x00\x00".to_vec();
    for _ in 0..20_000 {
        let mut body = form_body.clone();
        let mut proxied = header.clone();
        for _ in 0..random.usize(..4) {
            change(&mut random, &mut body);
            change(&mut random, &mut proxied);
        }
        let _ = form::fields("multipart/form-data; boundary=b", &body);
        let _ = form::fields("application/x-www-form-urlencoded", &body);
        let _ = proxy::read(&proxied);
        let text = String::from_utf8_lossy(&body);
        let _ = http::url::Url::parse(&text);
        let _ = http::media::MediaType::parse(&text);
        let _ = http::date::read(&text);
        let _ = http::percent::decode_path(&text);
    }
}
