import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readExamples } from '@posthorn/docs/examples'
import { runPage } from './run-page.ts'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-pages-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

const fence = '```'
let pages = 0

/** Runs the examples of a Markdown page whose first code fence is line 1. */
function run(lines: readonly string[], timeoutMs = 60_000) {
  const { examples } = readExamples(lines.join('\n'))
  pages += 1
  const variables = { GREETING: 'Hello' }
  return runPage(examples, { dir: join(dir, String(pages)), variables, timeoutMs })
}

test('runPage: blocks share a shell, other languages see its exported variables', async () => {
  const failure = await run([
    `${fence}sh runnable`,
    'own=1; export NAME="$GREETING Anna"; sleep 1000 &',
    fence,
    `${fence}py runnable`,
    'import os; print(os.environ["NAME"])',
    fence,
    `${fence}text output`,
    'Hello Anna',
    fence,
    `${fence}ts runnable`,
    "import { Posthorn } from '@posthorn/client'",
    'const name: string = typeof Posthorn',
    'console.log(JSON.stringify({ name, env: process.env.NAME }))',
    fence,
    `${fence}json output`,
    '{ "name": "function", "env": "Hello …" }',
    fence,
    `${fence}sh runnable`,
    'echo "own $own"',
    fence,
    `${fence}text output`,
    'own 1',
    fence,
  ])
  expect(failure).toBeUndefined()
})

test('runPage: reports the first output that differs, at the line of the page', async () => {
  const block = [`${fence}sh runnable`, 'echo 1', fence, `${fence}text output`, '2', fence]
  expect(await run(['Text.', '', ...block, ...block])).toEqual({
    line: 7,
    problem: 'the text differs',
    expected: '2\n',
    got: '1\n',
  })
})

test('runPage: reports the block that fails, with its output and error', async () => {
  const first = [`${fence}sh runnable`, 'true', fence]
  const second = [`${fence}sh runnable`, 'echo 1', 'cat missing | cat', 'echo 2', fence]
  const failure = await run([...first, ...second, ...first])
  expect(failure).toMatchObject({ line: 5, problem: 'the block ended with 1' })
  expect(failure?.got).toMatch(/^1\ncat: .*missing/)
})

test('runPage: reports the block that takes too long, and a block that ends the page', async () => {
  const [blocking, leaving] = ['sleep 1000', 'exit 0'].map((command) => [
    `${fence}sh runnable`,
    command,
    fence,
    `${fence}sh runnable`,
    'true',
    fence,
  ])
  expect(await run(blocking ?? [], 500)).toMatchObject({
    line: 2,
    problem: 'the page takes too long',
  })
  expect(await run(leaving ?? [])).toMatchObject({ line: 5, problem: 'the block ended with 0' })
})
