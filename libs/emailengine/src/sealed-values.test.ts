import { describe, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { findSealedValues, ValueUnsealer } from './sealed-values.ts'

/**
 * Sample of EmailEngine's encryption: the text `password-1`, encrypted with the secret `test
 * secret` by the Python packages hashlib and cryptography.
 */
const sample =
  '$wd01$aes-256-gcm$1d920489440be1ea9b0da9710f9e83bc$000102030405060708090a0b$101112131415161718191a1b1c1d1e1f$1190f99e17d2a6710790'
const unsealer = () => new ValueUnsealer(new Secret('test secret'))

describe('ValueUnsealer: unseal', () => {
  test('decrypts a value of another implementation', async () => {
    expect(await unsealer().unseal(sample)).toBe('password-1')
  })

  test.each(['', 'plain', '$wd02$x', ' $wd01$', 'x$wd01$aes-256-gcm$'])(
    'returns the plaintext %p unchanged',
    async (text) => expect(await unsealer().unseal(text)).toBe(text),
  )

  test.each([
    ['another cipher', sample.replace('256-gcm', '256-cbc')],
    ['a changed tag', sample.replace(/gcm\$./, 'gcm$x')],
    ['changed data', `${sample.slice(0, -1)}${sample.endsWith('0') ? '1' : '0'}`],
    ['half a byte more', `${sample}0`],
    ['two values', `${sample}${sample}`],
    ['text after the value', `${sample} x`],
    ['no parts', '$wd01$'],
    ['empty parts', '$wd01$aes-256-gcm$$$$'],
  ])('with %s, returns undefined', async (_name, text) => {
    expect(await unsealer().unseal(text)).toBeUndefined()
  })

  test('without a secret, returns undefined', async () => {
    expect(await new ValueUnsealer().unseal(sample)).toBeUndefined()
  })

  test('derives the key of a salt once, also for concurrent calls', async () => {
    const shared = unsealer()
    await Promise.all(Array.from({ length: 200 }, () => shared.unseal(sample)))
    expect(shared.cachedKeys).toBe(1)
  })
})

describe('ValueUnsealer: unsealMembers', () => {
  test('decrypts the texts in objects and lists', async () => {
    const date = new Date(0)
    const value = { auth: { pass: sample, user: 'u' }, list: [sample, 1, null], date }
    expect(await unsealer().unsealMembers(value)).toEqual({
      auth: { pass: 'password-1', user: 'u' },
      list: ['password-1', 1, null],
      date,
    })
  })

  test('names the member that cannot be decrypted', async () => {
    const value = { auth: { pass: '$wd01$' } }
    await expect(unsealer().unsealMembers(value)).rejects.toThrow(
      'auth.pass cannot be decrypted with the secret',
    )
  })
})

test('findSealedValues: finds the values in a JSON text', () => {
  expect(findSealedValues(JSON.stringify([sample, 'x', { a: sample }]))).toEqual([sample, sample])
  expect(findSealedValues('$wd01$aes-256-gcm$00$00$00$00')).toEqual([])
})
