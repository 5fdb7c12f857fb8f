import { expect, test } from '@jest/globals'
import {
  type HeaderOwner,
  isHeaderSealed,
  keyIdOfHeader,
  unsealHeader,
  resealHeader,
  sealHeaders,
} from './headers.ts'
import { keyPairFromSecret } from './keys.ts'
import { createUnsealer, createResealer, createSealer } from './seal.ts'

const { privateKey, publicKey } = keyPairFromSecret('correct horse battery staple')
const sealer = createSealer(publicKey)
const unsealer = createUnsealer([privateKey])
const owner = 'account/a'

async function sealOne(key: string, value: string, of: HeaderOwner = owner) {
  const [sealed] = await sealHeaders([{ key, value }], of, sealer)
  return sealed?.value ?? ''
}

test.each(['Bearer secret', 'grüße', 'sealed~secret', ' '])(
  'sealHeaders: %j is sealed and unsealed',
  async (value) => {
    const sealed = await sealOne('Authorization', value)
    expect(sealed).toMatch(/^sealed~[\w.-]+$/)
    expect([isHeaderSealed(value), isHeaderSealed(sealed)]).toEqual([false, true])
    expect([keyIdOfHeader(value), keyIdOfHeader(sealed)]).toEqual(['clear', publicKey.id])
    expect(await unsealHeader({ owner, key: 'authorization', value: sealed }, unsealer)).toBe(value)
    expect(await sealOne('Authorization', sealed)).toBe(sealed)
  },
)

test('unsealHeader: an empty and a plaintext value stay unchanged', async () => {
  expect(await sealOne('X-Empty', '')).toBe('')
  expect(keyIdOfHeader('')).toBeUndefined()
  expect(await unsealHeader({ owner, key: 'X', value: 'clear' }, unsealer)).toBe('clear')
})

test.each<[HeaderOwner, string]>([
  ['account/b', 'Authorization'],
  ['route/a', 'Authorization'],
  ['settings', 'Authorization'],
  ['account/a', 'X-Echo'],
])('unsealHeader: a value moved to owner %s, name %s is rejected', async (other, key) => {
  const value = await sealOne('Authorization', 'secret')
  await expect(unsealHeader({ owner: other, key, value }, unsealer)).rejects.toThrow(
    'cannot be unsealed',
  )
})

test('sealHeaders: no account id leads to the context of another owner', async () => {
  const value = await sealOne('c', 'secret', 'account/a/b')
  await expect(unsealHeader({ owner, key: 'b/c', value }, unsealer)).rejects.toThrow(
    'cannot be unsealed',
  )
})

test('resealHeader: uses the newest key, also for plaintext, and keeps values that use it', async () => {
  const next = keyPairFromSecret('the next one')
  const resealer = createResealer(next.publicKey, [next.privateKey, privateKey])
  for (const value of ['secret', await sealOne('X-Key', 'secret')]) {
    const header = await resealHeader({ key: 'X-Key', value }, owner, resealer)
    expect(keyIdOfHeader(header.value)).toBe(next.publicKey.id)
    expect(await unsealHeader({ owner, ...header }, createUnsealer([next.privateKey]))).toBe(
      'secret',
    )
    expect(await resealHeader(header, owner, resealer)).toEqual(header)
  }
})
