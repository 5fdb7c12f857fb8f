import { randomBytes } from 'node:crypto'
import { operations } from '@posthorn/contracts/operations'
import type { GatewayRegistration } from '@posthorn/contracts/schemas/gateway'
import type { Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Sealer } from '@posthorn/secrets'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { mask } from '../../http/masks.ts'
import {
  deleteGateway,
  deleteGatewayPassword,
  type GatewayListRow,
  gatewayNotFound,
  gatewayPasswordSealContext,
  getGateway,
  insertGateway,
  listGateways,
  lockGateway,
  updateGateway,
  upsertGatewayPassword,
} from '../../store/messages/gateways.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'
import {
  gatewayDestination,
  type GatewayPlan,
  planRegistration,
  planUpdate,
} from './plan-gateway.ts'

type GatewayDeps = Pick<OperationDeps, 'db' | 'bus' | 'sealer' | 'tasks'>

/**
 * Operations on SMTP gateways. A queued message uses the settings that its gateway has at the time
 * of the sending attempt.
 */
export function gatewayHandlers({ db, bus, sealer, tasks }: GatewayDeps): OperationHandler[] {
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'gateways', id }))
  return [
    handle(operations.listGateways, async ({ query }) => {
      const { rows, ...counts } = await listGateways(db, query)
      return { ...counts, gateways: rows.map(describeListed) }
    }),
    handle(operations.getGateway, async ({ params: { gateway } }) => {
      const { username: user, hasPassword, ...row } = await getGateway(db, gateway)
      return { ...describeListed(row), user, ...(hasPassword ? { pass: mask } : {}) }
    }),
    handle(operations.createGateway, async ({ body: { gateway: id, ...input } }) => {
      const gateway = id ?? randomBytes(16).toString('base64url')
      const registration = { gateway, input, sealer }
      const state = await inTransaction(db, (tx) => registerGateway(tx, registration))
      invalidate(gateway)
      return { gateway, state }
    }),
    handle(operations.updateGateway, async ({ params: { gateway }, body }) => {
      await inTransaction(db, async (tx) => {
        const stored = await lockGateway(tx, gateway)
        if (!stored) throw gatewayNotFound(gateway)
        const { columns, password } = planUpdate(body, stored)
        await updateGateway(tx, gateway, columns)
        await storePassword(tx, { gateway, columns, sealer }, password)
      })
      invalidate(gateway)
      return { gateway }
    }),
    handle(operations.deleteGateway, async ({ params: { gateway } }) => {
      await deleteGateway(db, gateway)
      invalidate(gateway)
      return { gateway, deleted: true }
    }),
  ]
}

/** SMTP gateway as the API represents it. A gateway that was never used has no counters yet. */
function describeListed<R extends GatewayListRow>({ deliveries, lastUse, ...row }: R) {
  const use = { deliveries: Number(deliveries ?? 0), lastUse: lastUse?.toISOString() ?? null }
  return { ...row, ...use }
}

interface Registration {
  gateway: string
  input: Omit<GatewayRegistration, 'gateway'>
  sealer: Sealer
}

/**
 * Registers or replaces an SMTP gateway. If concurrent requests name the same new id, only one of
 * the requests returns `new`.
 */
async function registerGateway(tx: Tx, registration: Registration): Promise<'new' | 'existing'> {
  const { gateway, input } = registration
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const stored = await lockGateway(tx, gateway)
    const { columns, password } = planRegistration(input, stored)
    if (stored) await updateGateway(tx, gateway, columns)
    // If a concurrent request inserts the same gateway, `insertGateway` waits for the commit and
    // inserts nothing. The loop then reads the gateway again.
    else if (!(await insertGateway(tx, { gateway, ...columns }))) continue
    await storePassword(tx, { ...registration, columns }, password)
    return stored ? 'existing' : 'new'
  }
  throw new AppError('unavailable', 'Concurrent update of the gateway, retry')
}

type PlannedColumns = Pick<GatewayPlan, 'columns'>

/**
 * Seals (encrypts) and stores a new password for the server of the SMTP gateway, or deletes the
 * stored password.
 */
async function storePassword(
  tx: Tx,
  { gateway, columns, sealer }: Pick<Registration, 'gateway' | 'sealer'> & PlannedColumns,
  password: GatewayPlan['password'],
): Promise<void> {
  if (password === 'delete') await deleteGatewayPassword(tx, gateway)
  else if (password !== 'keep') {
    const context = gatewayPasswordSealContext(gateway)
    const sealed = await sealer.seal(password.seal, context, { to: gatewayDestination(columns) })
    await upsertGatewayPassword(tx, gateway, sealed)
  }
}
