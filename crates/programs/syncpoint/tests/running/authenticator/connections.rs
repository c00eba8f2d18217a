//! Thousands of connections at once, most of which say nothing or nonsense: each is answered or let go as documented,
//! and the region is none the worse for it. `SOCKET_CLIENTS` says how many.

use super::house::{Hsm, Issuer, LONG, Wanted};
use crate::house::asked_for;

/// Connections in an ordinary run.
const CONNECTIONS: u64 = 500;

#[test]
fn many_connections_at_once_are_each_answered_or_let_go() {
    let connections = asked_for("SOCKET_CLIENTS").unwrap_or(CONNECTIONS) as usize;
    let hsm = Hsm::start(&[]);
    let (cards, terminals) = (connections, connections);
    // Where more come at once than the system keeps waiting, it says some of what they say again only seconds later.
    let client_seconds = (connections / 300).clamp(2, 60);
    let issuer = Issuer::new(&Wanted { cards, terminals, client_seconds, ..Wanted::with(&[&hsm]) });
    let service = issuer.open();
    let load = |mix: &str| {
        let load =
            issuer.load(&service, &["--messages", "1", "--mix", mix, "--patience", LONG, "--seed", "5"]);
        let (output, said) = load.ended();
        assert!(output.status.success(), "{said}");
        said
    };
    let said = load("silent=50,short=10,oversized=10,malformed=10,wrong=5,unknown-bin=5");
    for line in ["× 00 authentic", "× hung up", "× 30 malformed", "× 05 wrong code", "× 14 unknown BIN"]
    {
        assert!(said.contains(line), "no “{line}”:\n{said}");
    }
    let said = load("");
    assert!(said.contains(&format!("{connections} × 00 authentic")), "{said}");
    issuer.replay(&service);
    service.region.ends_in_order();
}
