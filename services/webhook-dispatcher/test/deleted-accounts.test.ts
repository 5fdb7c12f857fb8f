import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { publishEvents, recordEvents } from '@posthorn/db'
import { eventually, sealedHeaders, sealedLogin } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const { db, bus } = bench
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/**
 * Deletes an account in the transaction of its accountDeleted, as api-gateway does. Between two
 * transactions, a retry would find neither the account nor its accountDeleted and would drop the
 * delivery. Returns the id of the accountDeleted.
 */
async function deleteAccount(
  account: string,
  accountTarget?: { url: string; headers: { key: string; value: string }[] },
): Promise<string> {
  const eventId = crypto.randomUUID()
  const event = { eventId, account, event: 'accountDeleted', data: { account } }
  const recorded = await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('accounts').where('account', '=', account).execute()
    return recordEvents(tx, [{ ...event, ...(accountTarget && { accountTarget }) }], null)
  })
  await publishEvents(db, (message) => bus.publishEvent(message), recorded)
  await bus.invalidate({ topic: 'accounts', id: account })
  return eventId
}

const ids = ({ requests }: { requests: { headers: Record<string, unknown> }[] }) =>
  requests.map(({ headers }) => String(headers['x-svc-wh-event-id']))

test('createTargets: account deleted while its webhook waits for a retry, delivers it to the default target', async () => {
  const all = await bench.receiver()
  await bench.set({ webhooks: all.url })
  await bench.retryOften(all)
  all.replyWith(() => ({ status: 500 }))
  await using _dispatcher = await bench.start()
  await bench.account('by-default')
  const [waiting = ''] = await bench.emit({ account: 'by-default' })
  await eventually(() => expect(all.requests.length).toBeGreaterThan(0))
  const deleted = await deleteAccount('by-default')
  await eventually(() => expect(ids(all)).toContain(deleted))
  all.requests.length = 0
  all.replyWith(() => ({ status: 200 }))
  await eventually(async () =>
    expect(await bench.deliveries('by-default')).toMatchObject([
      { state: 'delivered', target: 'default' },
      { state: 'delivered', target: 'default' },
    ]),
  )
  expect(ids(all).toSorted()).toEqual([waiting, deleted].toSorted())
})

test('createTargets: account deleted without accountDeleted, delivers its waiting webhook to the default target', async () => {
  const all = await bench.receiver()
  await bench.set({ webhooks: all.url })
  await bench.retryOften(all)
  all.replyWith(() => ({ status: 500 }))
  await using _dispatcher = await bench.start()
  await bench.account('unrecorded')
  await bench.emit({ account: 'unrecorded' })
  await eventually(() => expect(all.requests.length).toBeGreaterThan(0))
  await db.deleteFrom('accounts').where('account', '=', 'unrecorded').execute()
  await bus.invalidate({ topic: 'accounts', id: 'unrecorded' })
  all.replyWith(() => ({ status: 200 }))
  await eventually(async () =>
    expect(await bench.deliveries('unrecorded')).toMatchObject([{ state: 'delivered' }]),
  )
})

test('createTargets: account with a target of its own deleted, delivers its waiting webhook there with its sealed login and headers', async () => {
  const [all, own] = [await bench.receiver(), await bench.receiver()]
  await bench.set({ webhooks: all.url })
  await bench.retryOften(own)
  own.replyWith(() => ({ status: 500 }))
  await using _dispatcher = await bench.start()
  const headers = await sealedHeaders('account/by-own', [{ key: 'X-Key', value: 'of the owner' }])
  const url = await sealedLogin(own.url.replace('://', '://owner:p%40ss@'))
  await bench.account('by-own', { webhooks: url, headers })
  const [waiting = ''] = await bench.emit({ account: 'by-own' })
  await eventually(() => expect(own.requests.length).toBeGreaterThan(0))
  const deleted = await deleteAccount('by-own', { url, headers })
  await eventually(() => expect(ids(own)).toContain(deleted))
  own.requests.length = 0
  own.replyWith(() => ({ status: 200 }))
  await eventually(async () =>
    expect(await bench.deliveries('by-own')).toMatchObject([
      { state: 'delivered', target: 'account' },
      { state: 'delivered', target: 'account' },
    ]),
  )
  expect(ids(own).toSorted()).toEqual([waiting, deleted].toSorted())
  const authorization = `Basic ${Buffer.from('owner:p@ss').toString('base64')}`
  for (const { headers } of own.requests)
    expect(headers).toMatchObject({ authorization, 'x-key': 'of the owner' })
  expect(all.requests).toEqual([])
})

test('createFanOut: account deleted before its last events are fanned out, delivers them', async () => {
  const [all, own] = [await bench.receiver(), await bench.receiver()]
  await bench.set({ webhooks: all.url })
  const emitted: Record<string, string[]> = {}
  for (const [account, url] of [
    ['last-default', undefined],
    ['last-own', own.url],
  ] as const)
    emitted[account] = await bench.emitUnpublished(
      { account, event: 'messageFailed' },
      { account, event: 'accountDeleted', ...(url && { accountTarget: { url, headers: [] } }) },
      // An event that is recorded after the deletion of its account has no webhook target.
      { account, event: 'messageSent' },
    )
  await using _dispatcher = await bench.start()
  for (const [account, receiver] of [
    ['last-default', all],
    ['last-own', own],
  ] as const)
    await eventually(() => expect(ids(receiver)).toEqual(emitted[account]?.slice(0, 2)))
  for (const account of ['last-default', 'last-own'])
    expect(await bench.deliveries(account)).toHaveLength(2)
})
