import { bundledSize, measuredPrograms } from './bundled-size.ts'

// Prints the sizes of browser bundles of the API client as JSON.
const sizes = Object.entries(measuredPrograms).map(async ([name, { program, limit }]) => ({
  name,
  size: await bundledSize(program),
  limit,
}))
process.stdout.write(JSON.stringify(await Promise.all(sizes)))
