import { domainToASCII, domainToUnicode } from 'node:url'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addressKey } from './address-key.ts'

test.each([
  ['Eva@Mail.EXAMPLE', 'eva@mail.example'],
  ['x@müller.test', 'x@xn--mller-kva.test'],
  ['x@MU\u0308LLER.test', 'x@xn--mller-kva.test'],
  ['x@\u{11384}\u{113bb}.test', 'x@xn--uq1d.test'],
  ['x@XN--mller-KVA.test', 'x@xn--mller-kva.test'],
  ['x@straße.test', 'x@xn--strae-oqa.test'],
  ['x@例え.テスト', 'x@xn--r8jz45g.xn--zckzah'],
  ['J\u00d6rg@b.example', 'jörg@b.example'],
  ['jo\u0308rg@b.example', 'jörg@b.example'],
  ['J\u030ca@b.example', '\u01f0a@b.example'],
  ['"a@b"@c.example', '"a@b"@c.example'],
  ['x@[192.0.2.1]', 'x@[192.0.2.1]'],
  ['x@\u24880.test', 'x@1.0.test'],
  ['x@\u24880.0', 'x@1.0.0.0'],
  ['x@b.example/c', 'x@b.example/c'],
  ['x@%62.example', 'x@%62.example'],
])('addressKey: %s, is %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})

/** Arbitrary letter or digit of any script, for tests with email addresses. */
const letter = fc
  .integer({ min: 0x30, max: 0x1_f9ff })
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => /^[\p{L}\p{N}]$/u.test(character))
const label = fc.string({ unit: letter, minLength: 1, maxLength: 12 })
const addresses = fc.tuple(label, label, label).map(([local, a, b]) => ({
  local,
  domain: `${a}.${b}`,
}))

test('addressKey: the key of a key, is the key', () => {
  fc.assert(
    fc.property(addresses, ({ local, domain }) => {
      const key = addressKey(`${local}@${domain}`)
      expect(addressKey(key)).toBe(key)
    }),
  )
})

test('addressKey: Unicode and ASCII form of a domain, have one key', () => {
  fc.assert(
    fc.property(addresses, ({ local, domain }) => {
      const ascii = domainToASCII(domain.normalize('NFC'))
      fc.pre(ascii !== '')
      const keys = [domain, ascii, ascii.toUpperCase(), domainToUnicode(ascii)].map((spelling) =>
        addressKey(`${local}@${spelling}`),
      )
      expect(new Set(keys).size).toBe(1)
    }),
  )
})

test('addressKey: canonically equivalent addresses, have one key', () => {
  fc.assert(
    fc.property(addresses, ({ local, domain }) => {
      const address = `${local}@${domain}`
      expect(addressKey(address.normalize('NFD'))).toBe(addressKey(address))
    }),
  )
})
