import { expect, test } from '@jest/globals'
import { array, assert, asyncProperty, constantFrom, integer, oneof, uint8Array } from 'fast-check'
import { decodeBytes, decodeTransferEncoding, takeBytes } from './decode.ts'

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

async function decode(text: string, encoding: string, size = 7): Promise<string> {
  return (
    await read(decodeTransferEncoding(pieces(Buffer.from(text, 'latin1'), size), encoding))
  ).toString('latin1')
}

function inLines(text: string): string {
  return text.replaceAll(/.{1,76}/g, '$&\r\n')
}

test('decodeTransferEncoding: base64 in chunks of any size, is decoded', async () => {
  await assert(
    asyncProperty(
      uint8Array({ maxLength: 300 }),
      integer({ min: 1, max: 90 }),
      async (bytes, size) => {
        const text = inLines(Buffer.from(bytes).toString('base64'))
        expect(
          await read(decodeTransferEncoding(pieces(Buffer.from(text), size), 'BASE64')),
        ).toEqual(Buffer.from(bytes))
      },
    ),
  )
})

test('decodeTransferEncoding: concatenated base64 and foreign characters, are decoded', async () => {
  expect(await decode('aGVs\r\nbG8=!IHdvcmxk', 'base64', 3)).toBe('hello world')
  expect(await decode('aGVsbG', 'base64')).toBe('hell')
  expect(await decode('====', 'base64')).toBe('')
})

test('decodeTransferEncoding: quoted-printable in chunks of any size, is decoded', async () => {
  await assert(
    asyncProperty(
      uint8Array({ maxLength: 300 }),
      integer({ min: 1, max: 90 }),
      async (bytes, size) => {
        const text = [...bytes]
          .map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`)
          .join('')
        const soft = text.replaceAll(/.{1,75}/g, '$&=\r\n')
        expect(
          await read(decodeTransferEncoding(pieces(Buffer.from(soft), size), 'quoted-printable')),
        ).toEqual(Buffer.from(bytes))
      },
    ),
  )
})

test('decodeTransferEncoding: quoted-printable in one chunk and in many, has the same result', async () => {
  const characters = constantFrom('=', ' ', '\t', '\r', '\n', 'A', '4', 'g', 'é')
  await assert(
    asyncProperty(
      array(characters, { maxLength: 40 }),
      integer({ min: 1, max: 5 }),
      async (list, size) => {
        const text = list.join('')
        expect(await decode(text, 'quoted-printable', size)).toBe(
          await decode(text, 'quoted-printable', 1_000),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  ['a=\r\nb', 'ab'],
  ['a= \t\r\nb', 'ab'],
  ['a=\nb', 'ab'],
  ['caf=e9 =C3=A9', 'caf\xe9 \xc3\xa9'],
  ['blank at the end  \r\nnext', 'blank at the end\r\nnext'],
  ['1 = 2', '1 = 2'],
  ['=ZZ =4', '=ZZ =4'],
  ['end =', 'end ='],
])('decodeTransferEncoding: quoted-printable %j', async (text, expected) => {
  expect(await decode(text, 'quoted-printable')).toBe(expected)
})

test('takeBytes: enough bytes, reads no further', async () => {
  let pulled = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      pulled++
      yield Buffer.alloc(10)
    }
  }
  expect(await read(takeBytes(endless(), 25))).toHaveLength(25)
  expect(pulled).toBe(3)
  expect(await read(takeBytes(endless(), 0))).toHaveLength(0)
})

test('decodeTransferEncoding: long run of blanks, takes linear time', async () => {
  const text = `${' '.repeat(2_000_000)}x${' '.repeat(1_000_000)}\r\n`
  expect(await decode(text, 'quoted-printable', 65_536)).toHaveLength(2_000_003)
})

/** Tokens of base64 texts: padding in the middle, the URL alphabet, and invalid characters. */
const base64Token = oneof(
  uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  uint8Array({ maxLength: 60 }).map((bytes) => inLines(Buffer.from(bytes).toString('base64'))),
  uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  constantFrom('=', '==', '\r\n', '\n', ' ', '\t', '-', '_', 'A', 'Ab', 'Abc', '\0', 'é', '!', '.'),
)
const quotedToken = oneof(
  constantFrom('=', '=\r\n', '= \r\n', '=C3=A4', '=c', '=0g', ' ', '\t', '\r\n', '\n', 'text', 'é'),
  uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)

test.each([
  ['base64', base64Token],
  ['Base64 ', base64Token],
  ['quoted-printable', quotedToken],
  ['8bit', quotedToken],
])('decodeBytes: %s, equals the decoded stream', async (encoding, token) => {
  await assert(
    asyncProperty(
      array(token, { maxLength: 12 }),
      integer({ min: 1, max: 90 }),
      async (tokens, size) => {
        const text = Buffer.from(tokens.join(''), 'latin1')
        const streamed = await read(decodeTransferEncoding(pieces(text, size), encoding))
        expect(decodeBytes(text, encoding)).toEqual(streamed)
      },
    ),
    { seed: 26, numRuns: 2_000 },
  )
})

test('decodeBytes: long texts without faults, are decoded', () => {
  const content = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 31) % 256))
  expect(decodeBytes(Buffer.from(inLines(content.toString('base64'))), 'base64')).toEqual(content)
  expect(decodeBytes(Buffer.from('a=3D=\r\nb  \r\n'), 'quoted-printable').toString()).toBe(
    'a=b\r\n',
  )
})
