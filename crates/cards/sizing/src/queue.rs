//! A queue before many servers: arrivals at random, service times of exponential length (M/M/c).

/// Work that arrives.
pub(crate) struct Queue {
    /// Arrivals a second.
    pub(crate) rate: f64,
    /// Seconds of service for each.
    pub(crate) service: f64,
}

impl Queue {
    /// Servers that are busy on average.
    fn offered(&self) -> f64 {
        self.rate * self.service
    }

    /// Seconds for which an arrival waits on average; infinite where the queue grows for ever.
    pub(crate) fn wait(&self, servers: u32) -> f64 {
        let (offered, count) = (self.offered(), f64::from(servers));
        if offered >= count {
            return f64::INFINITY;
        }
        self.must_wait(servers) * self.service / (count - offered)
    }

    /// Erlang's C: the part of all arrivals that must wait, from his B by recursion.
    fn must_wait(&self, servers: u32) -> f64 {
        let offered = self.offered();
        let lost = (1..=servers).fold(1.0, |lost, n| offered * lost / (f64::from(n) + offered * lost));
        let busy = offered / f64::from(servers);
        lost / (1.0 - busy + busy * lost)
    }

    /// The fewest servers that are busy for at most a part of their time and keep the average wait at or below `wait_max`.
    pub(crate) fn servers(&self, busy_max: f64, wait_max: f64) -> u32 {
        // Beyond the range of u32 the cast stops at its end, and so does the search.
        let first = (self.offered() / busy_max).ceil().max(1.0) as u32;
        (first..u32::MAX).find(|servers| self.wait(*servers) <= wait_max).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_those_of_the_tables() {
        // One server: busy / (1 - busy) × service. Many: Erlang's C from published tables.
        let queue = |offered| Queue { rate: offered, service: 1.0 };
        for (offered, servers, must_wait) in
            [(0.5, 1, 0.5), (0.9, 1, 0.9), (1.0, 2, 0.3333), (2.0, 3, 0.4444), (8.0, 10, 0.4092)]
        {
            let found = queue(offered).must_wait(servers);
            assert!((found - must_wait).abs() < 1e-4, "{offered} before {servers}: {found}");
        }
        assert!((queue(0.5).wait(1) - 1.0).abs() < 1e-9);
        assert_eq!(queue(2.0).wait(2), f64::INFINITY);
    }
}
