import * as account from './account.ts'
import * as credentials from './credentials.ts'
import * as mailboxChanges from './mailbox-changes.ts'
import * as messageChanges from './message-changes.ts'
import * as oauth2 from './oauth2.ts'
import * as oauth2Login from './oauth2-login.ts'
import * as outbox from './outbox.ts'
import * as reading from './reading.ts'
import * as sent from './sent.ts'
import * as upload from './upload.ts'
import * as search from './search.ts'
import * as upkeep from './maintenance.ts'
import * as verify from './verify.ts'

export * from './account.ts'
export * from './allowed-requesters.ts'
export * from './credentials.ts'
export * from './mailbox-changes.ts'
export * from './message-changes.ts'
export * from './oauth2.ts'
export * from './oauth2-login.ts'
export * from './outbox.ts'
export * from './reading.ts'
export * from './sent.ts'
export * from './upload.ts'
export * from './search.ts'
export * from './maintenance.ts'
export * from './verify.ts'

/** Commands that the holder of an account's shard answers. */
export const accountCommands = {
  ...account,
  ...mailboxChanges,
  ...messageChanges,
  ...reading,
  ...search,
  ...upkeep,
  ...upload,
  ...sent,
}
/** Commands that any sync-worker, or any sender, answers. */
export const verifyCommands = verify
/** Commands that any sender answers. */
export const outboxCommands = outbox
export const credentialCommands = {
  getCredentials: credentials.getCredentials,
  getServiceSecret: credentials.getServiceSecret,
  getLinkSecret: credentials.getLinkSecret,
  getOpenAiApiKey: credentials.getOpenAiApiKey,
  openLogin: credentials.unsealLogin,
  openHeader: credentials.unsealHeader,
  getGatewayCredentials: credentials.getGatewayCredentials,
  checkSmtpServerPassword: credentials.checkSmtpServerPassword,
  checkImapProxyServerPassword: credentials.checkImapProxyServerPassword,
  ...oauth2,
  ...oauth2Login,
}
