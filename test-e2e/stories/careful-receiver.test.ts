import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { startCarefulReceiver } from '../receiver.ts'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const janeId = uniqueAccount('jane')
const world = await useSharedWorld()
const dir = await mkdtemp(join(tmpdir(), 'posthorn-receiver-'))
const file = join(dir, 'events')
const receiver = await startCarefulReceiver(file, world.serviceSecret)
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** Number of messageNew events per message. */
async function countMessages(): Promise<Map<unknown, number>> {
  const counts = new Map<unknown, number>()
  for (const { body } of await receiver.stored())
    if (body.event === 'messageNew' && body.account === janeId)
      counts.set(body.data['messageId'], (counts.get(body.data['messageId']) ?? 0) + 1)
  return counts
}

test('a receiver that verifies and deduplicates has every event once, despite lost replies and a forged request', async () => {
  await world.posthorn.updateSettings({ body: { webhooks: receiver.url } })
  const jane = await world.connectAccount(janeId)
  await eventually(async () =>
    expect((await receiver.stored()).map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ event: 'accountInitialized', account: janeId }),
    ),
  )
  receiver.dropReplies(janeId, 3)
  const sent = Array.from({ length: 8 }, freshMessageId)
  for (const messageId of sent) await world.mail.deliver(jane.user, plainMessage({ messageId }))
  await eventually(async () =>
    expect(new Set((await countMessages()).keys())).toEqual(new Set(sent)),
  )
  await eventually(() => expect(receiver.repeated(janeId)).toBeGreaterThanOrEqual(3))
  expect([...(await countMessages()).values()]).toEqual(sent.map(() => 1))

  const [genuine] = await receiver.stored()
  const forged = await fetch(receiver.url, {
    method: 'POST',
    headers: {
      'x-svc-wh-event-id': 'forged',
      'webhook-id': 'forged',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    },
    body: JSON.stringify(genuine?.body),
  })
  expect(forged.status).toBe(401)
  expect(receiver.rejected).toBe(1)
  expect((await receiver.stored()).map(({ eventId }) => eventId)).not.toContain('forged')
})
