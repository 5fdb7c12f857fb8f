import fc from 'fast-check'

// Seed of property tests. By default the seed is fixed, so that only a change of the code can make
// a run fail. With `random`, each run looks for new counterexamples, and the report of a failure
// contains the seed.
const seed = process.env['POSTHORN_PROPERTY_SEED'] ?? '1'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
