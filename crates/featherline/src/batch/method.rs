//! The form that all methods of a batch have: rows in, an algorithm, rows out.

/// Methods of [`Batch`](super::Batch): `name(inputs => results)`, each with its length for one
/// state, a function of the model. Arguments after a semicolon are the same for all states, each
/// perhaps with the function that checks it.
///
/// A body computes the results of the states in one register, whose inputs it sees by name, and
/// writes them to their rows, in full if it succeeds.
macro_rules! batch_methods {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident(
            $($input:ident: $input_length:expr),*
            $(; $($plain:ident $([$check:ident])?: $type:ty),*)?
            => $($result:ident: $length:expr),*
        )
        |$model:pat_param, $ws:pat_param, $room:pat_param, $results:ident| $body:block
    )*) => {
        impl<T: Precision> Batch<T> {$(
            $(#[$attribute])*
            #[allow(clippy::too_many_arguments)] // what is read and what is written
            $visibility fn $name(
                &mut self,
                $($input: &[T],)*
                $($($plain: $type,)*)?
                $($result: &mut [T],)*
                status: &mut [BatchStatus],
            ) -> Result<usize, Error> {
                struct Call<Arguments>(Arguments);

                impl Task for Call<($($($type,)*)?)> {
                    fn run<S: Pack>(
                        &self,
                        $model: &Model,
                        $ws: &mut Workspace<S>,
                        [$($input,)* ..]: [&[S]; INPUTS],
                        $room: &mut Room<S>,
                        $results: &mut Rows<'_, S::Element>,
                    ) -> Result<(), Error> {
                        $(let ($($plain,)*) = self.0;)?
                        $body
                        Ok(())
                    }
                }

                $($($($check(&self.model, $plain)?;)?)*)?
                let inputs = [$(Input {
                    name: stringify!($input),
                    rows: $input,
                    length: ($input_length)(&self.model),
                }),*];
                let outputs = [$(Output {
                    name: stringify!($result),
                    rows: $result,
                    length: ($length)(&self.model),
                }),*];
                self.run(&Call(($($($plain,)*)?)), inputs, outputs, status)
            }
        )*}
    };
}

pub(super) use batch_methods;
