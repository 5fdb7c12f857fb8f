import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { ChunkWriter } from './chunk-writer.ts'

test('ChunkWriter: chunks one after the other, are one gzip file', async () => {
  const texts = ['first line\n', 'ünïcode\n'.repeat(100_000), '']
  const members = []
  for (const text of texts) {
    const writer = new ChunkWriter()
    await writer.write(text)
    members.push(await writer.end())
  }
  expect(gunzipSync(Buffer.concat(members)).toString()).toBe(texts.join(''))
})

test('ChunkWriter: without bytes, is a complete gzip member', async () => {
  expect(gunzipSync(await new ChunkWriter().end())).toHaveLength(0)
})

test('ChunkWriter: after 2 MiB of random bytes, is full', async () => {
  const writer = new ChunkWriter()
  expect(writer.isFull).toBe(false)
  await writer.write(randomBytes(2 * 1024 * 1024).toString('latin1'))
  expect(writer.isFull).toBe(true)
  writer[Symbol.dispose]()
})
