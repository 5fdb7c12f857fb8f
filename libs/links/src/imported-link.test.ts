import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readImportedLink } from './imported-link.ts'
import { LinkKey } from './link-key.ts'
import { linkTo, readLink, type SignedLink, type SignedParts } from './signed-link.ts'

const secret = 'päss phrase of EmailEngine'
const secrets = [Buffer.from('another secret'), Buffer.from(secret)]
const acts = ['open', 'click', 'unsub', 'form'] as const

/**
 * Query parameters of a signed link as EmailEngine makes links: the signature covers the JSON text.
 */
function signedByEmailEngine(content: object, key = secret): SignedParts {
  const json = JSON.stringify(content)
  const sig = createHmac('sha256', key).update(json).digest('base64url')
  return { data: Buffer.from(json).toString('base64url'), sig }
}

/**
 * Reads a signed link of EmailEngine as each kind of link. Returns the contents that are accepted.
 */
const readAll = (signed: SignedParts) =>
  acts.flatMap((act) => readImportedLink(secrets, act, signed) ?? [])

const links: Exclude<SignedLink, { act: 'form' }>[] = [
  { act: 'open', acc: 'ä', msg: '<1@mail.example>' },
  { act: 'click', acc: 'a', msg: '<1@mail.example>', url: 'https://shop.example/?a=1&b=ü' },
  { act: 'unsub', acc: 'a', list: 'news', rcpt: 'Ann@X.example', msg: '<1@mail.example>' },
  { act: 'unsub', acc: 'a', list: 'news', rcpt: 'ann@x.example' },
]

test.each(links)('readImportedLink: %j of EmailEngine, is read as its kind only', (link) => {
  expect(readAll(signedByEmailEngine(link))).toEqual([link])
})

test.each(links)('readImportedLink: %j with another signature, is invalid', (link) => {
  const { data, sig } = signedByEmailEngine(link)
  const overData = createHmac('sha256', secret).update(data).digest('base64url')
  const own = new LinkKey(Buffer.from(secret))
  const { searchParams } = new URL(linkTo('https://mail.example', own, link) ?? '')
  const ownSig = searchParams.get('sig') ?? ''
  const refused: SignedParts[] = [
    signedByEmailEngine(link, 'unknown secret'),
    { data, sig: overData },
    { data, sig: `${own.id}.${sig}` },
    { data: searchParams.get('data') ?? '', sig: ownSig },
    { data: `${data}AAAA`, sig },
    { data, sig: '' },
  ]
  for (const signed of refused) expect(readAll(signed)).toEqual([])
})

test('readImportedLink: link to the hosted form, is invalid', () => {
  expect(readAll(signedByEmailEngine({ act: 'form', n: 'nonce' }))).toEqual([])
})

test('readLink: link of EmailEngine that an own key signed, is invalid', () => {
  const key = new LinkKey(Buffer.from(secret))
  for (const link of links)
    expect(readLink([key], link.act, signedByEmailEngine(link))).toBeUndefined()
})

test('readImportedLink: longer than own links, is read up to 15,000 characters', () => {
  const click = { act: 'click', acc: 'a', msg: '<1@mail.example>' } as const
  const urlOf = (length: number) => `https://shop.example/?q=${'x'.repeat(length)}`
  const long = { ...click, url: urlOf(11_100) }
  const tooLong = signedByEmailEngine({ ...click, url: urlOf(11_200) })
  const signed = signedByEmailEngine(long)
  expect([signed.data.length > 14_800, signed.data.length <= 15_000]).toEqual([true, true])
  expect(readAll(signed)).toEqual([long])
  expect(tooLong.data.length).toBeGreaterThan(15_000)
  expect(readAll(tooLong)).toEqual([])
})

test('readImportedLink: foreign input returns undefined', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (data, sig) => {
      expect(readAll({ data, sig })).toEqual([])
      expect(
        readAll({ data, sig: createHmac('sha256', secret).update('').digest('base64url') }),
      ).toEqual([])
    }),
  )
})
