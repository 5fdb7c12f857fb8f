import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { TenantSet } from '@posthorn/db'
import { eventually, sealedHeaders, type WebhookReceiver } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const running = new AsyncDisposableStack()
running.use(bench)
afterAll(() => running.disposeAsync())
const [all, own, routed] = [await bench.receiver(), await bench.receiver(), await bench.receiver()]
const operators = { Authorization: 'operator', Cookie: 'operator', 'X-Forwarded-For': 'operator' }
const toHeaders = (names: object) => Object.entries(names).map(([key, value]) => ({ key, value }))
beforeAll(async () => {
  await bench.set({
    webhooksEnabled: true,
    webhookEvents: ['*'],
    webhooks: all.url,
    webhooksCustomHeaders: await sealedHeaders('settings', toHeaders(operators)),
  })
  const customHeaders = await sealedHeaders('route/r', toHeaders(operators))
  await bench.db
    .insertInto('webhookRoutes')
    .values({
      id: 'r',
      name: 'r',
      targetUrl: routed.url,
      customHeaders: JSON.stringify(customHeaders),
    })
    .execute()
  running.use(await bench.start({}))
})

/** Webhook requests about an account that a receiver got. */
const received = (receiver: WebhookReceiver, account: string) =>
  receiver.requests.filter(({ body }) => body.includes(`"${account}"`))
const headersAt = async (receiver: WebhookReceiver, account: string) =>
  eventually(() => {
    const [request] = received(receiver, account)
    const { authorization, cookie, 'x-forwarded-for': address } = request?.headers ?? {}
    expect(authorization).toBeDefined()
    return [authorization, cookie, address]
  })

const credentials = (value: string) => ({
  Authorization: value,
  Cookie: value,
  'X-Forwarded-For': value,
})
const headersOf = (account: string, value = 'tenant') =>
  sealedHeaders(`account/${account}`, toHeaders(credentials(value)))
const tenants = ['tenant', 'tenant', 'tenant']
const unchanged = ['operator', 'operator', 'operator']

test('targets: headers that a tenant has set, are sent to the own target only', async () => {
  const both: TenantSet[] = ['webhooks', 'webhooksCustomHeaders']
  await bench.account('plain', { headers: await headersOf('plain'), tenantSet: both })
  await bench.account('own', {
    headers: await headersOf('own'),
    webhooks: own.url,
    tenantSet: both,
  })
  await bench.account('operated', { headers: await headersOf('operated') })
  await bench.emit({ account: 'plain' }, { account: 'own' }, { account: 'operated' })
  expect(await headersAt(all, 'plain')).toEqual(unchanged)
  expect(await headersAt(routed, 'plain')).toEqual(unchanged)
  expect(await headersAt(own, 'own')).toEqual(tenants)
  expect(await headersAt(routed, 'own')).toEqual(unchanged)
  // Webhook headers that an operator has set for an account go to all targets of operators.
  expect(await headersAt(all, 'operated')).toEqual(tenants)
})

test("targets: headers of a tenant at an operator's target, do not replace its login", async () => {
  const login = new URL(own.url)
  login.username = 'operator'
  login.password = 'pw'
  await bench.account('aside', {
    headers: await headersOf('aside'),
    webhooks: login.href,
    tenantSet: ['webhooksCustomHeaders'],
  })
  await bench.emit({ account: 'aside' })
  const basic = `Basic ${Buffer.from('operator:pw').toString('base64')}`
  expect(await headersAt(own, 'aside')).toEqual([basic, undefined, undefined])
})

test('targets: headers of an operator, are not sent to the target of a tenant', async () => {
  await bench.account('moved', {
    headers: await headersOf('moved', 'secret'),
    webhooks: own.url,
    tenantSet: ['webhooks'],
  })
  await bench.emit({ account: 'moved' })
  expect(await headersAt(routed, 'moved')).toEqual(['secret', 'secret', 'secret'])
  const [request] = await eventually(() => {
    const requests = received(own, 'moved')
    expect(requests).toHaveLength(1)
    return requests
  })
  expect(JSON.stringify(request?.headers)).not.toContain('secret')
})

const refused = { response: 'x ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' }
const unusable = { response: 'The mail server cannot be used', serverResponseCode: 'ECONNECTION' }
const dataAt = async (receiver: WebhookReceiver, account: string) =>
  eventually(() => {
    const [request] = received(receiver, account)
    if (!request) throw new Error('nothing was received')
    return (JSON.parse(request.body.toString()) as { data: unknown }).data
  })

test.each(['imap', 'smtp', 'webhooks'] as const)(
  'fanOut: connectError of an account whose %s a tenant has set, only operators read the reason',
  async (member) => {
    const account = `scan-${member}`
    await bench.account(account, { webhooks: own.url, tenantSet: [member] })
    await bench.emit({ account, event: 'connectError', data: refused })
    expect(await dataAt(own, account)).toEqual(unusable)
    expect(await dataAt(routed, account)).toEqual(refused)
  },
)

test('fanOut: connectError of an account that an operator has set, its target reads the reason', async () => {
  await bench.account('trusted', { webhooks: own.url })
  await bench.emit({ account: 'trusted', event: 'connectError', data: refused })
  expect(await dataAt(own, 'trusted')).toEqual(refused)
})

test('fanOut: large messageDeliveryError of a tenant, is sent without the reason', async () => {
  const to = Array.from({ length: 1_000 }, (_, n) => `recipient-${n}@${'x'.repeat(100)}.example`)
  const failure = { error: 'x ECONNREFUSED', errorCode: 'ECONNREFUSED', smtpCommand: 'CONN' }
  const data = { queueId: 'large', messageId: '<1@x>', envelope: { from: '', to }, ...failure }
  await bench.account('large', { webhooks: own.url, tenantSet: ['smtp'] })
  await bench.emit({ account: 'large', event: 'messageDeliveryError', data })
  const sent = await dataAt(own, 'large')
  expect(sent).toMatchObject({ queueId: 'large', envelope: { to }, errorCode: 'ECONNECTION' })
  expect(JSON.stringify(sent)).not.toContain('ECONNREFUSED')
})
