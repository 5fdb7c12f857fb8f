import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listApps } from '../../store/oauth2-apps.ts'
import { handle } from '../../http/route.ts'
import { describeListed } from './app-record.ts'

export function onListOAuth2Apps({ db }: { db: Db }) {
  return handle(operations.listOAuth2Apps, async ({ query: { page = 0, pageSize = 20 } }) => {
    const { total, rows } = await listApps(db, { page, pageSize })
    return { total, page, pages: Math.ceil(total / pageSize), apps: rows.map(describeListed) }
  })
}
