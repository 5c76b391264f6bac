//! Random walks: the cheap first engine for unsafe.
