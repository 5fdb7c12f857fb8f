import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import {
  findDelivery,
  findReplay,
  insertReplay,
  listReplays,
} from '../../store/webhook-deliveries.ts'
import { handle, type Route } from '../../http/route.ts'
import { describeReplay } from './describe.ts'

/** Wishes to repeat failed deliveries are rows: whoever dies, they are carried out, and one can ask how far they are. */
export function onReplayWebhooks({ db }: { db: Db }): Route[] {
  return [
    handle(operations.retryWebhookDelivery, async ({ params: { delivery } }) => {
      const row = await findDelivery(db, delivery)
      if (!row) throw new AppError('not-found', 'There is no such delivery', { code: 'NotFound' })
      if (row.state !== 'failed' || row.replayedAt !== null)
        throw new AppError('invalid', 'Only what failed can be repeated, and once', {
          code: 'UnsupportedOperation',
        })
      return describeReplay(await insertReplay(db, { id: delivery }))
    }),
    handle(operations.createWebhookReplay, async ({ body }) =>
      describeReplay(await insertReplay(db, body)),
    ),
    handle(operations.listWebhookReplays, async ({ query: { page = 0, pageSize = 20 } }) => ({
      replays: (await listReplays(db, { page, pageSize })).map(describeReplay),
    })),
    handle(operations.getWebhookReplay, async ({ params: { replay } }) => {
      const row = await findReplay(db, replay)
      if (!row) throw new AppError('not-found', 'There is no such repeat', { code: 'NotFound' })
      return describeReplay(row)
    }),
  ]
}
