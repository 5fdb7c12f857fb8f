import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { appNotFound, findApp } from '../../store/oauth2-apps.ts'
import { handle } from '../../http/route.ts'
import { describeApp } from './app-record.ts'

export function onGetOAuth2App({ db }: { db: Db }) {
  return handle(operations.getOAuth2App, async ({ params: { app } }) => {
    const row = await findApp(db, app)
    if (!row) throw appNotFound()
    return describeApp(row)
  })
}
