import { randomUUID } from 'node:crypto'
import { operations } from '@posthorn/contracts/operations'
import { readSettings } from '@posthorn/db'
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
} from '../../store/webhooks/webhook-routes.ts'
import { newSortableId } from '../sortable-id.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { checkFunctions, columnsOf, sealColumns, sourceOf } from './plan-route.ts'

/**
 * Maximum errors of a webhook route in a response. webhook-dispatcher stores at most the same
 * number.
 */
const maxErrors = 20

type WebhookRouteDeps = Pick<OperationDeps, 'db' | 'bus' | 'sandbox' | 'sealer' | 'tasks'>

/**
 * Operations on webhook routes: paths below `/v1` read routes, paths below `/admin/api` change
 * routes.
 */
export function webhookRouteHandlers(deps: WebhookRouteDeps): OperationHandler[] {
  const { db, bus, sandbox, sealer, tasks } = deps
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'routes', id }))
  return [
    handle(operations.listWebhookRoutes, async ({ query }) => {
      const { rows, ...counts } = await listRoutes(db, query)
      return { ...counts, webhooks: rows.map(describeListed) }
    }),
    handle(operations.getWebhookRoute, async ({ params: { webhookRoute } }) => {
      const { filter: fn, map, version: v, ...row } = await getRoute(db, webhookRoute)
      return { ...describeListed(row), v, content: { fn, map } }
    }),
    // A new webhook route applies only to events that are recorded after its creation.
    handle(operations.createWebhookRoute, async ({ body }) => {
      const { name, targetUrl, id: chosenId } = body
      const columns = columnsOf(body)
      await checkFunctions(sandbox, body.content)
      const id = chosenId ?? newSortableId()
      const sealed = await sealColumns(columns, { id, sealer })
      const route = { customHeaders: '[]', targetUrl, ...sealed, id, name }
      const created = await insertRoute(db, route)
      if (created) invalidate(id)
      return { id, created }
    }),
    // Pending deliveries of a changed webhook route keep their bodies and go to the new target.
    handle(operations.updateWebhookRoute, async ({ params: { webhookRoute: id }, body }) => {
      await checkFunctions(sandbox, body.content)
      await inTransaction(db, async (tx) => {
        const columns = columnsOf(body, await lockRoute(tx, id))
        await updateRoute(tx, id, await sealColumns(columns, { id, sealer }))
      })
      invalidate(id)
      return { id, updated: true }
    }),
    // Pending deliveries of a deleted webhook route are dropped.
    handle(operations.deleteWebhookRoute, async ({ params: { webhookRoute: id } }) => {
      await deleteRoute(db, id)
      invalidate(id)
      return { id, deleted: true }
    }),
    onTestWebhookRoute(deps),
    handle(operations.listWebhookRouteErrors, async ({ params, caller: { person } }) => {
      const { webhookRoute: id } = params
      const rows = await listRouteErrors(db, id, maxErrors)
      // The functions of webhook routes can put mail into the texts of their errors.
      const isHidden = person !== undefined && !person.readsMail
      const errors = rows.map(({ createdAt, reason, ...row }) => ({
        ...row,
        created: createdAt.toISOString(),
        message: isHidden ? hiddenText : reason,
      }))
      return { id, errors }
    }),
  ]
}

/** Text in place of a webhook route's error, for people without the active right to read mail. */
const hiddenText = 'Hidden: activate the right to read mail to see the text of the error'

/**
 * Applies the filter and map functions of a request to a payload. Returns the result and sends no
 * webhook.
 */
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

/** Webhook route as the API represents it, with masked password and header values. */
function describeListed({ createdAt, updatedAt, expiresAt, errorFlag, ...row }: RouteListRow) {
  return {
    ...row,
    description: row.description ?? '',
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    targetUrl: maskUrl(row.targetUrl),
    webhookErrorFlag: errorFlag,
    customHeaders: maskHeaders(row.customHeaders),
  }
}
