//! The system's own counts of connections that it has cut off or not let in: they tell a client that was hung up on by a program from
//! one whose connection was lost below all programs.

use std::fs;

/// Counts of the whole machine, by file and kind: resets, full queues of clients that wait to be accepted, connections that ended
/// with unread bytes.
const FILES: [(&str, &str, &[&str]); 2] = [
    ("/proc/net/snmp", "Tcp:", &["AttemptFails", "EstabResets", "RetransSegs", "OutRsts"]),
    (
        "/proc/net/netstat",
        "TcpExt:",
        &[
            "ListenOverflows",
            "ListenDrops",
            "TCPReqQFullDrop",
            "TCPAbortOnData",
            "TCPAbortOnClose",
            "TCPAbortOnMemory",
            "TCPAbortOnTimeout",
            "TCPTimeWaitOverflow",
            "TCPBacklogDrop",
        ],
    ),
];

/// The counts of a moment, in the order of [`FILES`].
pub(super) struct Network(Vec<(&'static str, u64)>);

impl Network {
    /// Now. A file that cannot be read counts nothing.
    pub fn now() -> Self {
        let counts = FILES.iter().flat_map(|(path, kind, names)| {
            let text = fs::read_to_string(path).unwrap_or_default();
            names.iter().map(move |name| (*name, count(&text, kind, name).unwrap_or(0))).collect::<Vec<_>>()
        });
        Self(counts.collect())
    }

    /// Those that have grown since, each with its growth.
    pub fn since(&self, earlier: &Self) -> String {
        let grown = self.0.iter().zip(&earlier.0).filter_map(|((name, now), (_, then))| {
            let more = now.saturating_sub(*then);
            (more > 0).then(|| format!("{name} {more}"))
        });
        grown.collect::<Vec<_>>().join(", ")
    }
}

/// A count: a line names the columns of a kind, the next one has their figures.
fn count(text: &str, kind: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with(kind));
    let (names, figures) = (lines.next()?, lines.next()?);
    let column = names.split_whitespace().position(|column| column == name)?;
    figures.split_whitespace().nth(column)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stands_below_its_name() {
        let text = "Udp: OutRsts\nUdp: 9\nTcp: MaxConn EstabResets OutRsts\nTcp: -1 4 7\n";
        assert_eq!((count(text, "Tcp:", "OutRsts"), count(text, "Tcp:", "MaxConn")), (Some(7), None));
        assert_eq!((count(text, "Tcp:", "None"), count("", "Tcp:", "OutRsts")), (None, None));
    }

    #[test]
    fn only_what_has_grown_is_told() {
        let then = Network(vec![("A", 1), ("B", 2)]);
        assert_eq!(Network(vec![("A", 1), ("B", 5)]).since(&then), "B 3");
        assert_eq!(Network::now().0.len(), FILES.iter().map(|(.., names)| names.len()).sum::<usize>());
    }
}
