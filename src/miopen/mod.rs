//! MIOpen: convolution problems, the databases of measured solvers, and the file a device would open.

pub mod problem;
