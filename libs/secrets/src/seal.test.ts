import { expect, test } from '@jest/globals'
import { keyPairFromSecret, readPublicKey } from './keys.ts'
import { createUnsealer, createResealer, createSealer, keyIdOf } from './seal.ts'

const { privateKey, publicKey } = keyPairFromSecret('correct horse battery staple')
const unsealer = createUnsealer([privateKey])

test('createUnsealer: unseals what the public key has sealed', async () => {
  const sealed = await createSealer(readPublicKey(publicKey.text)).seal(
    'pass wörd',
    'credentials/a/imap',
  )
  expect(sealed).not.toContain('pass')
  expect(await unsealer.unseal(sealed, 'credentials/a/imap')).toBe('pass wörd')
})

test('createUnsealer: rejects a value sealed for another account', async () => {
  const sealed = await createSealer(publicKey).seal('secret', 'credentials/a/imap')
  await expect(unsealer.unseal(sealed, 'credentials/b/imap')).rejects.toThrow('cannot be unsealed')
})

test('createUnsealer: rejects a changed value and a foreign key', async () => {
  const sealed = await createSealer(publicKey).seal('secret', 'x')
  const parts = sealed.split('.')
  const text = parts[3] ?? ''
  parts[3] = (text[0] === 'A' ? 'B' : 'A') + text.slice(1)
  await expect(unsealer.unseal(parts.join('.'), 'x')).rejects.toThrow('cannot be unsealed')
  const stranger = createUnsealer([keyPairFromSecret('another').privateKey])
  await expect(stranger.unseal(sealed, 'x')).rejects.toThrow('cannot be unsealed')
})

test('createUnsealer: after a rotation, unseals values of both keys', async () => {
  const next = keyPairFromSecret('the next one')
  const both = createUnsealer([next.privateKey, privateKey])
  expect(await both.unseal(await createSealer(publicKey).seal('old', 'x'), 'x')).toBe('old')
  expect(await both.unseal(await createSealer(next.publicKey).seal('new', 'x'), 'x')).toBe('new')
})

test('createResealer: resealed values need the new key only and keep their context', async () => {
  const next = keyPairFromSecret('the next one')
  const resealer = createResealer(next.publicKey, [next.privateKey, privateKey])
  const old = await createSealer(publicKey).seal('secret', 'credentials/a/imap')
  const sealed = await resealer.reseal(old)
  expect([keyIdOf(old), keyIdOf(sealed)]).toEqual([publicKey.id, next.publicKey.id])
  const alone = createUnsealer([next.privateKey])
  expect(await alone.unseal(sealed, 'credentials/a/imap')).toBe('secret')
  await expect(alone.unseal(sealed, 'credentials/b/imap')).rejects.toThrow('cannot be unsealed')
  const foreign = await createSealer(keyPairFromSecret('another').publicKey).seal('x', 'y')
  await expect(resealer.reseal(foreign)).rejects.toThrow('cannot be unsealed')
  expect(keyIdOf('no sealed value')).toBeUndefined()
})
