import { operations } from '@posthorn/contracts'
import { gatewayNotFound, lockGateway, updateGateway } from '../../store/gateways.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './create-gateway.ts'
import { planUpdate } from './plan-gateway.ts'
import { storeGatewayPassword } from './store-gateway-password.ts'

/** Changes a gateway. Messages that wait for it go out by what it is then. */
export function onUpdateGateway({ db, bus, sealer, tasks }: Deps) {
  return handle(operations.updateGateway, async ({ params: { gateway }, body }) => {
    await inTransaction(db, async (tx) => {
      const stored = await lockGateway(tx, gateway)
      if (!stored) throw gatewayNotFound(gateway)
      const { columns, password } = planUpdate(body, stored)
      await updateGateway(tx, gateway, columns)
      await storeGatewayPassword(tx, { gateway, sealer }, password)
    })
    tasks.run(bus.invalidate({ topic: 'gateways', id: gateway }))
    return { gateway }
  })
}
