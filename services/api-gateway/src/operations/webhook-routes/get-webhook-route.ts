import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { findRoute, routeNotFound } from '../../store/webhook-routes.ts'
import { handle } from '../../http/route.ts'
import { describeRoute } from './route-record.ts'

export function onGetWebhookRoute({ db }: { db: Db }) {
  return handle(operations.getWebhookRoute, async ({ params: { webhookRoute } }) => {
    const row = await findRoute(db, webhookRoute)
    if (!row) throw routeNotFound()
    return describeRoute(row)
  })
}
