//! Time and memory of this process, as the kernel counts them.

use std::time::{Duration, Instant};

/// What a run took.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    began: Instant,
    /// Wall time.
    pub milliseconds: u64,
    /// Processor time of all threads.
    pub cpu_milliseconds: u64,
    /// Most resident memory, beyond what was there when it began, in bytes.
    pub memory: u64,
}

impl Usage {
    /// Begins to count.
    pub fn begin() -> Self {
        // 5 sets the peak of resident memory back; where that is not allowed, peaks are those of the whole
        // run.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Usage {
            began: Instant::now(),
            milliseconds: 0,
            cpu_milliseconds: cpu().as_millis() as u64,
            memory: status("self", "VmRSS:"),
        }
    }

    /// What was taken since.
    pub fn end(self) -> Self {
        Usage {
            milliseconds: self.began.elapsed().as_millis() as u64,
            cpu_milliseconds: (cpu().as_millis() as u64).saturating_sub(self.cpu_milliseconds),
            memory: status("self", "VmHWM:").saturating_sub(self.memory),
            ..self
        }
    }

    /// That of a child, which was watched.
    pub fn of_child(began: Instant, cpu: Duration, memory: u64) -> Self {
        let milliseconds = began.elapsed().as_millis() as u64;
        Usage { began, milliseconds, cpu_milliseconds: cpu.as_millis() as u64, memory }
    }
}

/// Processor time of this process.
fn cpu() -> Duration {
    times().0
}

/// Processor time of children that ended.
pub fn cpu_of_children() -> Duration {
    times().1
}

fn times() -> (Duration, Duration) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which is in brackets: the 12th is utime, in 1/100 s.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<u64> = rest.split_whitespace().skip(11).take(4).map(|n| n.parse().unwrap_or(0)).collect();
    let time = |a: usize, b: usize| {
        Duration::from_millis(10 * (ticks.get(a).unwrap_or(&0) + ticks.get(b).unwrap_or(&0)))
    };
    (time(0, 1), time(2, 3))
}

/// A size in the status of a process, in bytes; 0 where it ended.
pub fn status(process: &str, what: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}
