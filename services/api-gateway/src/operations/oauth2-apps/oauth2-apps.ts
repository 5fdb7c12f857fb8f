import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import { verifyOAuth2App } from '@posthorn/contracts/commands/oauth2'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import { describeProvider, type OAuth2AppConfig } from '@posthorn/contracts/schemas/oauth2-app'
import type { PubSubError } from '@posthorn/contracts/schemas/pub-sub-status'
import type { Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { requestTimeout } from '../../http/call-worker.ts'
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
  listAppUses,
  listPubSubStates,
  lockApp,
  updateApp,
  upsertAppSecret,
} from '../../store/oauth2/oauth2-apps.ts'
import { inTransaction } from '../../store/transaction.ts'
import { newSortableId } from '../sortable-id.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { accountSteps } from './account-steps.ts'
import { redirectProblem, redirectStep } from './redirect-url.ts'
import { type AppPlan, planRegistration, planUpdate } from './plan-oauth2-app.ts'

type OAuth2AppDeps = Pick<
  OperationDeps,
  'db' | 'bus' | 'sealer' | 'tasks' | 'settings' | 'timeoutMs'
>

/**
 * Operations on OAuth2 applications. The deletion of an application does not end the mail sessions
 * that are logged in.
 */
export function oauth2AppHandlers(deps: OAuth2AppDeps): OperationHandler[] {
  const { db, bus, sealer, tasks, settings } = deps
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'oauth2Apps', id }))
  const warningsOf = async (config: OAuth2AppConfig) => {
    const problem = redirectProblem(config, await settings.get())
    return defined({ warnings: problem === undefined ? undefined : [problem] })
  }
  return [
    handle(operations.listOAuth2Apps, async ({ query }) => {
      const { rows, ...counts } = await listApps(db, query)
      return { ...counts, apps: rows.map(describeListed) }
    }),
    handle(operations.getOAuth2App, async ({ params: { app } }) => {
      const { accounts, ...row } = await getApp(db, app)
      return { ...describeListed(row), accounts, quotaUse: await listAppUses(db, app) }
    }),
    handle(operations.createOAuth2App, async ({ body: { id: chosenId, ...body } }) => {
      const { secrets, config, ...columns } = planRegistration(body)
      const id = chosenId ?? newSortableId()
      const row = { ...columns, id, provider: body.provider, config: JSON.stringify(config) }
      const created = await inTransaction(db, async (tx) => {
        if (!(await insertApp(tx, row))) return false
        await storeSecrets(
          tx,
          { app: id, sealer, to: describeProvider({ ...body, config }) },
          secrets,
        )
        return true
      })
      if (!created) return { id, created }
      invalidate(id)
      return { id, created, ...(await warningsOf(config)) }
    }),
    handle(operations.updateOAuth2App, async ({ params: { app: id }, body }) => {
      const changed = await inTransaction(db, async (tx) => {
        const stored = await lockApp(tx, id)
        const { secrets, config, ...columns } = planUpdate(body, stored)
        const to = describeProvider({ ...stored, config })
        await updateApp(tx, id, { ...columns, config: JSON.stringify(config) })
        await storeSecrets(tx, { app: id, sealer, to }, secrets)
        return config
      })
      invalidate(id)
      return { id, updated: true, ...(await warningsOf(changed)) }
    }),
    handle(operations.deleteOAuth2App, async ({ params: { app: id } }) => {
      const accounts = await deleteApp(db, id)
      invalidate(id)
      return { id, deleted: true, accounts }
    }),
    handle(operations.getPubSubStatus, async ({ query }) => {
      const { rows, ...counts } = await listPubSubStates(db, query)
      return { ...counts, apps: rows.map(describePubSub) }
    }),
    onCheckOAuth2App(deps),
  ]
}

/** Seals (encrypts) and stores new secrets of an OAuth2 application, for use at its provider. */
async function storeSecrets(
  tx: Tx,
  { app, sealer, to }: { app: string; sealer: Sealer; to: string },
  secrets: AppPlan['secrets'],
): Promise<void> {
  for (const [name, secret] of Object.entries(secrets)) {
    const kind = name as AppSecretKind
    const sealed = await sealer.seal(secret, appSecretSealContext(app, kind), { provider: to })
    await upsertAppSecret(tx, { app, kind, sealed })
  }
}

/** OAuth2 application as the API represents it, with masked secrets. */
function describeListed({
  config,
  secrets,
  createdAt,
  updatedAt,
  pubSubFailure,
  ...row
}: AppListRow) {
  const tenant = oauth2ProviderTraits[row.provider].hasTenants ? config.authority : undefined
  return {
    includeInListing: false,
    ...config,
    ...defined({ tenant }),
    ...Object.fromEntries(secrets.map((kind) => [kind, mask])),
    ...row,
    pubSubError: toPubSubError(pubSubFailure),
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
  }
}

function describePubSub({ id, name, lastError, pubSubFailure }: AppListRow) {
  const { response } = lastError ?? {}
  return {
    id,
    name,
    lastError: response === undefined ? null : { response },
    pubSubError: toPubSubError(pubSubFailure),
  }
}

function toPubSubError(failure: AppListRow['pubSubFailure']): PubSubError | null {
  if (!failure) return null
  const { response = '', description = null } = failure
  return { message: response, description }
}

/**
 * Minimum timeout of the check of an OAuth2 application: auth-bridge calls the provider several
 * times, each for at most 8 s.
 */
const minTimeoutMs = 30_000

/**
 * Checks an OAuth2 application by a command to auth-bridge, and adds the state of the account's
 * mailbox.
 */
function onCheckOAuth2App({ db, bus, settings, timeoutMs }: OAuth2AppDeps) {
  return handle(operations.checkOAuth2App, async ({ params, body, headers, signal }) => {
    const { app } = params
    const { account, testConnection = true } = body
    const row = await getApp(db, app)
    const minimum = { timeoutMs: Math.max(minTimeoutMs, timeoutMs) }
    const options = { key: 'credentials', timeoutMs: requestTimeout(minimum, headers), signal }
    const reply = await bus.request(verifyOAuth2App, { app, ...defined({ account }) }, options)
    const tested = testConnection ? account : undefined
    const [first, ...following] = reply.steps
    const steps = [
      ...(first ? [first] : []),
      redirectStep(row, await settings.get()),
      ...following,
      ...(await accountSteps(db, row, tested)),
    ]
    const failed = steps.find(({ status }) => status === 'fail')
    return {
      app,
      provider: row.provider,
      authMethod: row.config.authMethod ?? null,
      account: account ?? null,
      ok: failed === undefined,
      failedStep: failed?.id ?? null,
      steps,
    }
  })
}
