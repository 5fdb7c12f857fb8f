import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { appNotFound, deleteApp } from '../../store/oauth2-apps.ts'
import { handle } from '../../http/route.ts'

/** Deletes an application and its secrets. Sessions that are logged in go on until their server ends them. */
export function onDeleteOAuth2App({ db }: { db: Db }) {
  return handle(operations.deleteOAuth2App, async ({ params: { app: id } }) => {
    const accounts = await deleteApp(db, id)
    if (accounts === undefined) throw appNotFound()
    return { id, deleted: true, accounts }
  })
}
