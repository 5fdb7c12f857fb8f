import { randomBytes } from 'node:crypto'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { insertApp } from '../../store/oauth2-apps.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import { planRegistration } from './plan-app.ts'
import { storeAppSecrets } from './store-app-secrets.ts'

export interface Deps {
  db: Db
  sealer: Sealer
}

export function onCreateOAuth2App({ db, sealer }: Deps) {
  return handle(operations.createOAuth2App, async ({ body }) => {
    const { secrets, config, ...columns } = planRegistration(body)
    const id = newAppId()
    const row = { ...columns, id, provider: body.provider, config: JSON.stringify(config) }
    await inTransaction(db, async (tx) => {
      await insertApp(tx, row)
      await storeAppSecrets(tx, { app: id, sealer }, secrets)
    })
    return { id, created: true }
  })
}

/** Ids of 16 characters: eight bytes of the time, so that they follow it, and four of chance. */
function newAppId(): string {
  const id = randomBytes(12)
  id.writeBigUInt64BE(BigInt(Date.now()))
  return id.toString('base64url')
}
