import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listDeliveries } from '../../store/webhook-deliveries.ts'
import { handle } from '../../http/route.ts'
import { describeDelivery } from './describe.ts'

export function onListWebhookDeliveries({ db }: { db: Db }) {
  return handle(operations.listWebhookDeliveries, async ({ query }) => {
    const { state = 'failed', pageSize = 20, ...filter } = query
    const { rows, nextCursor } = await listDeliveries(db, { ...filter, state, pageSize })
    return { deliveries: rows.map(describeDelivery), nextCursor }
  })
}
