import { operations } from '@posthorn/contracts/operations'
import { filterAddress } from '@posthorn/contracts/target-address'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { handle, type OperationHandler } from '../../http/handle.ts'
import {
  type DeliveryRow,
  getDelivery,
  getDeliveryDetails,
  getReplay,
  insertReplay,
  listDeliveries,
  listReplays,
  type ReplayRow,
} from '../../store/webhooks/webhook-deliveries.ts'

/**
 * Operations on webhook deliveries. Replays are stored, so that they survive a crash of
 * webhook-dispatcher.
 */
export function webhookDeliveryHandlers({ db }: { db: Db }): OperationHandler[] {
  return [
    handle(operations.listWebhookDeliveries, async ({ query }) => {
      const { state = 'failed', pageSize = 20, ...filter } = query
      const { rows, nextCursor } = await listDeliveries(db, {
        ...withAddress(filter),
        state,
        pageSize,
      })
      return { deliveries: rows.map(describeDelivery), nextCursor }
    }),
    handle(operations.getWebhookDelivery, async ({ params: { delivery }, caller: { person } }) => {
      const row = await getDelivery(db, delivery)
      const { body, log, replays } = await getDeliveryDetails(db, delivery)
      return {
        ...describeDelivery(row),
        ...(person && !person.readsMail ? hiddenPayload : { payload: payloadOf(body) }),
        log: log.map((attempt) => ({ ...attempt, endedAt: attempt.endedAt.toISOString() })),
        replays,
      }
    }),
    handle(operations.retryWebhookDelivery, async ({ params: { delivery } }) => {
      const { state, replayedAt } = await getDelivery(db, delivery)
      if (state !== 'failed' || replayedAt !== null)
        throw new AppError('invalid', 'Only failed deliveries can be replayed, and only once', {
          code: 'UnsupportedOperation',
        })
      return describeReplay(await insertReplay(db, { id: delivery }))
    }),
    handle(operations.createWebhookReplay, async ({ body }) =>
      describeReplay(await insertReplay(db, withAddress(body))),
    ),
    handle(operations.listWebhookReplays, async ({ query }) => ({
      replays: (await listReplays(db, query)).map(describeReplay),
    })),
    handle(operations.getWebhookReplay, async ({ params: { replay } }) =>
      describeReplay(await getReplay(db, replay)),
    ),
  ]
}

/**
 * Copy of a filter of webhook deliveries. The target address (URL) in the copy is spelled as in
 * stored deliveries.
 */
function withAddress<F extends { address?: string }>(filter: F): F {
  const { address } = filter
  return address === undefined ? filter : { ...filter, address: filterAddress(address) }
}

/**
 * Members in place of a webhook delivery's payload, for people without the active right to read
 * mail.
 */
const hiddenPayload = { payload: null, payloadHidden: true }

function payloadOf(body: string | null): unknown {
  return body === null ? null : JSON.parse(body)
}

/** Webhook delivery as the API represents it. A finished delivery has no next attempt. */
function describeDelivery({ lane, ...row }: DeliveryRow) {
  return {
    ...row,
    address: lane,
    queuedAt: row.queuedAt.toISOString(),
    nextAttemptAt: row.state === 'due' ? row.nextAttemptAt.toISOString() : null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    replayedAt: row.replayedAt?.toISOString() ?? null,
  }
}

function describeReplay({ total, replayed, ...row }: ReplayRow) {
  return {
    ...row,
    filter: { ...row.filter },
    total: total === null ? null : Number(total),
    replayed: Number(replayed),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
