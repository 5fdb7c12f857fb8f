import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { linkTo, maxDataLength, readLink, type SignedLink } from './signed-link.ts'

const key = Buffer.alloc(32, 7)
const base = 'https://mail.example'
const text = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((part) => part.isWellFormed())
const links: fc.Arbitrary<SignedLink> = fc.oneof(
  fc.record({ act: fc.constant('open' as const), acc: text, msg: text }),
  fc.record({ act: fc.constant('click' as const), acc: text, msg: text, url: text }),
  fc.record({ act: fc.constant('unsub' as const), acc: text, list: text, rcpt: text, msg: text }),
  fc.record({ act: fc.constant('form' as const), n: text }),
)

function parts(address: string | undefined) {
  const { searchParams } = new URL(address ?? '')
  return { data: searchParams.get('data') ?? '', sig: searchParams.get('sig') ?? '' }
}

test('readLink: returns what linkTo has signed', () => {
  fc.assert(
    fc.property(links, (link) => {
      expect(readLink(key, parts(linkTo(base, key, link)))).toEqual(link)
    }),
  )
})

test('readLink: with any character changed, returns undefined', () => {
  const { data, sig } = parts(
    linkTo(base, key, { act: 'click', acc: 'a', msg: '<m@x>', url: 'https://a.example' }),
  )
  const other = (character: string) => (character === 'A' ? 'B' : 'A')
  for (let at = 0; at < data.length; at += 1) {
    const changed = data.slice(0, at) + other(data[at] ?? '') + data.slice(at + 1)
    expect(readLink(key, { data: changed, sig })).toBeUndefined()
  }
  for (let at = 0; at < sig.length; at += 1) {
    const changed = sig.slice(0, at) + other(sig[at] ?? '') + sig.slice(at + 1)
    expect(readLink(key, { data, sig: changed })).toBeUndefined()
  }
  expect(readLink(Buffer.alloc(32, 8), { data, sig })).toBeUndefined()
})

test('readLink: foreign input returns undefined', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (data, sig) => {
      expect(readLink(key, { data, sig })).toBeUndefined()
      expect(readLink(key, { data, sig: 'ä'.repeat(43) })).toBeUndefined()
    }),
  )
})

test.each([
  ['no JSON', 'x'],
  ['no object', '[]'],
  ['an act that is unknown', '{"act":"delete","acc":"a","msg":"m"}'],
  ['an act of every object', '{"act":"constructor","acc":"a"}'],
  ['a member that is no text', '{"act":"open","acc":1,"msg":"m"}'],
  ['nothing', 'null'],
])('readLink: with a valid signature but %s, returns undefined', async (_case, content) => {
  const { createHmac } = await import('node:crypto')
  const data = Buffer.from(content).toString('base64url')
  const sig = createHmac('sha256', key).update(data).digest('base64url')
  expect(readLink(key, { data, sig })).toBeUndefined()
})

test('linkTo: returns undefined for an overlong link', () => {
  const link = { act: 'click', acc: 'a', msg: 'm', url: `https://a.example/${'x'.repeat(6_000)}` }
  expect(linkTo(base, key, link as SignedLink)).toBeUndefined()
  expect(readLink(key, { data: 'x'.repeat(maxDataLength + 1), sig: 'x'.repeat(43) })).toBe(
    undefined,
  )
})

test('linkTo: keeps the path of the base URL, drops query and fragment', () => {
  const link = { act: 'open', acc: 'a', msg: 'm' } as const
  expect(linkTo('https://mail.example/mail/?a="#b', key, link)).toMatch(
    /^https:\/\/mail\.example\/mail\/open\.gif\?data=[\w-]+&sig=[\w-]{43}$/,
  )
})
