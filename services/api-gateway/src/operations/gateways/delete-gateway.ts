import { operations } from '@posthorn/contracts'
import { deleteGateway, gatewayNotFound } from '../../store/gateways.ts'
import { handle } from '../handle.ts'
import type { Deps } from './create-gateway.ts'

/** Deletes a gateway with its password. What becomes of messages that wait for it, the sender decides. */
export function onDeleteGateway({ db, bus, afterwards }: Omit<Deps, 'sealer'>) {
  return handle(operations.deleteGateway, async ({ params: { gateway } }) => {
    if (!(await deleteGateway(db, gateway))) throw gatewayNotFound(gateway)
    afterwards.do(bus.invalidate({ topic: 'gateways', id: gateway }))
    return { gateway, deleted: true }
  })
}
