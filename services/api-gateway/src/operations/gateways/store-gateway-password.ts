import type { Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import {
  deleteGatewayPassword,
  gatewayPasswordSealContext,
  upsertGatewayPassword,
} from '../../store/gateways.ts'
import type { GatewayPlan } from './plan-gateway.ts'

/** Seals and stores the new password of a gateway, or forgets the one there is. */
export async function storeGatewayPassword(
  tx: Tx,
  { gateway, sealer }: { gateway: string; sealer: Sealer },
  password: GatewayPlan['password'],
): Promise<void> {
  if ('forget' in password) await deleteGatewayPassword(tx, gateway)
  else if ('seal' in password) {
    const sealed = await sealer.seal(password.seal, gatewayPasswordSealContext(gateway))
    await upsertGatewayPassword(tx, gateway, sealed)
  }
}
