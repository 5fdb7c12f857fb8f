import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { findGateway, gatewayNotFound } from '../../store/gateways.ts'
import { handle } from '../../http/route.ts'
import { describeGateway } from './gateway-record.ts'

export function onGetGateway({ db }: { db: Db }) {
  return handle(operations.getGateway, async ({ params: { gateway } }) => {
    const row = await findGateway(db, gateway)
    if (!row) throw gatewayNotFound(gateway)
    return describeGateway(row)
  })
}
