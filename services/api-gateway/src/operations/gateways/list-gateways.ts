import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listGateways } from '../../store/gateways.ts'
import { handle } from '../../http/route.ts'
import { describeListed } from './gateway-record.ts'

export function onListGateways({ db }: { db: Db }) {
  return handle(operations.listGateways, async ({ query: { page = 0, pageSize = 20 } }) => {
    const { total, rows } = await listGateways(db, { page, pageSize })
    return { total, page, pages: Math.ceil(total / pageSize), gateways: rows.map(describeListed) }
  })
}
