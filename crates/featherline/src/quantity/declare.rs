//! How quantities are declared: one text makes the type, its entry, its run and its lanes.

/// One quantity: its type with parameters, its name, what it takes and gives, and how; last, how in
/// lanes. `as` gives the key of its answers, `or` other names; inputs after `;` are optional.
macro_rules! quantities {
    ($(
        $(#[doc = $meaning:literal])+
        $type:ident $({ $($parameter:ident: $value:ty),+ })?
        = $name:literal $(as $key:literal)? $(or $alias:literal)*,
        [$($input:ident),* $(; $optional:ident)?]
        => $($output:ident [$($dimension:expr),*] in $unit:literal),+;
        cost $cost:literal $(, source $source:literal)?:
        |$model:ident, $ws:ident $(, $out:ident)+| $one:expr;
        $(lanes |$batch:ident, $status:ident $(, $rows:ident)+| $many:expr;)?
    )*) => {
        $(
            quantities!(@type { $(#[doc = $meaning])+ } $type $({ $($parameter: $value),+ })?);

            impl Algorithm for $type {
                #[inline(always)]
                fn run<S: Scalar>(
                    &self,
                    $model: &Model,
                    $ws: &mut Workspace<S>,
                    inputs: &[&[S]],
                    results: &mut [&mut [S]],
                ) -> Result<(), Error> {
                    $(let Self { $($parameter),+ } = *self;)?
                    for (input, numbers) in Self::ENTRY.inputs.iter().zip(inputs) {
                        check_size(input.name, input.len($model), numbers.len())?;
                    }
                    $(let (inputs, $optional) = optional(&Self::ENTRY, inputs);)?
                    for (output, result) in Self::ENTRY.outputs.iter().zip(&*results) {
                        check_size(output.name, output.len($model), result.len())?;
                    }
                    let (&[$($input),*], [$($out),+]) = (inputs, results) else {
                        return Err(wrong_number(&Self::ENTRY, inputs.len()));
                    };
                    $one;
                    Ok(())
                }
            }

            // For each type, and not for all that are quantities: a generic one would be compiled
            // again in each crate that uses it.
            impl AnyAlgorithm for $type {
                fn run(
                    &self,
                    model: &Model,
                    ws: &mut Workspace<f64>,
                    inputs: &[&[f64]],
                    results: &mut [&mut [f64]],
                ) -> Result<(), Error> {
                    Algorithm::run(self, model, ws, inputs, results)
                }

                #[cfg(feature = "batch")]
                fn run_in_double_lanes(
                    &self,
                    lanes: Lanes<'_, '_, f64>,
                ) -> Option<Result<usize, Error>> {
                    self.run_in_lanes(lanes)
                }

                #[cfg(feature = "batch")]
                fn run_in_single_lanes(
                    &self,
                    lanes: Lanes<'_, '_, f32>,
                ) -> Option<Result<usize, Error>> {
                    self.run_in_lanes(lanes)
                }
            }

            impl Quantity for $type {
                const ENTRY: Entry = Entry {
                    name: $name,
                    key: quantities!(@last $name $($key)?),
                    aliases: &[$($alias),*],
                    meaning: concat!($($meaning),+),
                    parameters: &[$($(<$value as Value>::PARAMETER),+)?],
                    inputs: &[
                        $(Input::named(stringify!($input)),)*
                        $(Input::named(stringify!($optional)).or_none())?
                    ],
                    outputs: &[$(Output {
                        name: stringify!($output),
                        dimensions: &[$($dimension),*],
                        unit: $unit,
                    }),+],
                    cost: $cost,
                    source: concat!($($source)?),
                };

                fn with(_parameters: &Parameters) -> Result<Self, Error> {
                    Ok(Self $({ $(
                        $parameter: <$value as Value>::of(_parameters, $name)?,
                    )+ })?)
                }

                #[cfg(feature = "batch")]
                #[allow(unused_variables, reason = "those without lanes use nothing")]
                fn run_in_lanes<T: Precision>(
                    &self,
                    lanes: Lanes<'_, '_, T>,
                ) -> Option<Result<usize, Error>> {
                    let Lanes { batch, inputs, results, status } = lanes;
                    $(let Self { $($parameter),+ } = *self;)?
                    $(let (inputs, $optional) = optional(&Self::ENTRY, inputs);)?
                    let &[$($input),*] = inputs else {
                        return Some(Err(wrong_number(&Self::ENTRY, inputs.len())));
                    };
                    None$(.or({
                        let ($batch, $status) = (batch, status);
                        let [$($rows),+] = results else {
                            return Some(Err(wrong_number(&Self::ENTRY, inputs.len())));
                        };
                        $many
                    }))?
                }
            }
        )*

        /// All quantities that need no more than their inputs and [`Parameters`].
        pub static CATALOGUE: &[ListedQuantity] = &[$(ListedQuantity::new::<$type>()),*];

        /// Shows a visitor the type of every quantity, for instances of other scalars.
        pub fn visit(visitor: &mut impl Visitor) {
            $(visitor.visit::<$type>();)*
        }
    };
    (@last $name:literal) => { $name };
    (@last $name:literal $key:literal) => { $key };
    (@type { $(#[$meaning:meta])+ } $type:ident) => {
        $(#[$meaning])+
        #[derive(Clone, Copy, Debug)]
        pub struct $type;
    };
    (@type { $(#[$meaning:meta])+ } $type:ident { $($parameter:ident: $value:ty),+ }) => {
        $(#[$meaning])+
        #[derive(Clone, Copy, Debug)]
        pub struct $type {
            $(
                #[doc = concat!("The ", stringify!($parameter), " that is asked about.")]
                pub $parameter: $value,
            )+
        }
    };
}

pub(super) use quantities;
