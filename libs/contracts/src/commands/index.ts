import * as accountTransfers from './account-transfers.ts'
import * as adminTotp from './admin-totp.ts'
import * as credentials from './credentials.ts'
import * as filing from './filing.ts'
import * as mailboxes from './mailboxes.ts'
import * as maintenance from './maintenance.ts'
import * as messageChanges from './message-changes.ts'
import * as messages from './messages.ts'
import * as oauth2 from './oauth2.ts'
import * as oauth2Login from './oauth2-login.ts'
import * as notifications from './notifications.ts'
import * as outbox from './outbox.ts'
import { lendUnits } from './quota.ts'
import * as verify from './verify.ts'

/**
 * Commands about mailboxes and messages of an account, served by the sync-worker that holds the
 * account's shard (group of accounts).
 */
export const accountCommands = {
  ...mailboxes,
  ...messages,
  ...messageChanges,
  ...maintenance,
  ...filing,
}
/**
 * Commands without a reply that forward notifications of mail providers to the sync-worker that
 * holds a shard (group of accounts): exchange `commands`.
 */
export const oneWayCommands = { changesNoticed: notifications.changesNoticed }
/**
 * Commands about request limits of mail providers, served by the sync-worker that holds the
 * account's shard (group of accounts).
 */
export const quotaCommands = { lendUnits }
/**
 * Commands that test mail servers and webhook targets, served by any sync-worker (`verifyImap`),
 * any sender (`verifySmtp`) or any webhook-dispatcher (`verifyWebhook`).
 */
export const verifyCommands = verify
/** Commands about submissions (requests to send a message) in the outbox, served by any sender. */
export const outboxCommands = outbox
/** Commands about credentials, served by auth-bridge. */
export const credentialCommands = {
  getCredentials: credentials.getCredentials,
  getServiceSecret: credentials.getServiceSecret,
  getLinkSecret: credentials.getLinkSecret,
  getOpenAiApiKey: credentials.getOpenAiApiKey,
  unsealLogin: credentials.unsealLogin,
  unsealHeader: credentials.unsealHeader,
  getExportKey: credentials.getExportKey,
  getGatewayCredentials: credentials.getGatewayCredentials,
  checkSmtpServerPassword: credentials.checkSmtpServerPassword,
  checkImapProxyServerPassword: credentials.checkImapProxyServerPassword,
  sealAccountTransfers: accountTransfers.sealAccountTransfers,
  checkAccountTransfers: accountTransfers.checkAccountTransfers,
  ...adminTotp,
  ...oauth2,
  ...oauth2Login,
}
