import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

// Tests of the webhook targets of an event by setting: interface spec, "Delivery" 1 and 2.

const bench = await dispatcherBench()
const dispatcher = await bench.start()
const fallback = await bench.receiver()
const own = await bench.receiver()
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})

const on = { webhooksEnabled: true, webhookEvents: ['*'], webhooks: fallback.url }
const headers = [{ key: 'X-Of', value: 'the account' }]

interface Case {
  settings: Record<string, unknown>
  /** True if the account has its own webhook target. */
  hasOwn?: boolean
  event?: string
  goesTo: 'default' | 'own' | 'nowhere'
}

test.each<[string, Case]>([
  ['the default target', { settings: on, goesTo: 'default' }],
  ['no default target', { settings: { ...on, webhooks: '' }, goesTo: 'nowhere' }],
  ['an own target', { settings: on, hasOwn: true, goesTo: 'own' }],
  [
    'an own target without a default',
    { settings: { ...on, webhooks: '' }, hasOwn: true, goesTo: 'own' },
  ],
  ['switched off', { settings: { ...on, webhooksEnabled: false }, goesTo: 'nowhere' }],
  [
    'an own target, switched off',
    { settings: { ...on, webhooksEnabled: false }, hasOwn: true, goesTo: 'nowhere' },
  ],
  ['no events listed', { settings: { ...on, webhookEvents: [] }, goesTo: 'nowhere' }],
  [
    'an own target, no events listed',
    { settings: { ...on, webhookEvents: [] }, hasOwn: true, goesTo: 'nowhere' },
  ],
  ['its event listed', { settings: { ...on, webhookEvents: ['messageSent'] }, goesTo: 'default' }],
  [
    'another event listed',
    { settings: { ...on, webhookEvents: ['messageNew'] }, goesTo: 'nowhere' },
  ],
  ['an unknown event', { settings: on, event: 'somethingNew', goesTo: 'default' }],
  [
    'one more beside the star',
    { settings: { ...on, webhookEvents: ['messageNew', '*'] }, goesTo: 'default' },
  ],
])('fan-out: %s', async (name, { settings, hasOwn = false, event = 'messageSent', goesTo }) => {
  await bench.set({
    ...settings,
    webhooksCustomHeaders: [
      { key: 'X-Of', value: 'all' },
      { key: 'X-All', value: 'yes' },
    ],
  })
  await bench.account(name, hasOwn ? { webhooks: own.url, headers } : { headers })
  const [eventId] = await bench.emit({ account: name, event })
  await eventually(async () => {
    const row = await bench.db
      .selectFrom('events')
      .select('fannedOutAt')
      .where('eventId', '=', eventId ?? '')
      .executeTakeFirst()
    expect(row?.fannedOutAt).toBeInstanceOf(Date)
  })
  if (goesTo === 'nowhere') {
    expect(await bench.deliveries(name)).toEqual([])
    return
  }
  const receiver = goesTo === 'own' ? own : fallback
  const request = await eventually(
    () =>
      receiver.requests.find(({ headers }) => headers['x-svc-wh-event-id'] === eventId) ?? false,
  )
  expect(await bench.deliveries(name)).toHaveLength(1)
  expect(request.headers['x-of']).toBe('the account')
  // Headers of the default webhook target may be credentials of another receiver.
  expect(request.headers['x-all']).toBe(goesTo === 'own' ? undefined : 'yes')
})
