import { expect, test } from '@jest/globals'
import { type EncodedReply, ReplyCache } from './reply-cache.ts'

const reply = (words: string, more: Partial<EncodedReply> = {}): EncodedReply => ({
  content: Buffer.from(words),
  result: 'ok',
  final: true,
  ...more,
})

test('ReplyCache: executes a repeated request once, also concurrently', async () => {
  const cache = new ReplyCache()
  let runs = 0
  const execute = async () => reply(`run ${(runs += 1)}`)
  const both = await Promise.all([cache.once('r', execute), cache.once('r', execute)])
  const later = await cache.once('r', execute)
  expect([...both, later].map(({ content }) => content.toString())).toEqual(Array(3).fill('run 1'))
})

test('ReplyCache: executes a request again after a temporary failure', async () => {
  const cache = new ReplyCache()
  await cache.once('r', async () => reply('not now', { final: false }))
  expect((await cache.once('r', async () => reply('now'))).content.toString()).toBe('now')
})

test('ReplyCache: beyond its size, evicts the oldest reply and stores no large one', async () => {
  const cache = new ReplyCache()
  const big = Buffer.alloc(64 * 1024)
  for (let n = 0; n < 300; n += 1)
    await cache.once(`r${n}`, async () => reply('', { content: big }))
  let again: string[] = []
  for (const request of ['r299', 'r0']) {
    await cache.once(request, async () => (again.push(request), reply('again')))
  }
  expect(again).toEqual(['r0'])
  await cache.once('huge', async () => reply('', { content: Buffer.alloc(64 * 1024 + 1) }))
  expect((await cache.once('huge', async () => reply('again'))).content.toString()).toBe('again')
})

test('ReplyCache: small replies, keeps none of the pool that they were encoded in', async () => {
  const cache = new ReplyCache()
  const encoded = Buffer.from('{"ok":true}')
  const stored = await cache.once('r', async () => reply('', { content: encoded }))
  expect(encoded.buffer.byteLength).toBe(Buffer.poolSize)
  expect(stored.content.equals(encoded)).toBe(true)
  expect(stored.content.buffer.byteLength).toBe(encoded.length)
})
