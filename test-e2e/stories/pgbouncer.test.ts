import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { isSwitchedOff, testPgbouncer } from '@posthorn/testkit'
import { freshMessageId, plainMessage, startWorld, type World } from '../world.ts'

const isOff = isSwitchedOff('TEST_PGBOUNCER')
const pgbouncer = isOff ? undefined : await testPgbouncer()
const world = pgbouncer && (await startWorld({ pgbouncer: pgbouncer.address }))
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await pgbouncer?.drop()
})

const testWithPgbouncer = isOff ? test.skip : test
testWithPgbouncer(
  'through pgbouncer in transaction mode: messages of both directions and their webhooks arrive',
  async () => {
    const { mail, client, ...system } = world as World
    const [jane, john] = await Promise.all([
      system.connectAccount('jane'),
      system.connectAccount('john'),
    ])

    const messageId = freshMessageId()
    await mail.deliver(jane.user, plainMessage({ messageId }))
    const received = await system.webhook(
      ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
    )
    expect(received).toMatchObject({ account: 'jane', signatureValid: true })

    const { status, body } = await client.call(operations.submitMessage, {
      params: { account: 'jane' },
      headers: { 'idempotency-key': 'order-1' },
      body: { to: [{ address: john.address }], subject: 'Hello', text: 'Hello John' },
    })
    expect(status).toBe(200)
    await system.webhook(
      ({ event, data }) => event === 'messageSent' && data.queueId === body.queueId,
    )
    const arrived = await system.webhook(
      ({ event, account, data }) =>
        event === 'messageNew' && account === 'john' && data.messageId === body.messageId,
    )
    expect(arrived.data).toMatchObject({ subject: 'Hello' })
  },
)
