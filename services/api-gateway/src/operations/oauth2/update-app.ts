import { operations } from '@posthorn/contracts'
import { appNotFound, lockApp, updateApp } from '../../store/oauth2-apps.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './create-app.ts'
import { planUpdate } from './plan-app.ts'
import { storeAppSecrets } from './store-app-secrets.ts'

export function onUpdateOAuth2App({ db, sealer }: Deps) {
  return handle(operations.updateOAuth2App, async ({ params: { app: id }, body }) => {
    await inTransaction(db, async (tx) => {
      const stored = await lockApp(tx, id)
      if (!stored) throw appNotFound()
      const { secrets, config, ...columns } = planUpdate(body, stored)
      await updateApp(tx, id, { ...columns, config: JSON.stringify(config) })
      await storeAppSecrets(tx, { app: id, sealer }, secrets)
    })
    return { id, updated: true }
  })
}
