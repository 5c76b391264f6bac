//! System to smaller system, with a map that brings traces and certificates home.
