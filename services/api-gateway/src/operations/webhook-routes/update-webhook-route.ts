import { operations } from '@posthorn/contracts'
import { lockRoute, routeNotFound, updateRoute } from '../../store/webhook-routes.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './create-webhook-route.ts'
import { checkFunctions, columnsOf, sealColumns } from './plan-route.ts'

/** Changes a route. What waits for it goes where the route then points, with the bytes it was made with. */
export function onUpdateWebhookRoute({ db, bus, sandbox, sealer, tasks }: Deps) {
  return handle(operations.updateWebhookRoute, async ({ params: { webhookRoute: id }, body }) => {
    await checkFunctions(sandbox, body.content)
    await inTransaction(db, async (tx) => {
      const stored = await lockRoute(tx, id)
      if (!stored) throw routeNotFound()
      await updateRoute(tx, id, await sealColumns(columnsOf(body, stored), { id, sealer }))
    })
    tasks.run(bus.invalidate({ topic: 'routes', id }))
    return { id, updated: true }
  })
}
