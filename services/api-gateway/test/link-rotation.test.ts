import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { createSealer, createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { rotateLinkSecret } from '../src/rotate-link-secret.ts'
import { type TestGateway, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { privateKey, publicKey } = keyPairFromSecret(env.SVC_SECRET)
const unsealer = createUnsealer([privateKey])
const running = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

/** All secrets that sign links such as unsubscribe links, the current secret first. */
async function storedSecrets(): Promise<string[]> {
  const rows = await db
    .selectFrom('sealedSettings')
    .select(['key', 'sealed'])
    .where('key', 'like', 'linkSecret%')
    .orderBy('key')
    .execute()
  return Promise.all(rows.map(({ sealed }) => unsealer.unseal(sealed, 'settings/linkSecret')))
}

await bus.serve({
  queue: 'credentials',
  keys: ['credentials'],
  handlers: [
    on(getLinkSecret, async () => {
      const [linkSecret = '', ...previous] = await storedSecrets()
      return { linkSecret, previous }
    }),
  ],
})
await running.call('POST', '/v1/settings', { body: { serviceUrl: running.url } })

const createLink = ({ call }: TestGateway) =>
  eventually(async () => {
    const body = { redirectUrl: 'https://app.example/' }
    const answer = await call('POST', '/v1/authentication/form', { body })
    expect(answer.status).toBe(200)
    return new URL(String(answer.body['url']))
  })
const keyIdOf = (link: URL) => link.searchParams.get('sig')?.split('.')[0]
const statusAt = async (gateway: TestGateway, link: URL) =>
  (await fetch(`${gateway.url}${link.pathname}${link.search}`)).status

test('rotateLinkSecret: links of both secrets are valid on old and new replicas', async () => {
  const before = await createLink(running)
  await rotateLinkSecret({ db, sealer: createSealer(publicKey) })
  expect(await storedSecrets()).toHaveLength(2)
  const started = await servers.start()
  const after = await createLink(started)
  expect(keyIdOf(after)).not.toBe(keyIdOf(before))
  for (const gateway of [running, started])
    for (const link of [before, after]) expect(await statusAt(gateway, link)).toBe(200)
  expect(keyIdOf(await createLink(running))).toBe(keyIdOf(after))
})

test('rotateLinkSecret: a second rotation, keeps all earlier secrets', async () => {
  const [current] = await storedSecrets()
  await rotateLinkSecret({ db, sealer: createSealer(publicKey) })
  const secrets = await storedSecrets()
  expect(secrets).toHaveLength(3)
  expect(secrets.indexOf(current ?? '')).toBeGreaterThan(0)
})
