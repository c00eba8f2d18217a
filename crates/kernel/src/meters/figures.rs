//! Figures that domains add up for a task that is monitored, beside its requests and waits.

use super::columns;

columns! {
    /// A figure of a task. Counts are added up, values are the highest, clocks are times and how often they were taken.
    pub enum Figure {
        ContainerBytesRead "container-bytes-read" Count,
        ContainerBytesWritten "container-bytes-written" Count,
        ContainersCreated "containers-created" Count,
        ContainerStorage "container-storage" Value,
        DocumentBytes "document-bytes" Count,
        LogWrites "log-writes" Count,
        ShippedLinks "shipped-links" Count,
        ShippedLinksWithChannel "shipped-links-with-channel" Count,
        ChannelBytesShipped "channel-bytes-shipped" Count,
        ChannelBytesReturned "channel-bytes-returned" Count,
        LinksWithChannel "links-with-channel" Count,
        XctlsWithChannel "xctls-with-channel" Count,
        Sql "sql" Clock,
        UserGetmains24 "user-getmains-24" Count,
        UserGetmains31 "user-getmains-31" Count,
        UserGetmains64 "user-getmains-64" Count,
        UserStorage "user-storage" Value,
        SharedGetmains24 "shared-getmains-24" Count,
        SharedBytes24 "shared-bytes-24" Count,
        SharedGetmains31 "shared-getmains-31" Count,
        SharedBytes31 "shared-bytes-31" Count,
        SharedGetmains64 "shared-getmains-64" Count,
        SharedBytes64 "shared-bytes-64" Count,
        SharedBytesFreed "shared-bytes-freed" Count,
        Syncpoints "syncpoints" Count,
        Syncpoint "syncpoint" Clock,
        StartsWithChannel "starts-with-channel" Count,
        StartChannelBytes "start-channel-bytes" Count,
        ShippedStartsWithChannel "shipped-starts-with-channel" Count,
        ShippedStartChannelBytes "shipped-start-channel-bytes" Count,
        PasswordChecks "password-checks" Clock,
        TsPutsAuxiliary "ts-puts-auxiliary" Count,
        TsPutsMain "ts-puts-main" Count,
        TerminalBytesIn "terminal-bytes-in" Count,
        TerminalBytesOut "terminal-bytes-out" Count,
        ClientOpens "client-opens" Count,
        ClientReceives "client-receives" Count,
        ClientReceivedBytes "client-received-bytes" Count,
        ClientSends "client-sends" Count,
        ClientSentBytes "client-sent-bytes" Count,
        ClientRequests "client-requests" Count,
        ClientReads "client-reads" Count,
        ClientWrites "client-writes" Count,
        ClientBrowses "client-browses" Count,
        ClientOpenTime "client-open-time" Clock,
        ClientReceiveTime "client-receive-time" Clock,
        ClientSendTime "client-send-time" Clock,
        InvokeTime "invoke-time" Clock,
        PolicyThresholds "policy-thresholds" Count,
        EventFilters "event-filters" Count,
        EventsCaptured "events-captured" Count,
        EventsSynchronous "events-synchronous" Count,
    }
}

/// The number of figures.
pub(crate) const FIGURES: usize = Figure::ALL.len();
