import { randomUUID } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import { type Db, readSettings } from '@posthorn/db'
import type { Sandbox } from '@posthorn/sandbox'
import type { Sealer } from '@posthorn/secrets'
import type { TaskGroup } from '@posthorn/flow'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { maskHeaders, maskUrl } from '../../http/masks.ts'
import { inTransaction } from '../../store/transaction.ts'
import {
  deleteRoute,
  getRoute,
  insertRoute,
  listRouteErrors,
  listRoutes,
  lockRoute,
  type RouteListRow,
  updateRoute,
} from '../../store/webhook-routes.ts'
import { newSortableId } from '../sortable-id.ts'
import { checkFunctions, columnsOf, sealColumns, sourceOf } from './plan-route.ts'

/** Maximum errors in a response; webhook-dispatcher keeps as many. */
const maxErrors = 20

export interface WebhookRouteDeps {
  db: Db
  bus: Bus
  sandbox: Sandbox
  sealer: Sealer
  tasks: TaskGroup
}

/** Operations on webhook routes: `/v1` reads them, `/admin/api` changes them. */
export function webhookRouteHandlers(deps: WebhookRouteDeps): OperationHandler[] {
  const { db, bus, sandbox, sealer, tasks } = deps
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'routes', id }))
  return [
    handle(operations.listWebhookRoutes, async ({ query }) => {
      const { rows, ...counts } = await listRoutes(db, query)
      return { ...counts, webhooks: rows.map(describeListed) }
    }),
    handle(operations.getWebhookRoute, async ({ params: { webhookRoute } }) => {
      const row = await getRoute(db, webhookRoute)
      const content = { fn: row.filter, map: row.map }
      return { ...describeListed(row), v: row.version, content }
    }),
    // Applies to events recorded from now on.
    handle(operations.createWebhookRoute, async ({ body }) => {
      const { name, targetUrl } = body
      const columns = columnsOf(body)
      await checkFunctions(sandbox, body.content)
      const id = newSortableId()
      const sealed = await sealColumns(columns, { id, sealer })
      await insertRoute(db, { customHeaders: '[]', targetUrl, ...sealed, id, name })
      invalidate(id)
      return { id, created: true }
    }),
    // Pending deliveries keep their bytes and go to the new target.
    handle(operations.updateWebhookRoute, async ({ params: { webhookRoute: id }, body }) => {
      await checkFunctions(sandbox, body.content)
      await inTransaction(db, async (tx) => {
        const columns = columnsOf(body, await lockRoute(tx, id))
        await updateRoute(tx, id, await sealColumns(columns, { id, sealer }))
      })
      invalidate(id)
      return { id, updated: true }
    }),
    // Pending deliveries are dropped.
    handle(operations.deleteWebhookRoute, async ({ params: { webhookRoute: id } }) => {
      await deleteRoute(db, id)
      invalidate(id)
      return { id, deleted: true }
    }),
    onTestWebhookRoute(deps),
    handle(operations.listWebhookRouteErrors, async ({ params: { webhookRoute: id } }) => {
      const rows = await listRouteErrors(db, id, maxErrors)
      const errors = rows.map(({ createdAt, reason, ...row }) => ({
        ...row,
        created: createdAt.toISOString(),
        message: reason,
      }))
      return { id, errors }
    }),
  ]
}

/** Applies functions to a payload and returns their result. Sends nothing. */
function onTestWebhookRoute({ db, sandbox }: Pick<WebhookRouteDeps, 'db' | 'sandbox'>) {
  return handle(operations.testWebhookRoute, async ({ body: { content, payload } }) => {
    await checkFunctions(sandbox, content)
    const { eventId = randomUUID(), _route = { id: 'test' }, ...delivered } = payload
    const functions = { filter: sourceOf(content.fn), map: sourceOf(content.map) }
    const { scriptEnv: env = '{}' } = await readSettings(db)
    const input = { payload: JSON.stringify({ ...delivered, eventId, _route }), env }
    const { applies, body, problems, logs, usedMs } = await sandbox.apply(functions, input)
    const mapped: unknown = body === undefined ? delivered : JSON.parse(body)
    return {
      applies,
      ...(applies ? { payload: mapped } : {}),
      errors: problems.map(({ function: name, reason }) => ({ function: name, message: reason })),
      logs,
      usedMs,
    }
  })
}

/** Masks the password of the target and the values of its headers. */
function describeListed(row: RouteListRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? '',
    created: row.createdAt.toISOString(),
    updated: row.updatedAt.toISOString(),
    enabled: row.enabled,
    targetUrl: maskUrl(row.targetUrl),
    tcount: row.tcount,
    webhookErrorFlag: row.errorFlag,
    customHeaders: maskHeaders(row.customHeaders),
  }
}
