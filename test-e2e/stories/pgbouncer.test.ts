import { afterAll, expect, test } from '@jest/globals'
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
    const { mail, posthorn, ...system } = world as World
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

    const { queueId, messageId: sentId } = await posthorn.submitMessage({
      account: 'jane',
      idempotencyKey: 'order-1',
      body: { to: [{ address: john.address }], subject: 'Hello', text: 'Hello John' },
    })
    expect([queueId, sentId]).toEqual([expect.any(String), expect.any(String)])
    await system.webhook(({ event, data }) => event === 'messageSent' && data.queueId === queueId)
    const arrived = await system.webhook(
      ({ event, account, data }) =>
        event === 'messageNew' && account === 'john' && data.messageId === sentId,
    )
    expect(arrived.data).toMatchObject({ subject: 'Hello' })
  },
)
