import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LinkKey } from './link-key.ts'
import {
  linkTo,
  maxDataLength,
  placeholderLink,
  readLink,
  type SignedLink,
  type SignedParts,
} from './signed-link.ts'

const secret = Buffer.alloc(32, 7)
const key = new LinkKey(secret)
const other = new LinkKey(Buffer.alloc(32, 8))
const base = 'https://mail.example'
const acts = ['open', 'click', 'unsub', 'form'] as const
const text = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((part) => part.isWellFormed())
const links: fc.Arbitrary<SignedLink> = fc.oneof(
  fc.record({ act: fc.constant('open' as const), acc: text, msg: text }),
  fc.record({ act: fc.constant('click' as const), acc: text, msg: text, url: text }),
  fc.record({ act: fc.constant('unsub' as const), acc: text, list: text, rcpt: text, msg: text }),
  fc.record({ act: fc.constant('form' as const), n: text }),
)

function parts(address: string | undefined): SignedParts {
  const { searchParams } = new URL(address ?? '')
  return { data: searchParams.get('data') ?? '', sig: searchParams.get('sig') ?? '' }
}

/** Query parameters of a signed link as earlier releases made links. */
function signedBefore(content: string): SignedParts {
  const data = Buffer.from(content).toString('base64url')
  return { data, sig: createHmac('sha256', secret).update(data).digest('base64url') }
}

/** Reads a signed link as each kind of link. Returns the contents that are accepted. */
const readAll = (signed: SignedParts, keys: readonly LinkKey[] = [key]) =>
  acts.flatMap((act) => readLink(keys, act, signed)?.link ?? [])

test('readLink: link of linkTo, is read as its kind only', () => {
  fc.assert(
    fc.property(links, (link) => {
      const read = readAll(parts(linkTo(base, key, link)), [other, key])
      expect(read).toEqual([link])
    }),
  )
})

test('readLink: link of the format without key ids, is valid', () => {
  fc.assert(
    fc.property(links, (link) => {
      const signed = signedBefore(JSON.stringify(link))
      expect(readAll(signed, [other, key])).toEqual([link])
      expect(readAll(signed, [other])).toEqual([])
    }),
  )
})

test('readLink: signature by the key of another purpose, is invalid', () => {
  const { data } = parts(linkTo(base, key, { act: 'open', acc: 'a', msg: 'm' }))
  for (const signing of [secret, key.derive('sign click'), key.derive('encrypt unsub')]) {
    const mac = createHmac('sha256', signing).update(data).digest('base64url')
    expect(readAll({ data, sig: `${key.id}.${mac}` })).toEqual([])
  }
})

test('readLink: signature that names another key, is invalid', () => {
  const { data, sig } = parts(linkTo(base, key, { act: 'open', acc: 'a', msg: 'm' }))
  const renamed = sig.replace(key.id, other.id)
  expect(readAll({ data, sig: renamed }, [key, other])).toEqual([])
})

test('linkTo: list link, reveals nothing and differs for equal contents', () => {
  const link = { act: 'unsub', acc: 'me', list: 'news', rcpt: 'ann@x.example' } as const
  const [first, second] = [linkTo(base, key, link), linkTo(base, key, link)].map(parts)
  expect(first?.data).not.toBe(second?.data)
  const bytes = Buffer.from(first?.data ?? '', 'base64url').toString('latin1')
  expect(bytes).not.toMatch(/ann@|news|unsub/)
})

test('placeholderLink: is no valid link', () => {
  for (const act of acts) expect(readAll(parts(placeholderLink(base, act)))).toEqual([])
})

test('readLink: with any character changed, returns undefined', () => {
  const { data, sig } = parts(
    linkTo(base, key, { act: 'click', acc: 'a', msg: '<m@x>', url: 'https://a.example' }),
  )
  const another = (character: string) => (character === 'A' ? 'B' : 'A')
  for (let at = 0; at < data.length; at += 1) {
    const changed = data.slice(0, at) + another(data[at] ?? '') + data.slice(at + 1)
    expect(readLink([key], 'click', { data: changed, sig })).toBeUndefined()
  }
  for (let at = 0; at < sig.length; at += 1) {
    const changed = sig.slice(0, at) + another(sig[at] ?? '') + sig.slice(at + 1)
    expect(readLink([key], 'click', { data, sig: changed })).toBeUndefined()
  }
  expect(readLink([other], 'click', { data, sig })).toBeUndefined()
})

test('readLink: foreign input returns undefined', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (data, sig) => {
      expect(readAll({ data, sig })).toEqual([])
      expect(readAll({ data, sig: 'ä'.repeat(43) })).toEqual([])
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
])('readLink: with a valid signature but %s, returns undefined', (_case, content) => {
  const { data, sig } = signedBefore(content)
  expect(readAll({ data, sig })).toEqual([])
  for (const act of acts) {
    const mac = createHmac('sha256', key.derive(`sign ${act}`))
      .update(data)
      .digest('base64url')
    expect(readAll({ data, sig: `${key.id}.${mac}` })).toEqual([])
  }
})

test('linkTo: returns undefined for an overlong link', () => {
  const link = { act: 'click', acc: 'a', msg: 'm', url: `https://a.example/${'x'.repeat(6_000)}` }
  expect(linkTo(base, key, link as SignedLink)).toBeUndefined()
  expect(readAll({ data: 'x'.repeat(maxDataLength + 1), sig: 'x'.repeat(43) })).toEqual([])
})

test('linkTo: keeps the path of the base URL, drops query and fragment', () => {
  const link = { act: 'open', acc: 'a', msg: 'm' } as const
  expect(linkTo('https://mail.example/mail/?a="#b', key, link)).toMatch(
    /^https:\/\/mail\.example\/mail\/open\.gif\?data=[\w-]+&sig=[\w-]{8}\.[\w-]{43}$/,
  )
})
