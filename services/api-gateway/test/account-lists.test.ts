import { domainToASCII } from 'node:url'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { MailAddress } from '@posthorn/contracts/schemas/primitives'
import { matches } from '@posthorn/contracts/validate'
import fc from 'fast-check'
import { sendingWorld } from './sending-world.ts'

const world = await sendingWorld()
const { call, db, queued, rows, submit, url } = world
afterAll(world.stop)
afterEach(async () => {
  await db.deleteFrom('outbox').execute()
  await db.deleteFrom('accountListBlocks').execute()
})
await world.register('other', { email: 'other@mail.example' })

const list = { listId: 'news', text: 'x', baseUrl: url }
const submitTo = (address: string, account = 'me') =>
  call('POST', `/v1/account/${account}/submit`, { body: { ...list, to: [{ address }] } })
const skipped = { reason: 'unsubscribe', listId: 'news' }

/** Unsubscribe link of the only message in the outbox. */
async function queuedLink(): Promise<URL> {
  const { text } = await queued()
  const [, link = ''] = /^List-Unsubscribe: <([^>]+)>/m.exec(text) ?? []
  return new URL(link.replaceAll(/\s/g, ''))
}

const oneClick = (link: URL) =>
  fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })

/** Posts the HTML form of the unsubscribe page. Returns the heading of the response page. */
async function postForm(link: URL, action: 'subscribe' | 'unsubscribe'): Promise<string> {
  const body = new URLSearchParams({ action })
  const response = await fetch(`${url}/unsubscribe/address${link.search}`, { method: 'POST', body })
  const [, heading = ''] = /<h1>([^<]*)</.exec(await response.text()) ?? []
  return heading
}

test('submitMessage: recipient that left the list of another account, is queued', async () => {
  await submitTo('ann@x.example', 'other')
  expect((await oneClick(await queuedLink())).status).toBe(200)
  expect((await submitTo('ann@x.example', 'other')).body).toMatchObject({ skipped })
  const { body } = await submitTo('ann@x.example')
  expect(body).toMatchObject({ response: 'Queued for delivery' })
  expect(body).not.toHaveProperty('skipped')
})

test('POST /unsubscribe/address: link of another account, does not subscribe again', async () => {
  const links = new Map<string, URL>()
  for (const account of ['me', 'other']) {
    await submitTo('bob@x.example', account)
    const link = await queuedLink()
    links.set(account, link)
    expect((await oneClick(link)).status).toBe(200)
  }
  const [mine, others] = [links.get('me'), links.get('other')]
  if (!mine || !others) throw new Error('two links are expected')
  expect(await postForm(mine, 'subscribe')).toBe('You are subscribed again')
  expect((await submitTo('bob@x.example')).body).not.toHaveProperty('skipped')
  expect((await submitTo('bob@x.example', 'other')).body).toMatchObject({ skipped })
})

test('POST /unsubscribe/address: recipient blocked by the API, stays blocked', async () => {
  await submitTo('carl@x.example')
  const link = await queuedLink()
  const body = { account: 'me', recipient: 'carl@x.example', reason: 'complaint' }
  await call('POST', '/v1/blocklist/news', { body })
  expect(await (await fetch(link)).text()).not.toContain('<form')
  expect(await postForm(link, 'subscribe')).toBe('You are unsubscribed')
  expect((await submitTo('carl@x.example')).body).toMatchObject({
    skipped: { reason: 'complaint', listId: 'news' },
  })
})

test('submitMessage: dry run, contains a link that is not valid', async () => {
  const to = [{ address: 'dora@x.example' }]
  const render = { params: {} }
  const text = 'Leave: {{rcpt.unsubscribeUrl}}'
  const { body } = await submit({ ...list, to, text, render, dryRun: true })
  const preview = Buffer.from(String(body['preview']), 'base64').toString()
  const links = preview.match(/http\S+unsubscribe[^\s>]*/g) ?? []
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) {
    expect(link).not.toMatch(/sig=[\w.-]{40}/)
    expect((await fetch(link)).status).toBe(403)
  }
  expect(await rows()).toEqual([])
})

test('submitMessage: two spellings of the recipient of a list, are one recipient', async () => {
  const to = ['jörg@müller.test', 'jo\u0308rg@xn--mller-kva.test'].map((address) => ({ address }))
  expect((await submit({ ...list, to })).body).toMatchObject({ response: 'Queued for delivery' })
  expect((await queued()).envelope.to).toEqual(['jörg@müller.test'])
})

/** Generator of a letter or digit of any script, for recipients of mailing lists. */
const letter = fc
  .integer({ min: 0x30, max: 0x1_f9ff })
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => /^[\p{L}\p{N}]$/u.test(character))
const label = fc.string({ unit: letter, minLength: 1, maxLength: 6 })
const addresses = fc
  .tuple(label, label, label)
  .map(([local, a, b]) => ({ local, domain: `${a}.${b}` }))
  .filter(({ domain }) => domainToASCII(domain) !== '')
  .filter(({ local, domain }) => matches(MailAddress, `${local}@${domain}`))

test('unsubscribe link: Unicode address, blocks every spelling of it', async () => {
  const check = async ({ local, domain }: { local: string; domain: string }) => {
    await db.deleteFrom('accountListBlocks').execute()
    await db.deleteFrom('outbox').execute()
    const address = `${local}@${domain}`
    expect((await submitTo(address)).body).toMatchObject({ response: 'Queued for delivery' })
    expect((await oneClick(await queuedLink())).status).toBe(200)
    const ascii = `${local}@${domainToASCII(domain)}`
    const spellings = [address, ascii, address.normalize('NFD'), address.normalize('NFC')]
    for (const spelling of spellings.filter((one) => matches(MailAddress, one)))
      expect([spelling, (await submitTo(spelling)).body['skipped']]).toEqual([spelling, skipped])
  }
  await check({ local: 'x', domain: 'müller.test' })
  await check({ local: 'x', domain: 'xn--mller-kva.test' })
  await fc.assert(fc.asyncProperty(addresses, check), { numRuns: 40 })
})
