//! featherline beside other libraries: what is timed, that the answers agree, and the report.
//!
//! Contenders are processes that speak the protocol of `bench/README.md`; [`calls`] is
//! featherline's side of it.

pub mod batches;
pub mod calls;
pub mod closed_loops;
pub mod contender;
pub mod contest;
pub mod figure;
pub mod form;
pub mod held;
pub mod programs;
pub mod report;
pub mod robots;
pub mod row;
pub mod stepping;
pub mod targets;

#[cfg(test)]
mod tests {
    use featherline_bench_protocol::calls::NAMES;

    #[test]
    fn each_call_of_the_protocol_is_compared() {
        let all = [
            crate::calls::COUNTS,
            crate::stepping::NAMES,
            crate::closed_loops::NAMES,
            crate::held::NAMES,
        ];
        let own: Vec<&str> = all.into_iter().flatten().map(|call| call.name).collect();
        assert_eq!(own, NAMES);
    }
}
