//! The types of resources that a CSD can hold.

/// The greatest length of a name of most types.
const LONG_NAME: usize = 8;
/// The greatest length of the name of a transaction, a terminal, a connection or a transient data queue.
const SHORT_NAME: usize = 4;

macro_rules! resource_types {
    ($($variant:ident $name:literal),+ $(,)?) => {
        /// A type of resource.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are the published ones")]
        pub enum ResourceType { $($variant),+ }

        impl ResourceType {
            /// Every type.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name as DEFINE has it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

resource_types! {
    Atomservice "ATOMSERVICE",
    Bundle "BUNDLE",
    Connection "CONNECTION",
    Db2conn "DB2CONN",
    Db2entry "DB2ENTRY",
    Db2tran "DB2TRAN",
    Doctemplate "DOCTEMPLATE",
    Dumpcode "DUMPCODE",
    Enqmodel "ENQMODEL",
    File "FILE",
    Ipconn "IPCONN",
    Journalmodel "JOURNALMODEL",
    Jvmserver "JVMSERVER",
    Library "LIBRARY",
    Lsrpool "LSRPOOL",
    Mapset "MAPSET",
    Mqconn "MQCONN",
    Mqmonitor "MQMONITOR",
    Partitionset "PARTITIONSET",
    Partner "PARTNER",
    Pipeline "PIPELINE",
    Processtype "PROCESSTYPE",
    Profile "PROFILE",
    Program "PROGRAM",
    Sessions "SESSIONS",
    Tcpipservice "TCPIPSERVICE",
    Tdqueue "TDQUEUE",
    Terminal "TERMINAL",
    Tranclass "TRANCLASS",
    Transaction "TRANSACTION",
    Tsmodel "TSMODEL",
    Typeterm "TYPETERM",
    Urimap "URIMAP",
    Webservice "WEBSERVICE",
}

impl ResourceType {
    /// The type of a name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.name().eq_ignore_ascii_case(name))
    }

    /// The greatest length of a name of this type, in characters.
    pub const fn name_length(self) -> usize {
        match self {
            Self::Connection | Self::Tdqueue | Self::Terminal | Self::Transaction => SHORT_NAME,
            _ => LONG_NAME,
        }
    }

    /// Returns true if `abcd` and `ABCD` are two resources of this type.
    pub const fn keeps_case(self) -> bool {
        matches!(self, Self::Transaction)
    }

    /// Returns true if, of two definitions of one name in the groups of a list, the first is installed. For the other
    /// types the later one is.
    pub const fn first_wins(self) -> bool {
        matches!(
            self,
            Self::Bundle
                | Self::Db2entry
                | Self::Ipconn
                | Self::Jvmserver
                | Self::Library
                | Self::Mqmonitor
                | Self::Processtype
                | Self::Tcpipservice
                | Self::Tdqueue
                | Self::Urimap
                | Self::Webservice
        )
    }
}

impl std::fmt::Display for ResourceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
