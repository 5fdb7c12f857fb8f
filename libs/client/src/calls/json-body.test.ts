import { afterEach, expect, test } from '@jest/globals'
import { type Binary, serialize } from './json-body.ts'

const { Request: OriginalRequest } = globalThis
afterEach(() => {
  globalThis.Request = OriginalRequest
})

async function textOf(value: unknown): Promise<string> {
  const { body } = await serialize(value).create()
  return new Response(body).text()
}

const bytes = Uint8Array.from({ length: 100_003 }, (_, index) => (index * 7 + (index >> 8)) & 255)
const base64 = Buffer.from(bytes).toString('base64')

test('serialize: without bytes, is JSON', async () => {
  const value = { a: [1, null, 'ü"'], b: undefined, date: new Date(0) }
  expect(await textOf(value)).toBe(JSON.stringify(value))
})

test.each<[string, () => Binary]>([
  ['a Blob', () => new Blob([bytes])],
  ['a Uint8Array', () => bytes],
  ['a Buffer', () => Buffer.from(bytes)],
  ['a stream', () => new Blob([bytes]).stream()],
  ['a stream with small chunks', () => streamOf([...chunks(bytes, 7_001)])],
])('serialize: %s is encoded in base64', async (_name, create) => {
  const text = await textOf({ path: 'INBOX', raw: create(), list: [{ content: create() }] })
  expect(JSON.parse(text)).toEqual({ path: 'INBOX', raw: base64, list: [{ content: base64 }] })
})

test('serialize: empty bytes are an empty text', async () => {
  expect(await textOf({ raw: new Uint8Array(0) })).toBe('{"raw":""}')
})

test('serialize: bytes are encoded again for each attempt, a stream is not', async () => {
  const body = serialize({ raw: new Blob([bytes]) })
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { body: stream } = await body.create()
    expect(await new Response(stream).text()).toBe(`{"raw":"${base64}"}`)
  }
  expect(body.isOneShot).toBe(false)
  expect(serialize({ raw: new Blob([bytes]).stream() }).isOneShot).toBe(true)
})

test('serialize: where requests cannot be streams, the body is a Blob', async () => {
  // Browsers without streams in requests do not read the option `duplex`.
  globalThis.Request = class extends OriginalRequest {
    constructor(url: string) {
      super(url)
    }
  } as typeof Request
  const { body } = await serialize({ raw: bytes }).create()
  expect(body).toBeInstanceOf(Blob)
  expect(await (body as Blob).text()).toBe(`{"raw":"${base64}"}`)
})

function* chunks(whole: Uint8Array, length: number) {
  for (let at = 0; at < whole.length; at += length) yield whole.subarray(at, at + length)
}

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const iterator = parts.values()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
