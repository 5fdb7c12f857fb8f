import { operations } from '@posthorn/contracts'
import { deleteRoute, routeNotFound } from '../../store/webhook-routes.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './create-webhook-route.ts'

/** Deletes a route. What waits for it is dropped. */
export function onDeleteWebhookRoute({ db, bus, tasks }: Omit<Deps, 'sandbox' | 'sealer'>) {
  return handle(operations.deleteWebhookRoute, async ({ params: { webhookRoute: id } }) => {
    if (!(await deleteRoute(db, id))) throw routeNotFound()
    tasks.run(bus.invalidate({ topic: 'routes', id }))
    return { id, deleted: true }
  })
}
