//! Tests of batches, and of kernels with every instruction set, in `tests/`. They stand alone
//! because debug builds of this repository have kernels for one set only.
