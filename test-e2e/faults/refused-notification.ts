import { expect } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import type { World } from '../world.ts'

/** Notification that its route has refused once. The second attempt is due in an hour. */
export interface RefusedNotification {
  /** Message that the notification names. */
  messageId: string
  /** Makes the second attempt due, and waits until the route has accepted it. */
  untilAccepted(): Promise<void>
}

interface RefusedNotificationOptions {
  account: string
  /** Delivers a message and waits for its webhook. Returns its Message-ID. */
  report: () => Promise<string>
}

const path = '/rollback-route'

/** Stores a route and its retry schedule, and refuses the notification of a message. */
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
  // Routes are cached: a message that is fanned out before a replica knows the route is repeated.
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

async function createRoute({ client, receiver }: World, account: string): Promise<void> {
  const target = new URL(path, receiver.url).href
  const settings = await client.call(operations.updateSettings, {
    // The release before 1.0.0-rc.1 does not know the setting `trackRepeatWindow`.
    body: { webhookTargets: [{ target, retrySchedule: [3_600] }], trackRepeatWindow: 7 },
  })
  expect(settings).toMatchObject({ status: 200 })
  const route = await client.call(operations.createWebhookRoute, {
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
  expect(route).toMatchObject({ status: 200 })
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
