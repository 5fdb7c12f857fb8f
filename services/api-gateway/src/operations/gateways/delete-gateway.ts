import { operations } from '@posthorn/contracts'
import { deleteGateway, gatewayNotFound } from '../../store/gateways.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './create-gateway.ts'

/** Deletes a gateway with its password. What becomes of messages that wait for it, the sender decides. */
export function onDeleteGateway({ db, bus, tasks }: Omit<Deps, 'sealer'>) {
  return handle(operations.deleteGateway, async ({ params: { gateway } }) => {
    if (!(await deleteGateway(db, gateway))) throw gatewayNotFound(gateway)
    tasks.run(bus.invalidate({ topic: 'gateways', id: gateway }))
    return { gateway, deleted: true }
  })
}
