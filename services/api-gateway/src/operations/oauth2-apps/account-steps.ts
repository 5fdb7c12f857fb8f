import { isNotifiedByPubSub } from '@posthorn/contracts/account-types'
import type { OAuth2CheckStep } from '@posthorn/contracts/schemas/oauth2-app'
import type { Db } from '@posthorn/db'
import { findAccount, findWatch } from '../../store/accounts/account-records.ts'
import type { AppListRow } from '../../store/oauth2/oauth2-apps.ts'
import { findPubSubState } from '../../store/oauth2/pubsub-apps.ts'

type App = Pick<AppListRow, 'id' | 'provider' | 'config'>

/**
 * Steps in the verification of an OAuth2 application that report earlier results of workers: the
 * session of an account, its registration for notifications, and Pub/Sub. Reading these results
 * sends no requests to the provider.
 */
export async function accountSteps(
  db: Db,
  app: App,
  account: string | undefined,
): Promise<OAuth2CheckStep[]> {
  const { baseScopes = 'imap', pubSubApp } = app.config
  const pubSub = baseScopes === 'pubsub' ? app.id : pubSubApp
  const usesPubSub = baseScopes !== 'imap' && isNotifiedByPubSub(app.provider)
  return [
    ...(baseScopes === 'pubsub' ? [] : [await mailboxStep(db, account)]),
    ...(baseScopes === 'api' ? [await watchStep(db, account)] : []),
    ...(usesPubSub ? [await pubSubStep(db, pubSub || undefined)] : []),
  ]
}

/** Reports the state of the account's session at its mail system, without an additional login. */
async function mailboxStep(db: Db, account: string | undefined): Promise<OAuth2CheckStep> {
  const step = { id: 'mailbox', label: 'The mailbox of the account is connected' }
  const row = account === undefined ? undefined : await findAccount(db, account)
  if (!row) return { ...step, status: 'skip', message: 'No registered account was named' }
  const { state, lastError } = row
  if (state === 'connected' || state === 'syncing') return { ...step, status: 'ok', message: state }
  const failed = state === 'authenticationError' || state === 'connectError'
  return {
    ...step,
    status: failed ? 'fail' : 'skip',
    message: (failed && lastError?.response) || `The account is in the state ${state ?? 'new'}`,
  }
}

/** Reports the account's last registration for notifications of its mail provider. */
async function watchStep(db: Db, account: string | undefined): Promise<OAuth2CheckStep> {
  const step = { id: 'watch', label: 'The provider sends notifications for the account' }
  const row = account === undefined ? undefined : await findWatch(db, account)
  if (!row) return { ...step, status: 'skip', message: 'There is no registration; it is polled' }
  const { state, expiresAt, lastError } = row
  if (state === 'active' && expiresAt > new Date())
    return { ...step, status: 'ok', message: `until ${expiresAt.toISOString()}` }
  return {
    ...step,
    status: 'fail',
    message: lastError?.response ?? `The registration ended at ${expiresAt.toISOString()}`,
    hint: 'Check that the provider can reach notificationBaseUrl, and for Gmail its topic',
  }
}

/** Reports the state of the topic and subscription of an OAuth2 application for Pub/Sub. */
async function pubSubStep(db: Db, app: string | undefined): Promise<OAuth2CheckStep> {
  const step = { id: 'pubsub', label: 'Notifications of Gmail are received from Pub/Sub' }
  if (app === undefined)
    return { ...step, status: 'skip', message: 'The application has no pubSubApp' }
  const row = await findPubSubState(db, app)
  if (!row?.enabled)
    return {
      ...step,
      status: 'fail',
      message: `The application in pubSubApp ${row ? 'is disabled' : 'does not exist'}`,
      hint: row ? 'Enable the application' : 'Register an application with the base scope pubsub',
    }
  if (row.state === 'active') return { ...step, status: 'ok', message: null }
  if (row.state === null)
    return { ...step, status: 'skip', message: 'The application was not used yet' }
  return {
    ...step,
    status: 'fail',
    message: row.lastError?.response ?? `The state is ${row.state}`,
    hint: 'Enable the Pub/Sub API, and give the service account the role Pub/Sub Admin',
  }
}
