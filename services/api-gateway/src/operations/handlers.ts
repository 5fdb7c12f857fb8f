import { allOperations } from '@posthorn/contracts'
import type { OperationHandler } from '../http/handle.ts'
import { accountSyncHandlers, type AccountSyncDeps } from './accounts/account-sync.ts'
import { type CreateAccountDeps, onCreateAccount } from './accounts/create-account.ts'
import { type DeleteAccountDeps, onDeleteAccount } from './accounts/delete-account.ts'
import { type OAuthTokenDeps, onGetOAuthToken } from './accounts/get-oauth-token.ts'
import { accountReadHandlers } from './accounts/read-accounts.ts'
import { onUpdateAccount } from './accounts/update-account.ts'
import { onVerifyAccount } from './accounts/verify-account.ts'
import { blocklistHandlers } from './blocklists.ts'
import {
  type AuthenticationFormDeps,
  onCreateAuthenticationForm,
} from './create-authentication-form.ts'
import { type FollowChangesDeps, onFollowChanges } from './follow-changes.ts'
import { gatewayHandlers } from './gateways/gateways.ts'
import { type AutoconfigOperationDeps, onGetAutoconfig } from './get-autoconfig.ts'
import { onGetLogs } from './get-logs.ts'
import { onGetStats, type StatsDeps } from './get-stats.ts'
import { licenseHandlers } from './license.ts'
import { oauth2AppHandlers } from './oauth2-apps/oauth2-apps.ts'
import { outboxHandlers } from './outbox.ts'
import { queueHandlers } from './queues.ts'
import { settingsHandlers } from './settings/settings.ts'
import { OutboxWriter, type OutboxWriterDeps } from './submissions/outbox-writer.ts'
import { onSubmitDraft } from './submissions/submit-draft.ts'
import { onSubmitMessage, type SubmitDeps } from './submissions/submit-message.ts'
import { templateHandlers } from './templates.ts'
import { type TokenDeps, tokenHandlers } from './tokens.ts'
import { onUploadMessage, type UploadDeps } from './upload-message.ts'
import { webhookDeliveryHandlers } from './webhook-deliveries.ts'
import { type WebhookRouteDeps, webhookRouteHandlers } from './webhook-routes/webhook-routes.ts'
import { workerHandlers } from './worker-operations.ts'

/** Union of the dependencies of all operations; each takes its own part. */
export type OperationDeps = AccountSyncDeps &
  AuthenticationFormDeps &
  AutoconfigOperationDeps &
  CreateAccountDeps &
  DeleteAccountDeps &
  FollowChangesDeps &
  OAuthTokenDeps &
  Omit<SubmitDeps, 'writer'> &
  OutboxWriterDeps &
  StatsDeps &
  TokenDeps &
  UploadDeps &
  WebhookRouteDeps

/** Handlers of all operations of the contract. @throws Error if one is missing */
export function operationHandlers(deps: OperationDeps): OperationHandler[] {
  const writer = new OutboxWriter(deps)
  const handlers = [
    ...accountReadHandlers(deps),
    onCreateAccount(deps),
    onUpdateAccount(deps),
    onDeleteAccount(deps),
    onVerifyAccount(deps),
    onGetOAuthToken(deps),
    ...accountSyncHandlers(deps),
    onCreateAuthenticationForm(deps),
    onGetAutoconfig(deps),
    ...workerHandlers(deps),
    onUploadMessage(deps),
    onSubmitMessage({ ...deps, writer }),
    onSubmitDraft({ ...deps, writer }),
    ...outboxHandlers(deps),
    ...queueHandlers(deps),
    onFollowChanges(deps),
    onGetLogs(deps),
    onGetStats(deps),
    ...settingsHandlers(deps),
    ...tokenHandlers(deps),
    ...licenseHandlers(),
    ...templateHandlers(deps),
    ...gatewayHandlers(deps),
    ...oauth2AppHandlers(deps),
    ...blocklistHandlers(deps),
    ...webhookDeliveryHandlers(deps),
    ...webhookRouteHandlers(deps),
  ]
  const handled = new Set(handlers.map(({ operation }) => operation.id))
  const missing = allOperations.filter(({ id }) => !handled.has(id)).map(({ id }) => id)
  if (missing.length > 0) throw new Error(`operations without a handler: ${missing.join(', ')}`)
  return handlers
}
