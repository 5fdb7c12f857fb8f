import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { newSealingKeys } from '@posthorn/testkit'
import { dumpColumns, readLogs } from '../canaries.ts'
import { startWorld } from '../world.ts'

// api-gateway has only the public sealing key, auth-bridge has the private key.
const world = await startWorld({
  names: ['api-gateway', 'auth-bridge', 'webhook-dispatcher'],
  replicas: { 'api-gateway': 2 },
  env: { SVC_LOG_LEVEL: 'trace' },
  keys: newSealingKeys(),
})
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn, services } = world
const [first, second] = [world.url, services.urls['api-gateway-2']]
const account = 'jane'
await world.register(account, world.mail.freshUser())

const secret = 'service secret of the EmailEngine installation'

/** Query of a link that EmailEngine signed: the signature covers the JSON text. */
function signed(content: object): string {
  const json = JSON.stringify({ ...content, acc: account, msg: '<1@old.example>' })
  const sig = createHmac('sha256', secret).update(json).digest('base64url')
  return `?data=${Buffer.from(json).toString('base64url')}&sig=${sig}`
}

const open = `/open.gif${signed({ act: 'open' })}`
const click = `/redirect${signed({ act: 'click', url: 'https://shop.example/' })}`
const unsubscribe = (rcpt: string) => signed({ act: 'unsub', list: 'news', rcpt })
const headers = { 'user-agent': 'Mozilla/5.0' }
const visit = (url: string) => fetch(url, { redirect: 'manual', headers })
const post = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers })

test('links of EmailEngine: refused before the import, work at all replicas after it', async () => {
  const query = unsubscribe('ann@x.example')
  const paths = [open, click, `/unsubscribe${query}`]
  for (const path of paths) expect((await visit(first + path)).status).toBe(403)

  expect(await posthorn.importLinkKey({ body: { secret } })).toEqual({ imported: true })
  const statuses = await Promise.all(paths.map(async (path) => (await visit(second + path)).status))
  expect(statuses).toEqual([200, 302, 200])
  expect(await posthorn.importLinkKey({ body: { secret } })).toEqual({ imported: false })

  const oneClick = await post(`${second}/unsubscribe${query}`, { 'List-Unsubscribe': 'One-Click' })
  expect(oneClick.status).toBe(200)
  const unsubscribed = await world.webhook(({ event }) => event === 'listUnsubscribe')
  expect(unsubscribed.data).toMatchObject({ recipient: 'ann@x.example', listId: 'news' })
  const form = `${second}/unsubscribe/address${unsubscribe('bob@x.example')}`
  expect((await post(form, { action: 'unsubscribe' })).status).toBe(200)
  expect((await posthorn.getBlocklist({ listId: 'news' })).addresses).toHaveLength(2)
  await world.webhook(({ event }) => event === 'trackOpen')
  const clicked = await world.webhook(({ event }) => event === 'trackClick')
  expect(clicked.data).toMatchObject({ url: 'https://shop.example/', messageId: '<1@old.example>' })
})

test('importLinkKey: the secret is in no log and in no column of the database', async () => {
  const parts = [await readLogs(world.logDir), await dumpColumns(world.ownerUrl)]
  const texts = parts.map((part) => JSON.stringify(part))
  expect(texts.every((text) => text.length > 1_000)).toBe(true)
  for (const encoding of ['utf8', 'hex', 'base64'] as const)
    for (const text of texts) expect(text).not.toContain(Buffer.from(secret).toString(encoding))
})
