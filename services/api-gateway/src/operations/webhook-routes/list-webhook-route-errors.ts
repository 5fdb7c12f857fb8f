import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listRouteErrors, routeNotFound } from '../../store/webhook-routes.ts'
import { handle } from '../../http/route.ts'

/** As many as the dispatcher keeps. */
const shown = 20

export function onListWebhookRouteErrors({ db }: { db: Db }) {
  const operation = operations.listWebhookRouteErrors
  return handle(operation, async ({ params: { webhookRoute: id } }) => {
    const rows = await listRouteErrors(db, id, shown)
    if (!rows) throw routeNotFound()
    const errors = rows.map(({ createdAt, reason, ...row }) => ({
      ...row,
      created: createdAt.toISOString(),
      message: reason,
    }))
    return { id, errors }
  })
}
