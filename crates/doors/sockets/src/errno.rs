//! ERRNO: the published numbers, and those of this machine in terms of them.

use rustix::io::Errno as System;

/// The reason why a call failed: the value of ERRNO when RETCODE is -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

macro_rules! numbers {
    ($($name:ident = $number:literal $(, $system:ident)*;)*) => {
        impl Errno {
            $(#[doc = concat!("E", stringify!($name), ".")] pub const $name: Self = Self($number);)*
        }

        impl From<System> for Errno {
            fn from(system: System) -> Self {
                $($(if system == System::$system { return Self::$name; })*)*
                Self::IO
            }
        }
    };
}

numbers! {
    PERM = 1, PERM;
    INTR = 4, INTR;
    IO = 5, IO;
    BADF = 9, BADF;
    NOMEM = 12, NOMEM;
    ACCES = 13, ACCESS;
    FAULT = 14, FAULT;
    INVAL = 22, INVAL;
    MFILE = 24, MFILE, NFILE;
    PIPE = 32, PIPE;
    WOULDBLOCK = 35, AGAIN;
    INPROGRESS = 36, INPROGRESS;
    ALREADY = 37, ALREADY;
    NOTSOCK = 38, NOTSOCK;
    DESTADDRREQ = 39, DESTADDRREQ;
    MSGSIZE = 40, MSGSIZE;
    PROTOTYPE = 41, PROTOTYPE;
    NOPROTOOPT = 42, NOPROTOOPT;
    PROTONOSUPPORT = 43, PROTONOSUPPORT;
    SOCKTNOSUPPORT = 44, SOCKTNOSUPPORT;
    OPNOTSUPP = 45, OPNOTSUPP;
    PFNOSUPPORT = 46, PFNOSUPPORT;
    AFNOSUPPORT = 47, AFNOSUPPORT;
    ADDRINUSE = 48, ADDRINUSE;
    ADDRNOTAVAIL = 49, ADDRNOTAVAIL;
    NETDOWN = 50, NETDOWN;
    NETUNREACH = 51, NETUNREACH;
    NETRESET = 52, NETRESET;
    CONNABORTED = 53, CONNABORTED;
    CONNRESET = 54, CONNRESET;
    NOBUFS = 55, NOBUFS;
    ISCONN = 56, ISCONN;
    NOTCONN = 57, NOTCONN;
    SHUTDOWN = 58, SHUTDOWN;
    TIMEDOUT = 60, TIMEDOUT;
    CONNREFUSED = 61, CONNREFUSED;
    HOSTUNREACH = 65, HOSTUNREACH, HOSTDOWN;
}

/// Numbers of the CALL interface itself.
impl Errno {
    /// There is no such function.
    pub const BAD_CALL: Self = Self(1000);
    /// A length that is zero or below for READ or READV.
    pub const READ_LENGTH: Self = Self(10159);
    /// A length that is zero or below for RECV, RECVFROM or RECVMSG.
    pub const RECEIVE_LENGTH: Self = Self(10163);
    /// MAXSOC of SELECT is zero or below.
    pub const SELECT_SIZE: Self = Self(10167);
    /// A length that is below zero for SEND or SENDMSG.
    pub const SEND_LENGTH: Self = Self(10170);
    /// A length that is below zero for SENDTO.
    pub const SEND_TO_LENGTH: Self = Self(10174);
    /// An option value that is too short.
    pub const OPTION_LENGTH: Self = Self(10178);
    /// A length that is below zero for WRITE or WRITEV.
    pub const WRITE_LENGTH: Self = Self(10182);
}

/// ERRNO of the resolver's calls.
impl Errno {
    /// The name is not known.
    pub const NAME_UNKNOWN: Self = Self(1);
    /// The name server does not answer now.
    pub const TRY_AGAIN: Self = Self(2);
    /// The name server has failed.
    pub const RESOLVER_FAILED: Self = Self(3);
    /// A family that does not exist.
    pub const FAMILY: Self = Self(5);
    /// There is no storage for the answer.
    pub const NO_STORAGE: Self = Self(6);
    /// The text does not fit.
    pub const OVERFLOW: Self = Self(12);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_see_the_published_numbers() {
        let told =
            [System::CONNREFUSED, System::WOULDBLOCK, System::ADDRINUSE, System::XDEV].map(Errno::from);
        assert_eq!(told, [Errno(61), Errno(35), Errno(48), Errno(5)]);
    }
}
