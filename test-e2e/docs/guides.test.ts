import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readExamples } from '@posthorn/docs/examples'
import { freePort } from '@posthorn/local'
import { checkout } from '@posthorn/local/paths'
import { startDocsSystem } from './docs-system.ts'
import { type ExampleFailure, runPage } from './run-page.ts'

/**
 * Maximum duration of the examples of one guide page. They wait for events and for syncs with
 * default intervals.
 */
const timeoutMs = 240_000

const pages = globSync('libs/docs/guides/*.md', { cwd: checkout })
  .map((path) => ({ path, ...readExamples(readFileSync(join(checkout, path), 'utf8')) }))
  .filter(({ examples }) => examples.length > 0)
  .sort((a, b) => a.order - b.order)

const dir = await mkdtemp(join(tmpdir(), 'posthorn-guides-'))
const docs = await startDocsSystem()
afterAll(async () => {
  await docs[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

test('guides: have examples', () => {
  expect(pages.length).toBeGreaterThan(10)
})

// Later guide pages use objects of earlier pages, so the examples of all pages run in one system,
// in their order.
test.each(pages)(
  'guides: the examples of $path have the output that the page shows',
  async (page) => {
    const ports = { RECEIVER_PORT: String(await freePort()), AUTH_PORT: String(await freePort()) }
    const failure = await runPage(page.examples, {
      dir: join(dir, basename(page.path, '.md')),
      variables: { ...docs.variables, ...ports },
      timeoutMs,
    })
    if (failure !== undefined) throw new Error(describeFailure(page.path, failure))
  },
)

function describeFailure(path: string, failure: ExampleFailure): string {
  const { line, problem, expected, got } = failure
  return [
    `${path}:${line}: ${problem}`,
    ...(expected === undefined ? [] : ['expected:', expected.trimEnd()]),
    'got:',
    got.trimEnd(),
  ].join('\n')
}
