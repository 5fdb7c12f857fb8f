import { expect, test } from '@jest/globals'
import { LinkKey } from './link-key.ts'
import { cacheLinkKeys, type LinkSecrets } from './link-keyring.ts'
import { linkTo, readLink } from './signed-link.ts'

const secrets = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32)) as [string, string, string]
const [first, second, third] = secrets
const link = { act: 'open', acc: 'a', msg: 'm' } as const
const keyOf = (secret: string) => new LinkKey(Buffer.from(secret, 'hex'))

function signedBy(secret: string) {
  const { searchParams } = new URL(linkTo('https://mail.example', keyOf(secret), link) ?? '')
  return { data: searchParams.get('data') ?? '', sig: searchParams.get('sig') ?? '' }
}

/** Keyring over changeable secrets, which counts its requests. */
function keyring(stored: LinkSecrets) {
  const state = { stored, requests: 0, now: 0 }
  const fetchSecrets = async () => {
    state.requests += 1
    return state.stored
  }
  const keys = cacheLinkKeys(fetchSecrets, { clock: () => state.now })
  const read = async (secret: string) => {
    const parts = signedBy(secret)
    return readLink(await keys.candidates(parts.sig), 'open', parts)?.link
  }
  return { state, keys, read }
}

test('cacheLinkKeys: links of current and previous secrets, are valid', async () => {
  const { keys, read, state } = keyring({ linkSecret: second, previous: [first] })
  expect((await keys.current()).id).toBe(keyOf(second).id)
  expect([await read(first), await read(second), await read(third)]).toEqual([
    link,
    link,
    undefined,
  ])
  expect(state.requests).toBe(2)
})

test('cacheLinkKeys: link of a secret that another replica uses already, is valid', async () => {
  const { keys, read, state } = keyring({ linkSecret: first })
  expect(await read(first)).toEqual(link)
  state.stored = { linkSecret: second, previous: [first] }
  expect(await read(second)).toEqual(link)
  expect((await keys.current()).id).toBe(keyOf(second).id)
})

test('cacheLinkKeys: 100 unknown key ids within a second, cause one request', async () => {
  const { keys, read, state } = keyring({ linkSecret: first })
  await keys.current()
  await Promise.all(Array.from({ length: 100 }, () => read(third)))
  await read(second)
  expect(state.requests).toBe(2)
  state.now += 1_000
  await read(second)
  expect(state.requests).toBe(3)
})

test('cacheLinkKeys: failed request, is repeated by the next caller', async () => {
  let fails = true
  const keys = cacheLinkKeys(async () => {
    if (fails) throw new Error('unavailable')
    return { linkSecret: first }
  })
  await expect(keys.current()).rejects.toThrow('unavailable')
  fails = false
  expect((await keys.current()).id).toBe(keyOf(first).id)
})
