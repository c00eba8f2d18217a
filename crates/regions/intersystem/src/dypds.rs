//! The COMMAREA of a routing program: copybook DFHDYPDS, field for field.

use kernel::exec::Followed;

/// Bytes of the area.
pub(crate) const LENGTH: usize = 1_324;
/// DYRVER.
const VERSION: u16 = 10;

/// The offsets of the fields that count here.
mod at {
    pub const FUNC: usize = 0;
    pub const COMP: usize = 1;
    pub const ERROR: usize = 4;
    pub const OPTER: usize = 5;
    pub const QUEUE: usize = 6;
    pub const RETC: usize = 8;
    pub const SYSID: usize = 12;
    pub const VER: usize = 16;
    pub const TYPE: usize = 18;
    pub const TRAN: usize = 20;
    pub const COUNT: usize = 28;
    pub const BPNTR: usize = 32;
    pub const BLGTH: usize = 36;
    pub const RTPRI: usize = 40;
    pub const PRTY: usize = 42;
    pub const NETNM: usize = 44;
    pub const LPROG: usize = 52;
    pub const DTRXN: usize = 60;
    pub const DTRRJ: usize = 61;
    pub const ABCDE: usize = 72;
    pub const CABP: usize = 76;
    pub const LEVEL: usize = 77;
    pub const ACMAA: usize = 80;
    pub const ACMAL: usize = 84;
    pub const BTS: usize = 92;
    pub const USERID: usize = 268;
    pub const CHANL: usize = 284;
}

/// DYRFUNC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// Select a system.
    Select = b'0' as isize,
    /// The system that was selected does not take the task.
    Error = b'1' as isize,
    /// The routed task has ended.
    Ended = b'2' as isize,
    /// A task is routed as its definition says, whatever the program answers.
    Notify = b'3' as isize,
    /// The routed task has ended with an abend.
    Abended = b'4' as isize,
    /// The task of a START that was routed begins, where it runs.
    Initiated = b'5' as isize,
    /// A START was routed, or could not be.
    Complete = b'6' as isize,
}

/// DYRTYPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An input at a terminal.
    Terminal = b'0' as isize,
    /// A task at a terminal that is routed as its definition says.
    Notice = b'1' as isize,
    /// A START for a terminal.
    Start = b'2' as isize,
    /// The same with data.
    StartWithData = b'3' as isize,
    /// A LINK.
    Link = b'4' as isize,
    /// A START without a terminal.
    Distributed = b'6' as isize,
    /// A LINK with a channel.
    LinkWithChannel = b'9' as isize,
    /// A START for a terminal, with a channel.
    StartWithChannel = b'A' as isize,
    /// A START without a terminal, with a channel. Recalled, not read.
    DistributedWithChannel = b'B' as isize,
}

/// DYRERROR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoutingFault {
    /// The system is not known.
    Unknown = b'0' as isize,
    /// It is not in service.
    NotThere = b'1' as isize,
    /// No session is free.
    NoSession = b'2' as isize,
    /// The request was rejected: QUEUELIMIT.
    Rejected = b'3' as isize,
    /// The queue was purged: MAXQTIME.
    Purged = b'4' as isize,
    /// The system has not understood the request.
    NotSupported = b'5' as isize,
    /// LENGERR of LINK.
    Length = b'6' as isize,
    /// PGMIDERR of LINK.
    Program = b'7' as isize,
    /// INVREQ of LINK.
    Invalid = b'8' as isize,
    /// NOTAUTH of LINK.
    NotAuthorized = b'9' as isize,
    /// TERMERR of LINK.
    Lost = b'A' as isize,
    /// ROLLEDBACK of LINK.
    RolledBack = b'B' as isize,
    /// The system has no room for the request.
    NoRoom = b'F' as isize,
}

/// The area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dypds(Vec<u8>);

impl Dypds {
    /// The area for the first call about a task.
    pub fn new() -> Self {
        let mut area = Self(vec![0; LENGTH]);
        for (from, length) in [(at::SYSID, 4), (at::TRAN, 8), (at::NETNM, 8), (at::LPROG, 8), (at::USERID, 8)]
        {
            area.0[from..from + length].fill(b' ');
        }
        area.0[at::ABCDE..at::ABCDE + 4].fill(b' ');
        area.0[at::BTS..at::USERID].fill(b' ');
        area.0[at::CHANL..at::CHANL + 16].fill(b' ');
        area.put(at::COMP, b"RT");
        area.put(at::VER, &VERSION.to_be_bytes());
        for flag in [at::OPTER, at::QUEUE, at::RTPRI, at::DTRXN, at::DTRRJ] {
            area.0[flag] = b'N';
        }
        area.put(at::QUEUE, b"Y");
        area.put(at::CABP, b"Y");
        area.put(at::LEVEL, b" ");
        area
    }

    /// The area as a program has left it.
    pub fn left(bytes: &[u8]) -> Self {
        let mut bytes = bytes.to_vec();
        bytes.resize(LENGTH, 0);
        Self(bytes)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn put(&mut self, from: usize, bytes: &[u8]) {
        self.0[from..from + bytes.len()].copy_from_slice(bytes);
    }

    fn get<const N: usize>(&self, from: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[from..from + N]);
        bytes
    }

    /// DYRFUNC, with DYRRETC 0; one more call is counted if it is about the place.
    pub fn call(&mut self, function: Function) {
        self.put(at::FUNC, &[function as u8]);
        self.put(at::RETC, &[0; 4]);
        if matches!(function, Function::Select | Function::Error | Function::Notify) {
            let count = i32::from_be_bytes(self.get(at::COUNT)).saturating_add(1);
            self.put(at::COUNT, &count.to_be_bytes());
        }
    }

    /// DYRERROR.
    pub fn set_fault(&mut self, fault: RoutingFault) {
        self.put(at::ERROR, &[fault as u8]);
    }

    /// DYRTYPE.
    pub fn set_kind(&mut self, kind: Kind) {
        self.put(at::TYPE, &[kind as u8]);
    }

    /// DYRCOMP: the part of the region that asks.
    pub fn set_component(&mut self, component: [u8; 2]) {
        self.put(at::COMP, &component);
    }

    /// DYRSYSID and DYRNETNM.
    pub fn set_system(&mut self, system: [u8; 4], netname: [u8; 8]) {
        self.put(at::SYSID, &system);
        self.put(at::NETNM, &netname);
    }

    /// DYRSYSID for a program that is asked about a START, and sees neither DYRNETNM nor DYRLPROG.
    pub fn set_system_alone(&mut self, system: [u8; 4]) {
        self.put(at::SYSID, &system);
        self.put(at::NETNM, &[0; 8]);
        self.put(at::LPROG, &[0; 8]);
    }

    /// DYRDTRXN: no definition has the transaction.
    pub fn set_undefined(&mut self) {
        self.put(at::DTRXN, b"Y");
    }

    /// DYRDTRRJ: an undefined transaction is rejected.
    pub fn rejects(&self) -> bool {
        self.0[at::DTRRJ] == b'Y'
    }

    /// DYRTRAN.
    pub fn set_transaction(&mut self, name: [u8; 8]) {
        self.put(at::TRAN, &name);
    }

    /// DYRLPROG.
    pub fn set_program(&mut self, name: [u8; 8]) {
        self.put(at::LPROG, &name);
    }

    /// DYRUSERID, and the priority.
    pub fn set_user(&mut self, user: [u8; 8], priority: u8) {
        self.put(at::USERID, &user);
        self.put(at::PRTY, &u16::from(priority).to_be_bytes());
    }

    /// DYRCHANL: the channel of the request.
    pub fn set_channel(&mut self, name: &[u8; 16]) {
        self.put(at::CHANL, name);
    }

    /// DYRBPNTR and DYRBLGTH.
    pub fn set_input(&mut self, pointer: u32, length: usize) {
        self.put(at::BPNTR, &pointer.to_be_bytes());
        self.put(at::BLGTH, &(length as u32).to_be_bytes());
    }

    /// DYRACMAA and DYRACMAL.
    pub fn set_commarea(&mut self, pointer: u32, length: usize) {
        self.put(at::ACMAA, &pointer.to_be_bytes());
        self.put(at::ACMAL, &(length as u32).to_be_bytes());
    }

    /// DYRABCDE.
    pub fn set_abend(&mut self, code: [u8; 4]) {
        self.put(at::ABCDE, &code);
    }

    /// DYRRETC.
    pub fn return_code(&self) -> i32 {
        i32::from_be_bytes(self.get(at::RETC))
    }

    /// DYRSYSID.
    pub fn system(&self) -> [u8; 4] {
        self.get(at::SYSID)
    }

    /// DYRTRAN.
    pub fn transaction(&self) -> [u8; 8] {
        self.get(at::TRAN)
    }

    /// DYRLPROG.
    pub fn program(&self) -> [u8; 8] {
        self.get(at::LPROG)
    }

    /// DYROPTER: the program is called when the routed task has ended.
    pub fn wants_end(&self) -> bool {
        self.0[at::OPTER] == b'Y'
    }

    /// DYRQUEUE: the request waits for a session.
    pub fn waits(&self) -> bool {
        self.0[at::QUEUE] == b'Y'
    }
}

/// The area for a task that a partner has sent; `None`: it is none.
pub(crate) fn followed(area: &[u8]) -> Option<Followed> {
    (area.len() == LENGTH).then(|| Followed(area.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields in the published order, with their lengths.
    const PUBLISHED: [(&str, usize, Option<usize>); 33] = [
        ("DYRFUNC", 1, Some(at::FUNC)),
        ("DYRCOMP", 2, Some(at::COMP)),
        ("DYRFILL1", 1, None),
        ("DYRERROR", 1, Some(at::ERROR)),
        ("DYROPTER", 1, Some(at::OPTER)),
        ("DYRQUEUE", 1, Some(at::QUEUE)),
        ("DYRFILL2", 1, None),
        ("DYRRETC", 4, Some(at::RETC)),
        ("DYRSYSID", 4, Some(at::SYSID)),
        ("DYRVER", 2, Some(at::VER)),
        ("DYRTYPE", 1, Some(at::TYPE)),
        ("DYRFILL3", 1, None),
        ("DYRTRAN", 8, Some(at::TRAN)),
        ("DYRCOUNT", 4, Some(at::COUNT)),
        ("DYRBPNTR", 4, Some(at::BPNTR)),
        ("DYRBLGTH", 4, Some(at::BLGTH)),
        ("DYRRTPRI", 1, Some(at::RTPRI)),
        ("DYRFILL4", 1, None),
        ("DYRPRTY", 2, Some(at::PRTY)),
        ("DYRNETNM", 8, Some(at::NETNM)),
        ("DYRLPROG", 8, Some(at::LPROG)),
        ("DYRDTRXN", 1, Some(at::DTRXN)),
        ("DYRDTRRJ", 1, Some(at::DTRRJ)),
        ("DYRFILL5", 2, None),
        ("DYRSRCTK", 4, None),
        ("DYRABNLC", 4, None),
        ("DYRABCDE", 4, Some(at::ABCDE)),
        ("DYRCABP", 1, Some(at::CABP)),
        ("DYRLEVEL", 1, Some(at::LEVEL)),
        ("DYRFILL6", 2, None),
        ("DYRACMAA", 4, Some(at::ACMAA)),
        ("DYRACMAL", 4, Some(at::ACMAL)),
        ("DYRUAPTR", 4, None),
    ];

    #[test]
    fn the_fields_stand_where_they_are_published() {
        let mut offset = 0;
        for (name, length, expected) in PUBLISHED {
            assert!(expected.is_none_or(|expected| expected == offset), "{name} at {offset}");
            offset += length;
        }
        assert_eq!(offset, at::BTS);
        assert_eq!(offset + 176, at::USERID);
        // DYRUSERID, DYRBRTK; behind the channel is DYRUSER.
        assert_eq!(at::USERID + 8 + 8, at::CHANL);
        assert_eq!(at::CHANL + 16 + 1_024, LENGTH);
    }

    #[test]
    fn each_call_is_counted_and_begins_with_return_code_0() {
        let mut area = Dypds::new();
        area.call(Function::Select);
        area.put(at::RETC, &8_i32.to_be_bytes());
        area.call(Function::Error);
        assert_eq!((area.return_code(), area.0[at::FUNC]), (0, b'1'));
        assert_eq!(area.get(at::COUNT), 2_i32.to_be_bytes());
        assert_eq!(Dypds::left(&[b'3'; 3]).bytes().len(), LENGTH);
    }
}
