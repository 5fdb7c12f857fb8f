import { expect } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import type { World } from '../world.ts'

/**
 * Webhook request that the target of its route has refused once. The second attempt is due in an
 * hour.
 */
export interface RefusedNotification {
  /** Message-ID of the message that the webhook reports. */
  messageId: string
  /**
   * Makes the second attempt due, and waits until the target of the route has accepted the webhook
   * request.
   */
  untilAccepted(): Promise<void>
}

interface RefusedNotificationOptions {
  account: string
  /** Delivers a message and waits for its webhook. Returns the Message-ID. */
  report: () => Promise<string>
}

const path = '/rollback-route'

/**
 * Stores a webhook route with its retry schedule. Lets the target of the route refuse the webhook
 * request of a message.
 */
export async function refuseNotification(
  world: World,
  { account, report }: RefusedNotificationOptions,
): Promise<RefusedNotification> {
  let isRefusing = true
  world.receiver.replyWith((request) => ({
    status: isRefusing && request.path === path ? 503 : 200,
  }))
  await createRoute(world, account)
  const notifications = (messageId: string) =>
    world.receiver.requests.filter(
      (request) => request.path === path && messageIdOf(request) === messageId,
    )
  // Webhook routes are cached, so a replica may not know the new route yet. Delivers further
  // messages until the target of the route gets a webhook request.
  const messageId = await eventually(async () => {
    const id = await report()
    await eventually(() => expect(notifications(id)).toHaveLength(1), { timeoutMs: 5_000 })
    return id
  })
  return {
    messageId,
    async untilAccepted() {
      expect(notifications(messageId)).toHaveLength(1)
      isRefusing = false
      await makeDeliveriesDue(world)
      await eventually(() => expect(notifications(messageId)).toHaveLength(2))
      await untilNoneIsDue(world)
      const [refused, accepted, ...more] = notifications(messageId)
      expect(more).toEqual([])
      expect(accepted?.json()).toMatchObject({ mapped: true })
      expect(accepted?.body).toEqual(refused?.body)
      const idOf = (request?: ReceivedRequest) => request?.headers['x-svc-wh-event-id']
      expect(idOf(accepted)).toBe(idOf(refused))
    },
  }
}

async function createRoute({ posthorn, receiver }: World, account: string): Promise<void> {
  const target = new URL(path, receiver.url).href
  await posthorn.updateSettings({
    // Also stores the setting `trackRepeatWindow`, which the release before 1.0.0-rc.1 does not
    // know.
    body: { webhookTargets: [{ target, retrySchedule: [3_600] }], trackRepeatWindow: 7 },
  })
  await posthorn.createWebhookRoute({
    body: {
      name: 'rollback',
      targetUrl: target,
      enabled: true,
      content: {
        fn: `return payload.event === 'messageNew' && payload.account === '${account}'`,
        map: 'return { ...payload, mapped: true }',
      },
    },
  })
}

function messageIdOf(request: ReceivedRequest): string {
  return (request.json() as { data: { messageId: string } }).data.messageId
}

async function makeDeliveriesDue({ ownerUrl }: World): Promise<void> {
  const { rowCount } = await withClient(ownerUrl, (client) =>
    client.query(
      "update deliveries set next_attempt_at = now() where state = 'due' and lane like $1",
      [`%${path}`],
    ),
  )
  expect(rowCount).toBeGreaterThan(0)
}

async function untilNoneIsDue({ ownerUrl }: World): Promise<void> {
  await eventually(async () => {
    const { rows } = await withClient(ownerUrl, (client) =>
      client.query<{ state: string }>('select distinct state from deliveries where lane like $1', [
        `%${path}`,
      ]),
    )
    expect(rows).toEqual([{ state: 'delivered' }])
  })
}
