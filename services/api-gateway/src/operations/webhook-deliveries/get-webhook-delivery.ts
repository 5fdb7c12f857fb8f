import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findDelivery, getDeliveryDetails } from '../../store/webhook-deliveries.ts'
import { handle } from '../../http/route.ts'
import { describeDelivery } from './describe.ts'

export function onGetWebhookDelivery({ db }: { db: Db }) {
  return handle(operations.getWebhookDelivery, async ({ params: { delivery } }) => {
    const row = await findDelivery(db, delivery)
    if (!row) throw new AppError('not-found', 'There is no such delivery', { code: 'NotFound' })
    const { body, log, replays } = await getDeliveryDetails(db, delivery)
    return {
      ...describeDelivery(row),
      payload: body === null ? null : (JSON.parse(body) as unknown),
      log: log.map((attempt) => ({ ...attempt, endedAt: attempt.endedAt.toISOString() })),
      replays,
    }
  })
}
