import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from '@jest/globals'
import { readInput } from './input.ts'

const dir = mkdtempSync(join(tmpdir(), 'posthorn-input-'))
afterAll(() => rmSync(dir, { recursive: true }))
const { signal } = new AbortController()

test('readInput: a file, or standard input with characters that are split between two chunks', async () => {
  const file = join(dir, 'text.txt')
  writeFileSync(file, 'hüsh')
  const bytes = Buffer.from('hüsh')
  const stdin = Readable.from([bytes.subarray(0, 2), bytes.subarray(2)], { objectMode: false })
  expect(await readInput(file, { terminal: { stdin }, signal })).toBe('hüsh')
  expect(await readInput('-', { terminal: { stdin }, signal })).toBe('hüsh')
})

test('readInput: an absent file is named', async () => {
  const context = { terminal: { stdin: Readable.from([]) }, signal }
  await expect(readInput(join(dir, 'absent'), context)).rejects.toThrow('absent cannot be read')
})

test('readInput: the signal ends the wait for standard input', async () => {
  const interrupted = new AbortController()
  const stdin = new Readable({ read: () => interrupted.abort() })
  const context = { terminal: { stdin }, signal: interrupted.signal }
  await expect(readInput('-', context)).rejects.toMatchObject({ name: 'AbortError' })
})
