import { defined, operations } from '@posthorn/contracts'
import type { Db, Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { mask } from '../../http/masks.ts'
import {
  type AppListRow,
  type AppSecretKind,
  appSecretSealContext,
  deleteApp,
  getApp,
  insertApp,
  listApps,
  lockApp,
  updateApp,
  upsertAppSecret,
} from '../../store/oauth2-apps.ts'
import { inTransaction } from '../../store/transaction.ts'
import { newSortableId } from '../sortable-id.ts'
import { type AppPlan, planRegistration, planUpdate } from './plan-oauth2-app.ts'

export interface OAuth2AppDeps {
  db: Db
  sealer: Sealer
}

/** Operations on OAuth2 applications. Deletion does not end sessions that are logged in. */
export function oauth2AppHandlers({ db, sealer }: OAuth2AppDeps): OperationHandler[] {
  return [
    handle(operations.listOAuth2Apps, async ({ query }) => {
      const { rows, ...counts } = await listApps(db, query)
      return { ...counts, apps: rows.map(describeListed) }
    }),
    handle(operations.getOAuth2App, async ({ params: { app } }) => {
      const row = await getApp(db, app)
      return { ...describeListed(row), accounts: row.accounts }
    }),
    handle(operations.createOAuth2App, async ({ body }) => {
      const { secrets, config, ...columns } = planRegistration(body)
      const id = newSortableId()
      const row = { ...columns, id, provider: body.provider, config: JSON.stringify(config) }
      await inTransaction(db, async (tx) => {
        await insertApp(tx, row)
        await storeSecrets(tx, { app: id, sealer }, secrets)
      })
      return { id, created: true }
    }),
    handle(operations.updateOAuth2App, async ({ params: { app: id }, body }) => {
      await inTransaction(db, async (tx) => {
        const { secrets, config, ...columns } = planUpdate(body, await lockApp(tx, id))
        await updateApp(tx, id, { ...columns, config: JSON.stringify(config) })
        await storeSecrets(tx, { app: id, sealer }, secrets)
      })
      return { id, updated: true }
    }),
    handle(operations.deleteOAuth2App, async ({ params: { app: id } }) => {
      const accounts = await deleteApp(db, id)
      return { id, deleted: true, accounts }
    }),
  ]
}

/** Seals and stores the new secrets of an application. */
async function storeSecrets(
  tx: Tx,
  { app, sealer }: { app: string; sealer: Sealer },
  secrets: AppPlan['secrets'],
): Promise<void> {
  for (const [name, secret] of Object.entries(secrets)) {
    const kind = name as AppSecretKind
    const sealed = await sealer.seal(secret, appSecretSealContext(app, kind))
    await upsertAppSecret(tx, { app, kind, sealed })
  }
}

/** Application with masked secrets. */
function describeListed(row: AppListRow) {
  const { id, name, provider, enabled, config, secrets, createdAt, updatedAt, lastError } = row
  const tenant = provider.startsWith('outlook') ? config.authority : undefined
  return {
    includeInListing: false,
    ...config,
    ...defined({ tenant }),
    ...Object.fromEntries(secrets.map((kind) => [kind, mask])),
    id,
    name,
    provider,
    enabled,
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
    lastError,
  }
}
