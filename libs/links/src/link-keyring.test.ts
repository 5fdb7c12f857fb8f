import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { LinkKey } from './link-key.ts'
import { cacheLinkKeys, type LinkSecrets } from './link-keyring.ts'
import { linkTo, type SignedParts } from './signed-link.ts'

const secrets = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32)) as [string, string, string]
const [first, second, third] = secrets
const link = { act: 'open', acc: 'a', msg: 'm' } as const
const keyOf = (secret: string) => new LinkKey(Buffer.from(secret, 'hex'))

function signedBy(secret: string) {
  const { searchParams } = new URL(linkTo('https://mail.example', keyOf(secret), link) ?? '')
  return { data: searchParams.get('data') ?? '', sig: searchParams.get('sig') ?? '' }
}

/** Keyring for signed links with changeable secrets, which counts its requests for secrets. */
function keyring(stored: LinkSecrets) {
  const state = { stored, requests: 0, now: 0 }
  const fetchSecrets = async () => {
    state.requests += 1
    return state.stored
  }
  const keys = cacheLinkKeys(fetchSecrets, { clock: () => state.now })
  const read = async (secret: string) => (await keys.read('open', signedBy(secret)))?.link
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

test('cacheLinkKeys: unknown signatures during an outage, cause one request per second', async () => {
  const state = { fails: false, requests: 0, now: 0 }
  const fetchSecrets = async () => {
    state.requests += 1
    if (state.fails) throw new Error('unavailable')
    return { linkSecret: first }
  }
  const keys = cacheLinkKeys(fetchSecrets, { clock: () => state.now })
  await keys.current()
  state.fails = true
  const unknown = () => keys.read('open', signedBy(second))
  for (let n = 0; n < 10; n += 1) await expect(unknown()).rejects.toThrow('unavailable')
  expect(state.requests).toBe(2)
  // Links that were signed with cached keys stay valid during an outage.
  expect((await keys.read('open', signedBy(first)))?.link).toEqual(link)
  state.now += 1_000
  await expect(unknown()).rejects.toThrow('unavailable')
  expect(state.requests).toBe(3)
  state.fails = false
  state.now += 1_000
  expect(await unknown()).toBeUndefined()
  expect(state.requests).toBe(4)
})

const imported = 'secret of EmailEngine'
const importedHex = Buffer.from(imported).toString('hex')

/** Query parameters of an EmailEngine link for open tracking. */
function signedByEmailEngine(secret = imported): SignedParts {
  const json = JSON.stringify(link)
  const sig = createHmac('sha256', secret).update(json).digest('base64url')
  return { data: Buffer.from(json).toString('base64url'), sig }
}

test('cacheLinkKeys: link of a secret that another replica has imported, is valid', async () => {
  const { keys, state } = keyring({ linkSecret: first })
  expect(await keys.read('open', signedByEmailEngine())).toBeUndefined()
  state.stored = { linkSecret: first, imported: [importedHex] }
  state.now += 1_000
  expect(await keys.read('open', signedByEmailEngine())).toEqual({ link })
  expect((await keys.current()).id).toBe(keyOf(first).id)
  const { requests } = state
  await keys.read('open', signedByEmailEngine())
  expect(state.requests).toBe(requests)
})

test('cacheLinkKeys: 100 unknown signatures without key ids, cause one request', async () => {
  const { keys, state } = keyring({ linkSecret: first, imported: [importedHex] })
  await keys.current()
  const unknown = Array.from({ length: 100 }, (_, n) => signedByEmailEngine(String(n)))
  const links = await Promise.all(unknown.map((parts) => keys.read('open', parts)))
  expect(links.every((read) => read === undefined)).toBe(true)
  expect(state.requests).toBe(2)
})

test('cacheLinkKeys: malformed signatures, cause no request', async () => {
  const { keys, state } = keyring({ linkSecret: first })
  for (const sig of ['', 'x', 'A'.repeat(44), `${'A'.repeat(8)}.x`])
    expect(await keys.read('open', { data: 'x', sig })).toBeUndefined()
  expect(state.requests).toBe(0)
})

test('LinkKeys.identifyImport: one id per secret, also after a rotation, none if stored', async () => {
  const { keys, state } = keyring({ linkSecret: first })
  const identify = (secret: string) => keys.identifyImport(Buffer.from(secret))
  const id = await identify(imported)
  expect(id).toMatch(/^[\w-]{43}$/)
  expect(await identify('another secret')).not.toBe(id)
  state.stored = { linkSecret: second, previous: [first] }
  expect(await identify(imported)).toBe(id)
  // The id of an imported secret cannot be computed without the link secret.
  state.stored = { linkSecret: second }
  expect(await identify(imported)).not.toBe(id)
  state.stored = { linkSecret: first, imported: [importedHex] }
  expect(await identify(imported)).toBeUndefined()
})
