//! Dynamics: identities, other methods, energy balances and singular robots.

mod aba_terms;
mod all_terms;
mod bodies;
mod centroidal;
mod coriolis;
mod energy;
mod external_forces;
mod identities;
mod passive;
mod singular;
