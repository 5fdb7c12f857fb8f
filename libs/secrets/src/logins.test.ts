import { expect, test } from '@jest/globals'
import { keyPairFromSecret } from './keys.ts'
import { isLoginSealed, keyIdOfLogin, unsealLogin, resealLogin, sealLogin } from './logins.ts'
import { createUnsealer, createResealer, createSealer } from './seal.ts'

const { privateKey, publicKey } = keyPairFromSecret('correct horse battery staple')
const sealer = createSealer(publicKey)
const unsealer = createUnsealer([privateKey])

test.each([
  ['a password', 'https://user:pass@h.example/in?x=1#y', 'https://user:sealed~'],
  [
    'characters that are escaped',
    'https://us%40er:p%C3%A4%40ss%25@h.example/',
    'https://us%40er:sealed~',
  ],
  [
    'a user without a password, which is an API key',
    'https://pass@h.example:8443/in',
    'https://sealed~',
  ],
  ['a password without a user', 'https://:pass@h.example/in', 'https://:sealed~'],
  ['a proxy', 'socks5://user:pass@[2001:db8::1]:1080', 'socks5://user:sealed~'],
  [
    'a plaintext password with the prefix of sealed ones',
    'http://u:sealed~pass@h.example/',
    'http://u:sealed~ey',
  ],
])('sealLogin: %s is sealed and unsealed', async (_name, address, begins) => {
  const sealed = await sealLogin(address, sealer)
  expect(sealed.startsWith(begins)).toBe(true)
  expect(sealed).not.toContain('pass')
  expect(new URL(sealed).host).toBe(new URL(address).host)
  expect([isLoginSealed(address), isLoginSealed(sealed)]).toEqual([false, true])
  expect([keyIdOfLogin(address), keyIdOfLogin(sealed)]).toEqual(['clear', publicKey.id])
  expect(await sealLogin(sealed, sealer)).toBe(sealed)
  expect(await unsealLogin(sealed, unsealer)).toBe(new URL(address).href)
})

test.each(['https://h.example/in?sealed~x', 'nonsense', ''])(
  'sealLogin and unsealLogin: URL without a login %j, is returned unchanged',
  async (address) => {
    expect(await sealLogin(address, sealer)).toBe(address)
    expect(await unsealLogin(address, unsealer)).toBe(address)
    expect([isLoginSealed(address), keyIdOfLogin(address)]).toEqual([false, undefined])
  },
)

test('unsealLogin: a plaintext login stays unchanged', async () => {
  expect(await unsealLogin('https://u:p@h.example', unsealer)).toBe('https://u:p@h.example')
})

test.each([
  ['https://h.example/', 'https://evil.example/'],
  ['https://h.example/', 'http://h.example/'],
  ['https://h.example/', 'https://h.example:8443/'],
])('unsealLogin: a login sealed for %s is rejected for %s', async (own, other) => {
  const sealed = new URL(await sealLogin(own.replace('://', '://u:p@'), sealer))
  const moved = new URL(other)
  moved.username = sealed.username
  moved.password = sealed.password
  await expect(unsealLogin(moved.href, unsealer)).rejects.toThrow('cannot be unsealed')
})

test('resealLogin: uses the newest key, also for plaintext', async () => {
  const next = keyPairFromSecret('the next one')
  const resealer = createResealer(next.publicKey, [next.privateKey, privateKey])
  for (const address of [
    'http://u:p@h.example/',
    await sealLogin('http://u:p@h.example/', sealer),
  ]) {
    const sealed = await resealLogin(address, resealer)
    expect(keyIdOfLogin(sealed)).toBe(next.publicKey.id)
    expect(await unsealLogin(sealed, createUnsealer([next.privateKey]))).toBe(
      'http://u:p@h.example/',
    )
  }
})
