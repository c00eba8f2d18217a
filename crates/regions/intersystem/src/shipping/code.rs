//! Commands as they are sent: by the numbers of their sender, which the Hello has named.

use kernel::exec::{Content, Parcel};
use kernel::limits::HALFWORD_LENGTH_MAX;
use spec::{CommandId, OptionId, cmd, opt};

use crate::build::{Build, Numbers};
use crate::message::{Field, Shipped, Wire};

/// Returns true if another region may ask for a command by its options alone. A LINK is asked for in its own way.
fn is_shipped(command: &spec::Command) -> bool {
    command.remote && command.id != cmd::LINK
}

/// Options that stay with their sender, or would lead further.
const STAY: [OptionId; 3] = [opt::SYSID, opt::RESP, opt::RESP2];

/// A command as a build sends it; `None`: it cannot be.
pub(super) fn written(build: &Build, parcel: &Parcel) -> Option<Shipped> {
    let field = |(option, room, content)| {
        let room = u32::try_from(room).ok()?;
        Some(Field { option: build.option(option)?, room, content: wire(content)? })
    };
    Some(Shipped {
        command: build.command(parcel.command())?,
        fields: parcel.fields().map(field).collect::<Option<_>>()?,
        keywords: parcel.keywords().map(|option| build.option(option)).collect::<Option<_>>()?,
        channel: None,
    })
}

/// A content as it is sent: addresses are not.
pub(super) fn wire(content: Content) -> Option<Wire> {
    match content {
        Content::Nothing => Some(Wire::Nothing),
        Content::Bytes(bytes) => Some(Wire::Bytes(bytes)),
        Content::Number(number) => Some(Wire::Number(number)),
        Content::Pointer(_) => None,
    }
}

/// A content that has come.
pub(super) fn content(wire: Wire) -> Content {
    match wire {
        Wire::Nothing => Content::Nothing,
        Wire::Bytes(bytes) => Content::Bytes(bytes),
        Wire::Number(number) => Content::Number(number),
    }
}

/// The command that a partner has sent; `None`: it is none that another region may ask for, or has what it does not take.
pub(super) fn read(shipped: &Shipped, numbers: &Numbers) -> Option<Parcel> {
    let command = numbers.command(shipped.command).filter(|command| is_shipped(command))?;
    let mut parcel = Parcel::new(command.id);
    for Field { option, room, content: wire } in &shipped.fields {
        let option = numbers.option(command, *option).filter(|option| !STAY.contains(option))?;
        let room = usize::try_from(*room).ok().filter(|room| *room <= HALFWORD_LENGTH_MAX)?;
        match wire {
            Wire::Nothing => parcel.room(option, room).ok()?,
            Wire::Bytes(bytes) if bytes.len() > HALFWORD_LENGTH_MAX => return None,
            Wire::Bytes(_) | Wire::Number(_) => parcel.give(option, content(wire.clone())).ok()?,
        }
    }
    for keyword in &shipped.keywords {
        let option = numbers.option(command, *keyword).filter(|option| !STAY.contains(option))?;
        parcel.keyword(option).ok()?;
    }
    let is_whole = command.missing(|id| parcel.has(id)).next().is_none()
        && command.clashing(|id| parcel.has(id)).next().is_none();
    (is_whole && parcel.not_built().next().is_none()).then_some(parcel)
}

/// The transaction of a mirror task for a command.
pub(super) fn transaction_of(command: CommandId) -> &'static str {
    match command {
        cmd::START | cmd::START_CHANNEL | cmd::CANCEL => "CSM2",
        cmd::DELETEQ_TS | cmd::READQ_TS | cmd::WRITEQ_TS => "CSM3",
        cmd::DELETEQ_TD | cmd::READQ_TD | cmd::WRITEQ_TD => "CSM3",
        _ => "CSMI",
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::build::tests::to;
    use crate::message::{Answer, Ask, Begins, Linked, Work, of_bytes, to_bytes};

    fn own() -> Numbers {
        Numbers::own(&Build::this())
    }

    fn sent(parcel: &Parcel) -> Shipped {
        written(&Build::this(), parcel).expect("it travels")
    }

    fn read_queue() -> Parcel {
        let mut parcel = Parcel::new(cmd::READQ_TS);
        parcel.give(opt::QUEUE, Content::text("Q")).expect("fits");
        parcel.room(opt::INTO, 80).expect("fits");
        parcel.give(opt::LENGTH, Content::Number(80)).expect("fits");
        parcel.keyword(opt::NEXT).expect("fits");
        parcel
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let parcel = read_queue();
        assert_eq!(read(&sent(&parcel), &own()), Some(parcel));
    }

    /// Another build has a command more, which comes first, and an option less: all its numbers are others.
    #[test]
    fn a_command_of_another_build_is_read_by_its_names() {
        let other = Build::another("9", &["ABSOLVE"], (&[], &["ABCODE"], &[]));
        let shipped = written(&other, &read_queue()).expect("it travels");
        assert_eq!(read(&shipped, &to(&other)), Some(read_queue()));
        assert_ne!(read(&shipped, &own()), Some(read_queue()), "the numbers are others");
        assert_eq!(to(&other).lacks(&sent(&read_queue())), None);
    }

    /// A name that a partner has not is neither sent nor read; the log names it.
    #[test]
    fn a_command_that_another_build_does_not_know_is_named() {
        for (commands, options, lacks) in [
            (&["READQ TS"] as &[&str], &[] as &[&str], "READQ TS"),
            (&[], &["QUEUE", "NEXT"], "QUEUE, NEXT of READQ TS"),
        ] {
            let earlier = Build::another("0", &[], (commands, options, &[]));
            assert_eq!(to(&earlier).lacks(&sent(&read_queue())).as_deref(), Some(lacks));
            assert_eq!(written(&earlier, &read_queue()), None);
        }
    }

    #[test]
    fn what_another_region_may_not_ask_for_is_none() {
        let refused = |change: fn(&mut Shipped)| {
            let mut shipped = sent(&read_queue());
            change(&mut shipped);
            read(&shipped, &own()).is_none()
        };
        assert!(refused(|shipped| shipped.command = u16::MAX));
        assert!(refused(|shipped| shipped.fields.clear()));
        assert!(refused(|shipped| shipped.fields[0].option = u16::MAX));
        assert!(refused(|shipped| shipped.fields[1].room = u32::MAX));
        assert!(refused(|shipped| shipped.fields[0].content = Wire::Bytes(vec![0; HALFWORD_LENGTH_MAX + 1])));
        assert!(refused(|shipped| shipped.keywords.push(shipped.keywords[0])));
        assert!(refused(|shipped| {
            let option = Build::this().option(opt::SYSID).expect("a name");
            shipped.fields.push(Field { option, room: 4, content: Wire::Bytes(b"AWAY".to_vec()) });
        }));
        assert_eq!(read(&sent(&Parcel::new(cmd::SYNCPOINT)), &own()), None);
    }

    /// Requests with bytes changed, cut off and put in: what is read is a command that its record allows, or nothing.
    #[test]
    fn garbage_is_nothing() {
        let link = Linked {
            program: *b"SERVER  ",
            transaction: Some(*b"MIRR"),
            commarea: Some((vec![1; 20].into(), 40)),
            channel: Some(vec![0; 30]),
            syncs: true,
        };
        let begins = Some(Begins { user: *b"USER    " });
        let shipped = sent(&read_queue());
        let asks = [
            Ask::Do { conversation: 1, begins, work: Work::Command(shipped) },
            Ask::Do { conversation: 2, begins: None, work: Work::Link(link) },
            Ask::Decide { conversation: Some(3), unit: vec![7; 24], commits: true },
        ];
        let numbers = own();
        for seed in 0..2_000 {
            let mut rng = Rng::with_seed(seed);
            let mut bytes = to_bytes(&asks[rng.usize(..asks.len())]);
            for _ in 0..rng.usize(1..6) {
                let at = rng.usize(..bytes.len());
                match rng.u8(..3) {
                    0 => bytes[at] = rng.u8(..),
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, rng.u8(..)),
                }
            }
            let _ = of_bytes::<Answer>(&bytes);
            if let Some(Ask::Do { work: Work::Command(shipped), .. }) = of_bytes(&bytes)
                && let Some(parcel) = read(&shipped, &numbers)
            {
                assert!(is_shipped(parcel.command()), "seed {seed}");
                assert!(parcel.fields().all(|(_, room, _)| room <= HALFWORD_LENGTH_MAX), "seed {seed}");
            }
        }
    }
}
