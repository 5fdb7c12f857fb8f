import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listRoutes } from '../../store/webhook-routes.ts'
import { handle } from '../../http/route.ts'
import { describeListedRoute } from './route-record.ts'

export function onListWebhookRoutes({ db }: { db: Db }) {
  return handle(operations.listWebhookRoutes, async ({ query: { page = 0, pageSize = 20 } }) => {
    const { total, rows } = await listRoutes(db, { page, pageSize })
    const pages = Math.ceil(total / pageSize)
    return { total, page, pages, webhooks: rows.map(describeListedRoute) }
  })
}
