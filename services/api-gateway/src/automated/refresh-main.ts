import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refreshRanges, type Source } from './refresh-ranges.ts'
import type { CrawlerRanges } from './ranges.ts'

// `make crawlers`: updates the address ranges of crawlers. `--sources` and `--out` name other
// files.

const packageDirectory = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    sources: { type: 'string', default: join(packageDirectory, 'crawler-sources.json') },
    out: { type: 'string', default: join(packageDirectory, 'crawler-ranges.json') },
  },
})

const sources = JSON.parse(await readFile(values.sources, 'utf8')) as Source[]
const before = await readFile(values.out, 'utf8').then(
  (text) => JSON.parse(text) as CrawlerRanges,
  () => ({ sources: [] }),
)
const { ranges, failures } = await refreshRanges(sources, before, fetchText)
await writeFile(`${values.out}.new`, `${JSON.stringify(ranges, null, 2)}\n`)
await rename(`${values.out}.new`, values.out)
for (const { name, ranges: fetched } of ranges.sources)
  process.stdout.write(`${name}: ${fetched.length} ranges\n`)
for (const failure of failures) process.stderr.write(`not updated: ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.text()
}
