import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const source = resolve(import.meta.dirname, '../src')

/**
 * Programs with the API client whose bundles are measured, and the limits of their sizes in bytes.
 */
export const measuredPrograms = {
  'all operations': {
    limit: 20_000,
    program: `export * from '${source}/index.ts'`,
  },
  'one operation': {
    limit: 4_000,
    program: `
      export { createClient } from '${source}/create-client.ts'
      export { submitMessage } from '${source}/generated/operations.ts'`,
  },
}

/**
 * Bundles a program with the API client for browsers. Returns the size of the minified and
 * compressed bundle.
 */
export async function bundledSize(program: string): Promise<number> {
  const entry = 'program.ts'
  await using bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? program : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ minify: true })
  return gzipSync(output[0].code, { level: 9 }).length
}
