import { randomBytes } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { type GatewayRegistration, operations } from '@posthorn/contracts'
import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Sealer } from '@posthorn/secrets'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { insertGateway, lockGateway, updateGateway } from '../../store/gateways.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import { planRegistration } from './plan-gateway.ts'
import { storeGatewayPassword } from './store-gateway-password.ts'

export interface Deps {
  db: Db
  bus: Bus
  sealer: Sealer
  tasks: BackgroundTasks
}

/** Registers a gateway or replaces the one there is. Of two requests at once that bring a new id, exactly one is told `new`. */
export function onCreateGateway({ db, bus, sealer, tasks }: Deps) {
  return handle(operations.createGateway, async ({ body: { gateway: id, ...given } }) => {
    const gateway = id ?? randomBytes(16).toString('base64url')
    const state = await inTransaction(db, (tx) => register(tx, { gateway, given, sealer }))
    tasks.run(bus.invalidate({ topic: 'gateways', id: gateway }))
    return { gateway, state }
  })
}

interface Registration {
  gateway: string
  given: Omit<GatewayRegistration, 'gateway'>
  sealer: Sealer
}

async function register(tx: Tx, registration: Registration): Promise<'new' | 'existing'> {
  const { gateway, given } = registration
  for (let tries = 0; tries < 3; tries += 1) {
    const stored = await lockGateway(tx, gateway)
    const { columns, password } = planRegistration(given, stored)
    if (stored) await updateGateway(tx, gateway, columns)
    // Another request may have added it meanwhile: the insert waits for its commit.
    else if (!(await insertGateway(tx, { gateway, ...columns }))) continue
    await storeGatewayPassword(tx, registration, password)
    return stored ? 'existing' : 'new'
  }
  throw new AppError('unavailable', 'The gateway is being changed by others; retry shortly')
}
