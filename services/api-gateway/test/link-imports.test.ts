import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { createSealer, createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { rotateLinkSecret } from '../src/rotate-link-secret.ts'
import { registration, type TestGateway, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { privateKey, publicKey } = keyPairFromSecret(env.SVC_SECRET)
const unsealer = createUnsealer([privateKey])
const gateway = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

/**
 * Unsealed secrets by which links such as unsubscribe links are signed or verified, the current
 * secret first.
 */
async function storedSecrets(kind: 'linkSecret' | 'importedLinkKey'): Promise<string[]> {
  const rows = await db
    .selectFrom('sealedSettings')
    .select(['key', 'sealed'])
    .where('key', 'like', `${kind}%`)
    .orderBy('key')
    .execute()
  return Promise.all(rows.map(({ sealed }) => unsealer.unseal(sealed, `settings/${kind}`)))
}

await bus.serve({
  queue: 'credentials',
  keys: ['credentials'],
  handlers: [
    on(getLinkSecret, async () => {
      const [linkSecret = '', ...previous] = await storedSecrets('linkSecret')
      return { linkSecret, previous, imported: await storedSecrets('importedLinkKey') }
    }),
  ],
})
await gateway.call('POST', '/v1/account', { body: registration('acc') })

const serviceSecret = 'a cät'
const path = '/admin/api/linkKeyImports'
const importKey = (secret: string, { call }: TestGateway = gateway) =>
  call('POST', path, { body: { secret } })

const dryRun = (secret: string) => gateway.call('POST', path, { body: { secret, dryRun: true } })

/** Query of a link that EmailEngine signed: the signature covers the JSON text. */
function signed(content: object, secret = serviceSecret): string {
  const json = JSON.stringify(content)
  const sig = createHmac('sha256', secret).update(json).digest('base64url')
  return `?data=${Buffer.from(json).toString('base64url')}&sig=${sig}`
}

const msg = '<1@old.example>'
const unsubscribe = (rcpt: string) => signed({ act: 'unsub', acc: 'acc', list: 'news', rcpt, msg })
const request = (to: string, init: RequestInit = {}, { url }: TestGateway = gateway) =>
  fetch(`${url}${to}`, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0' }, ...init })
const statusOf = async (to: string, at?: TestGateway) => (await request(to, {}, at)).status

const links = {
  open: `/open.gif${signed({ act: 'open', acc: 'acc', msg })}`,
  click: `/redirect${signed({ act: 'click', url: 'https://a.example/?b=1', acc: 'acc', msg })}`,
  unsubscribe: `/unsubscribe${unsubscribe('ann@x.example')}`,
}

async function isBlocked(recipient: string): Promise<boolean> {
  const { body } = await gateway.call('GET', '/v1/blocklist/news')
  const { addresses = [] } = body as { addresses?: { recipient: string }[] }
  return addresses.some((entry) => entry.recipient === recipient)
}

const statuses = (at?: TestGateway) =>
  Promise.all(Object.values(links).map((link) => statusOf(link, at)))

test('importLinkKey: links of EmailEngine work at all replicas after the import only', async () => {
  expect(await statuses()).toEqual([403, 403, 403])
  expect((await dryRun(serviceSecret)).body).toEqual({ imported: true })
  expect(await storedSecrets('importedLinkKey')).toEqual([])
  const other = await servers.start()
  expect((await importKey(serviceSecret)).body).toEqual({ imported: true })
  expect(await statuses(other)).toEqual([200, 302, 200])
  await eventually(async () => expect(await statuses()).toEqual([200, 302, 200]))
  const click = await request(links.click)
  expect(click.headers.get('location')).toBe('https://a.example/?b=1')
  expect(await statusOf(`/redirect${new URL(links.open, other.url).search}`)).toBe(403)
  expect((await importKey(serviceSecret, other)).body).toEqual({ imported: false })
  expect((await dryRun(serviceSecret)).body).toEqual({ imported: false })
})

test('importLinkKey: opens are recorded, recipients can unsubscribe and subscribe again', async () => {
  const hits = () =>
    db.selectFrom('events').select('event').where('event', '=', 'trackOpen').execute()
  await request(links.open)
  await eventually(async () => expect(await hits()).not.toHaveLength(0))

  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  const oneClick = await request(`/unsubscribe${unsubscribe('Bob@X.example')}`, {
    method: 'POST',
    body,
  })
  expect(oneClick.status).toBe(200)
  expect(await isBlocked('bob@x.example')).toBe(true)

  const query = unsubscribe('cid@x.example')
  const page = await (await request(`/unsubscribe${query}`)).text()
  expect(page).toContain('action="unsubscribe/address?')
  const send = (action: string) =>
    request(`/unsubscribe/address${query}`, {
      method: 'POST',
      body: new URLSearchParams({ action }),
    })
  expect((await send('unsubscribe')).status).toBe(200)
  expect(await isBlocked('cid@x.example')).toBe(true)
  expect((await send('subscribe')).status).toBe(200)
  expect(await isBlocked('cid@x.example')).toBe(false)
})

test('importLinkKey: an imported secret never signs, and opens no hosted form', async () => {
  await gateway.call('POST', '/v1/settings', { body: { serviceUrl: gateway.url } })
  const form = { redirectUrl: 'https://app.example/' }
  const { body } = await gateway.call('POST', '/v1/authentication/form', { body: form })
  const link = new URL(String(body['url']))
  expect(await statusOf(`${link.pathname}${link.search}`)).toBe(200)
  const data = link.searchParams.get('data') ?? ''
  const content = JSON.parse(Buffer.from(data, 'base64url').toString()) as object
  expect(await statusOf(`/accounts/new${signed(content)}`)).toBe(403)
  const sig = createHmac('sha256', serviceSecret).update(data).digest('base64url')
  expect(await statusOf(`/accounts/new?data=${data}&sig=${sig}`)).toBe(403)
})

test('importLinkKey: links stay valid after rotations, a repeated import changes nothing', async () => {
  await rotateLinkSecret({ db, sealer: createSealer(publicKey) })
  const started = await servers.start()
  expect(await statuses(started)).toEqual([200, 302, 200])
  expect((await importKey(serviceSecret, started)).body).toEqual({ imported: false })
})

test('importLinkKey: concurrent imports of a secret, stored once and sealed', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => importKey('second')))
  expect(answers.filter(({ body }) => body['imported'] === true)).toHaveLength(1)
  expect(await storedSecrets('importedLinkKey')).toHaveLength(2)
  const rows = await db.selectFrom('sealedSettings').selectAll().execute()
  const dump = JSON.stringify(rows)
  for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
    expect(dump).not.toContain(Buffer.from(serviceSecret).toString(encoding))
})

test('importLinkKey: 400 beyond 10 secrets, 403 for a token without the scope *', async () => {
  for (let n = 3; n <= 10; n += 1) expect((await importKey(`secret ${n}`)).status).toBe(200)
  const refusal = {
    status: 400,
    body: { code: 'UnsupportedOperation', message: 'At most 10 link secrets can be imported' },
  }
  expect(await importKey('secret 11')).toMatchObject(refusal)
  expect(await dryRun('secret 11')).toMatchObject(refusal)
  expect((await importKey('secret 10')).body).toEqual({ imported: false })
  const token = await gateway.call('POST', '/v1/tokens', {
    body: { scopes: ['api'], description: 'client' },
  })
  const refused = await gateway.call('POST', path, {
    body: { secret: 'x' },
    token: String(token.body['token']),
  })
  expect(refused.status).toBe(403)
})

test.each([[{}], [{ secret: '' }], [{ secret: 'x'.repeat(1_025) }], [{ secret: 'x', more: 1 }]])(
  'importLinkKey: invalid body, 400 that contains no secret',
  async (body) => {
    const answer = await gateway.call('POST', path, { body })
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).not.toContain('xxx')
  },
)
