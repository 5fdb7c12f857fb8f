import { allOperations, operations } from '@posthorn/contracts/operations'
import { parsePosition } from '../changes/position.ts'
import { handle, handleWriter, type OperationHandler } from '../http/handle.ts'
import { accountSyncHandlers } from './accounts/account-sync.ts'
import { onCreateAccount, onDeleteAccount, onUpdateAccount } from './accounts/change-accounts.ts'
import { onCreateAuthenticationForm } from './accounts/create-authentication-form.ts'
import { onGetLogs } from './accounts/get-logs.ts'
import { onGetOAuthToken } from './accounts/get-oauth-token.ts'
import { accountReadHandlers } from './accounts/read-accounts.ts'
import { transferHandlers } from './accounts/transfer-accounts.ts'
import { onVerifyAccount } from './accounts/verify-account.ts'
import { blocklistHandlers } from './blocklists.ts'
import { eventHandlers } from './events.ts'
import { exportHandlers } from './exports.ts'
import { gatewayHandlers } from './gateways/gateways.ts'
import { onGetStats } from './installation/get-stats.ts'
import { installationHandlers } from './installation/installation.ts'
import { licenseHandlers } from './installation/license.ts'
import { queueHandlers } from './installation/queues.ts'
import { jobHandlers } from './jobs.ts'
import { onUploadMessage } from './messages/upload-message.ts'
import { workerHandlers } from './messages/worker-operations.ts'
import { oauth2AppHandlers } from './oauth2-apps/oauth2-apps.ts'
import type { OperationDeps } from './operation-deps.ts'
import { onImportLinkKey } from './settings/import-link-key.ts'
import { settingsHandlers } from './settings/settings.ts'
import { OutboxWriter } from './submissions/outbox-writer.ts'
import { outboxHandlers } from './submissions/outbox.ts'
import { onSubmitDraft } from './submissions/submit-draft.ts'
import { onSubmitMessage } from './submissions/submit-message.ts'
import { templateHandlers } from './templates.ts'
import { onImportTokens } from './tokens/import-tokens.ts'
import { tokenHandlers } from './tokens/tokens.ts'
import { webhookDeliveryHandlers } from './webhooks/webhook-deliveries.ts'
import { webhookRouteHandlers } from './webhooks/webhook-routes.ts'
import { webhookTargetHandlers } from './webhooks/webhook-targets.ts'

/** Handlers of all API operations of the contract. @throws Error if a handler is missing */
export function operationHandlers(deps: OperationDeps): OperationHandler[] {
  const writer = new OutboxWriter(deps)
  const handlers = [
    ...accountReadHandlers(deps),
    onCreateAccount(deps),
    onUpdateAccount(deps),
    onDeleteAccount(deps),
    onVerifyAccount(deps),
    ...transferHandlers(deps),
    onGetOAuthToken(deps),
    ...accountSyncHandlers(deps),
    onCreateAuthenticationForm(deps),
    handle(operations.getAutoconfig, ({ query, signal }) => deps.autoconfig(query.email, signal)),
    ...workerHandlers(deps),
    onUploadMessage(deps),
    onSubmitMessage(deps, writer),
    onSubmitDraft(deps, writer),
    ...outboxHandlers(deps),
    ...queueHandlers(deps),
    handleWriter(operations.followChanges, ({ query, headers, caller }) => {
      // The header `Last-Event-ID` overrides the position in the query of a change stream request,
      // because an EventSource reconnects with the URL of its first request.
      const { 'last-event-id': lastEventId } = headers
      const position = parsePosition(lastEventId) ?? parsePosition(query.lastEventId)
      return deps.changes.open(position, caller)
    }),
    ...eventHandlers(deps),
    ...exportHandlers(deps),
    onGetLogs(deps),
    onGetStats(deps),
    ...installationHandlers(deps),
    ...settingsHandlers(deps),
    onImportLinkKey(deps),
    ...tokenHandlers(deps),
    onImportTokens(deps),
    ...jobHandlers(deps),
    ...licenseHandlers(),
    ...templateHandlers(deps),
    ...gatewayHandlers(deps),
    ...oauth2AppHandlers(deps),
    ...blocklistHandlers(deps),
    ...webhookDeliveryHandlers(deps),
    ...webhookRouteHandlers(deps),
    ...webhookTargetHandlers(deps),
  ]
  const handled = new Set(handlers.map(({ operation }) => operation.id))
  const missing = allOperations.filter(({ id }) => !handled.has(id)).map(({ id }) => id)
  if (missing.length > 0) throw new Error(`operations without a handler: ${missing.join(', ')}`)
  return handlers
}
