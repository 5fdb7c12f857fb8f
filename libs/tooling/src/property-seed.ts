import fc from 'fast-check'

// Property tests use the same values in each run, so that a run fails only because of a change.
// `random` looks for new counterexamples; the report of a failure states its seed.
const seed = process.env['POSTHORN_PROPERTY_SEED'] ?? '1'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
