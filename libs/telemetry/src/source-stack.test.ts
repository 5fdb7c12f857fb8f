import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'
import { sourceStack } from './source-stack.ts'

const folder = mkdtempSync(join(tmpdir(), 'source-stack-'))
afterAll(() => rmSync(folder, { recursive: true }))
// In this source map, line 1, column 11 of the bundled file is line 3, column 5 of the source:
// `UAEI` (ECMA-426, VLQ).
const map = { version: 3, sources: ['../libs/flow/src/a.ts'], names: [], mappings: 'UAEI' }
writeFileSync(join(folder, 'mapped.js.map'), JSON.stringify(map))
writeFileSync(join(folder, 'broken.js.map'), '{')

function stackOf(file: string): string | undefined {
  const error = new Error('failed')
  error.stack = `Error: failed\n    at run (${file}:1:11)\n    at ${file}:1:11`
  return sourceStack(error)
}

test.each(['URL', 'path'])(
  'sourceStack: frames with the %s of a bundled file, name the source',
  (kind) => {
    const path = join(folder, 'mapped.js')
    const source = new URL('../libs/flow/src/a.ts', pathToFileURL(path)).href
    expect(stackOf(kind === 'URL' ? pathToFileURL(path).href : path)).toBe(
      `Error: failed\n    at run (${source}:3:5)\n    at ${source}:3:5`,
    )
  },
)

test('sourceStack: a file without a valid source map, keeps its frames', () => {
  for (const name of ['broken.js', 'absent.js', 'node_modules/mapped.js']) {
    const file = join(folder, name)
    expect(stackOf(file)).toBe(`Error: failed\n    at run (${file}:1:11)\n    at ${file}:1:11`)
  }
})

test('sourceStack: an error without stack, has none', () => {
  const error = new Error('failed')
  delete error.stack
  expect(sourceStack(error)).toBeUndefined()
})
