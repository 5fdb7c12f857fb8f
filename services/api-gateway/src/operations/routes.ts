import type { Bus } from '@posthorn/bus'
import { allOperations } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import type { LinkKeys } from '@posthorn/links'
import type { Sandbox } from '@posthorn/sandbox'
import type { Sealer } from '@posthorn/secrets'
import type { Renderer } from '@posthorn/templates'
import type { TokenCache } from '../access/token-cache.ts'
import type { BackgroundTasks } from '../background-tasks.ts'
import type { Autoconfig } from '../autoconfig/autoconfig.ts'
import type { ChangeStreams } from '../changes/change-streams.ts'
import { onCreateAccount } from './accounts/create-account.ts'
import { onDeleteAccount } from './accounts/delete-account.ts'
import { onFlushAccount } from './accounts/flush-account.ts'
import { onGetAccount } from './accounts/get-account.ts'
import { onGetOAuthToken } from './accounts/get-oauth-token.ts'
import { onGetServerSignatures } from './accounts/get-server-signatures.ts'
import { onListAccounts } from './accounts/list-accounts.ts'
import { onReconnectAccount } from './accounts/reconnect-account.ts'
import { onSyncAccount } from './accounts/sync-account.ts'
import { onUpdateAccount } from './accounts/update-account.ts'
import { onVerifyAccount } from './accounts/verify-account.ts'
import { onCreateAuthenticationForm } from './authentication/create-authentication-form.ts'
import { onGetAutoconfig } from './autoconfig/get-autoconfig.ts'
import { onAddToBlocklist } from './blocklists/add-to-blocklist.ts'
import { onGetBlocklist } from './blocklists/get-blocklist.ts'
import { onListBlocklists } from './blocklists/list-blocklists.ts'
import { onRemoveFromBlocklist } from './blocklists/remove-from-blocklist.ts'
import type { BodyMemoryLimiter } from '../http/body-memory.ts'
import { onFollowChanges } from './changes/follow-changes.ts'
import { onCreateGateway } from './gateways/create-gateway.ts'
import { onDeleteGateway } from './gateways/delete-gateway.ts'
import { onGetGateway } from './gateways/get-gateway.ts'
import { onListGateways } from './gateways/list-gateways.ts'
import { onUpdateGateway } from './gateways/update-gateway.ts'
import type { Route } from '../http/route.ts'
import { onLicense } from './license/license.ts'
import { onGetLogs } from './logs/get-logs.ts'
import { onListMailboxes } from './mailboxes/list-mailboxes.ts'
import { onGetAttachment } from './messages/get-attachment.ts'
import { onGetMessageSource } from './messages/get-message-source.ts'
import { onGetMessage } from './messages/get-message.ts'
import { onGetText } from './messages/get-text.ts'
import { onListMessages } from './messages/list-messages.ts'
import { onSearchMessages } from './messages/search-messages.ts'
import { onCreateMailbox } from './mailboxes/create-mailbox.ts'
import { onDeleteMailbox } from './mailboxes/delete-mailbox.ts'
import { onUpdateMailbox } from './mailboxes/update-mailbox.ts'
import { onUpdateMessage } from './messages/update-message.ts'
import { onUpdateMessages } from './messages/update-messages.ts'
import { onMoveMessage } from './messages/move-message.ts'
import { onMoveMessages } from './messages/move-messages.ts'
import { onDeleteMessage } from './messages/delete-message.ts'
import { onDeleteMessages } from './messages/delete-messages.ts'
import { onCheckOAuth2App } from './oauth2/check-app.ts'
import { onCreateOAuth2App } from './oauth2/create-app.ts'
import { onDeleteOAuth2App } from './oauth2/delete-app.ts'
import { onGetOAuth2App } from './oauth2/get-app.ts'
import { onListOAuth2Apps } from './oauth2/list-apps.ts'
import { onUpdateOAuth2App } from './oauth2/update-app.ts'
import { onChangeOutboxEntry } from './outbox/change-outbox-entry.ts'
import { onGetOutboxEntry } from './outbox/get-outbox-entry.ts'
import { onListOutbox } from './outbox/list-outbox.ts'
import { onGetQueue } from './queues/get-queue.ts'
import { onUpdateQueue } from './queues/update-queue.ts'
import { onGetSettings } from './settings/get-settings.ts'
import { onUpdateSettings } from './settings/update-settings.ts'
import { onGetStats } from './stats/get-stats.ts'
import { onSubmitDraft } from './submissions/submit-draft.ts'
import { onSubmitMessage } from './submissions/submit-message.ts'
import { onCreateTemplate } from './templates/create-template.ts'
import { onDeleteTemplate } from './templates/delete-template.ts'
import { onFlushTemplates } from './templates/flush-templates.ts'
import { onGetTemplate } from './templates/get-template.ts'
import { onListTemplates } from './templates/list-templates.ts'
import { onUpdateTemplate } from './templates/update-template.ts'
import { onCreateToken } from './tokens/create-token.ts'
import { onDeleteToken } from './tokens/delete-token.ts'
import { onGetTokenLog } from './tokens/get-token-log.ts'
import { onGetToken } from './tokens/get-token.ts'
import { onListTokens } from './tokens/list-tokens.ts'
import { onUploadMessage } from './uploads/upload-message.ts'
import { onGetWebhookDelivery } from './webhook-deliveries/get-webhook-delivery.ts'
import { onListWebhookDeliveries } from './webhook-deliveries/list-webhook-deliveries.ts'
import { onReplayWebhooks } from './webhook-deliveries/replay-webhooks.ts'
import { onCreateWebhookRoute } from './webhook-routes/create-webhook-route.ts'
import { onDeleteWebhookRoute } from './webhook-routes/delete-webhook-route.ts'
import { onGetWebhookRoute } from './webhook-routes/get-webhook-route.ts'
import { onListWebhookRouteErrors } from './webhook-routes/list-webhook-route-errors.ts'
import { onListWebhookRoutes } from './webhook-routes/list-webhook-routes.ts'
import { onTestWebhookRoute } from './webhook-routes/test-webhook-route.ts'
import { onUpdateWebhookRoute } from './webhook-routes/update-webhook-route.ts'

/** What the operations work with. */
export interface Deps {
  db: Db
  outbox: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tokens: TokenCache
  tasks: BackgroundTasks
  autoconfig: Autoconfig
  renderer: Renderer
  sandbox: Sandbox
  links: LinkKeys
  timeoutMs: number
  /** Access tokens are given away, whatever the setting says. */
  oauthTokensApi: boolean
  /** Of bodies of operations that take uploads. */
  maxUploadBytes: number
  /** Room in memory for what is read out of mailboxes to be sent. */
  storedMemory: BodyMemoryLimiter
  changes: ChangeStreams
  version: string
  /** Entries that the log of a token keeps. */
  tokenLogEntries: number
  /** How long the heartbeat of a sync-worker lasts. */
  workerExpiryMs: number
}

/** Every operation of the contracts with its handler. */
export function allRoutes(deps: Deps): Route[] {
  const routes = [
    onCreateAccount(deps),
    onDeleteAccount(deps),
    onGetAccount(deps),
    onListAccounts(deps),
    onUpdateAccount(deps),
    onVerifyAccount(deps),
    onCreateAuthenticationForm(deps),
    onGetAutoconfig(deps),
    onReconnectAccount(deps),
    onSyncAccount(deps),
    onFlushAccount(deps),
    onGetServerSignatures(deps),
    onListMailboxes(deps),
    onCreateMailbox(deps),
    onDeleteMailbox(deps),
    onUpdateMailbox(deps),
    onUpdateMessage(deps),
    onUpdateMessages(deps),
    onMoveMessage(deps),
    onMoveMessages(deps),
    onDeleteMessage(deps),
    onDeleteMessages(deps),
    onGetAttachment(deps),
    onGetMessage(deps),
    onGetMessageSource(deps),
    onGetText(deps),
    onListMessages(deps),
    onSearchMessages(deps),
    onUploadMessage(deps),
    onGetSettings(deps),
    onUpdateSettings(deps),
    onFollowChanges(deps),
    onGetLogs(deps),
    onGetStats(deps),
    onSubmitDraft(deps),
    onSubmitMessage(deps),
    onListOutbox(deps),
    onGetOutboxEntry(deps),
    ...onChangeOutboxEntry(deps),
    onGetQueue(deps),
    onUpdateQueue(deps),
    ...onCreateToken(deps),
    ...onDeleteToken(deps),
    // Before those with a token in their place: an account may be called `log`.
    ...onListTokens(deps),
    onGetToken(deps),
    onGetTokenLog(deps),
    ...onLicense(),
    onListWebhookDeliveries(deps),
    onGetWebhookDelivery(deps),
    ...onReplayWebhooks(deps),
    ...registers(deps),
    ...webhookRoutes(deps),
  ]
  const handled = new Set(routes.map(({ operation }) => operation.id))
  const missing = allOperations.filter(({ id }) => !handled.has(id)).map(({ id }) => id)
  if (missing.length > 0) throw new Error(`nobody handles ${missing.join(', ')}`)
  return routes
}

/** What sending refers to. */
function registers(deps: Deps): Route[] {
  return [
    onListTemplates(deps),
    onCreateTemplate(deps),
    onGetTemplate(deps),
    onUpdateTemplate(deps),
    onDeleteTemplate(deps),
    onFlushTemplates(deps),
    onCreateGateway(deps),
    onGetGateway(deps),
    onUpdateGateway(deps),
    onDeleteGateway(deps),
    onListGateways(deps),
    ...oauth2(deps),
    onListBlocklists(deps),
    onGetBlocklist(deps),
    onAddToBlocklist(deps),
    onRemoveFromBlocklist(deps),
  ]
}

/** Whom providers of mail know us as, and what they let us in with. */
function oauth2(deps: Deps): Route[] {
  return [
    onListOAuth2Apps(deps),
    onCreateOAuth2App(deps),
    onGetOAuth2App(deps),
    onUpdateOAuth2App(deps),
    onDeleteOAuth2App(deps),
    onCheckOAuth2App(deps),
    onGetOAuthToken(deps),
  ]
}

/** Two of them are the API's, the others those of the admin pages. */
function webhookRoutes(deps: Deps): Route[] {
  return [
    onListWebhookRoutes(deps),
    onGetWebhookRoute(deps),
    onCreateWebhookRoute(deps),
    onUpdateWebhookRoute(deps),
    onDeleteWebhookRoute(deps),
    onTestWebhookRoute(deps),
    onListWebhookRouteErrors(deps),
  ]
}
