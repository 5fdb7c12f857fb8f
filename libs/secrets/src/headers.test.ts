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
const opener = createUnsealer([privateKey])
const owner = 'account/a'

async function sealOne(key: string, value: string, of: HeaderOwner = owner) {
  const [sealed] = await sealHeaders([{ key, value }], of, sealer)
  return sealed?.value ?? ''
}

test.each(['Bearer secret', 'grüße', 'sealed~secret', ' '])(
  '%j is sealed and opened',
  async (value) => {
    const sealed = await sealOne('Authorization', value)
    expect(sealed).toMatch(/^sealed~[\w.-]+$/)
    expect([isHeaderSealed(value), isHeaderSealed(sealed)]).toEqual([false, true])
    expect([keyIdOfHeader(value), keyIdOfHeader(sealed)]).toEqual(['clear', publicKey.id])
    expect(await unsealHeader({ owner, key: 'authorization', value: sealed }, opener)).toBe(value)
    expect(await sealOne('Authorization', sealed)).toBe(sealed)
  },
)

test('an empty value has nothing to hide, and one in the clear opens as it is', async () => {
  expect(await sealOne('X-Empty', '')).toBe('')
  expect(keyIdOfHeader('')).toBeUndefined()
  expect(await unsealHeader({ owner, key: 'X', value: 'clear' }, opener)).toBe('clear')
})

test.each<[HeaderOwner, string]>([
  ['account/b', 'Authorization'],
  ['route/a', 'Authorization'],
  ['settings', 'Authorization'],
  ['account/a', 'X-Echo'],
])('among the headers of %s as %s it does not open', async (other, key) => {
  const value = await sealOne('Authorization', 'secret')
  await expect(unsealHeader({ owner: other, key, value }, opener)).rejects.toThrow(
    'cannot be opened',
  )
})

test('no account can be named so that it is taken for another place', async () => {
  const value = await sealOne('c', 'secret', 'account/a/b')
  await expect(unsealHeader({ owner, key: 'b/c', value }, opener)).rejects.toThrow(
    'cannot be opened',
  )
})

test('sealed anew it hangs on the newest key, also when it was in the clear, and one that does already stays', async () => {
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
