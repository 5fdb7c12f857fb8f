import { afterAll, expect, test } from '@jest/globals'
import { eventually, type ReceivedRequest, startWebhookReceiver } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const janeId = uniqueAccount('jane')
const specialId = uniqueAccount('special')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('a failing receiver gets the same event id, body and signature again', async () => {
  const jane = await world.connectAccount(janeId)
  await world.webhook(({ event, account }) => event === 'accountInitialized' && account === janeId)
  const messageId = freshMessageId()
  let failures = 2
  world.receiver.replyWith((request) =>
    isMessageOf(janeId, request) && failures-- > 0 ? { status: 500 } : {},
  )
  await world.mail.deliver(jane.user, plainMessage({ messageId }))
  await world.webhook(
    ({ event, account, attemptsMade }) =>
      event === 'messageNew' && account === janeId && attemptsMade === 2,
  )
  const attempts = world
    .webhooks()
    .filter(({ event, data }) => event === 'messageNew' && data.messageId === messageId)
  expect(attempts.map(({ attemptsMade }) => attemptsMade)).toEqual([0, 1, 2])
  for (const header of ['x-svc-wh-id', 'x-svc-wh-event-id', 'x-svc-wh-signature'])
    expect(new Set(attempts.map(({ request }) => request.headers[header])).size).toBe(1)
  expect(new Set(attempts.map(({ body }) => body.toString('base64'))).size).toBe(1)
  expect(attempts.every(({ signatureValid }) => signatureValid)).toBe(true)
})

test('an account with its own target: webhooks have its headers and credentials', async () => {
  const own = await startWebhookReceiver()
  try {
    const user = world.mail.freshUser()
    await world.register(specialId, user, {
      webhooks: own.url.replace('://', '://me:secret@'),
      webhooksCustomHeaders: [{ key: 'X-Tenant', value: 'seven' }],
    })
    await eventually(() =>
      own.requests.some(
        (request) => (request.json() as { event: string }).event === 'accountInitialized',
      ),
    )
    const [first] = own.requests
    expect(first?.headers).toMatchObject({
      'x-tenant': 'seven',
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    })
    expect(world.webhooks().filter(({ account }) => account === specialId)).toEqual([])
  } finally {
    await own.close()
  }
})

function isMessageOf(id: string, request: ReceivedRequest): boolean {
  const { event, account } = request.json() as { event: string; account: string }
  return event === 'messageNew' && account === id
}
