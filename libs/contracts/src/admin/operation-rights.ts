import type { OperationId } from '../operations/index.ts'
import type { Rights } from './input-rights.ts'

// Owners may do everything, operators everything except managing people, keys and mail proxies.
// Support helps with accounts, the outbox and webhook deliveries. Auditors read everything except
// mail and change nothing.
const everyone: Rights = { roles: ['owner', 'operator', 'support', 'auditor'] }
const readers: Rights = { roles: ['owner', 'operator', 'auditor'] }
const helpers: Rights = { roles: ['owner', 'operator', 'support'] }
const operators: Rights = { roles: ['owner', 'operator'] }
const owners: Rights = { roles: ['owner'] }
/** Reading mail is a right of a person, so that every role may have this right. */
const mailReaders: Rights = { ...everyone, mail: 'needed' }

function withStepUp(rights: Rights): Rights {
  return { ...rights, stepUp: true }
}

/**
 * Rights that a person at the administration pages needs for each operation of the API. A new
 * operation does not compile without a row. `input-rights.ts` lists the requests that need more.
 */
export const operationRights: Readonly<Record<OperationId, Rights>> = {
  // Accounts
  listAccounts: everyone,
  getAccount: everyone,
  getServerSignatures: everyone,
  followChanges: everyone,
  reconnectAccount: helpers,
  syncAccount: helpers,
  createAccount: operators,
  updateAccount: operators,
  deleteAccount: operators,
  flushAccount: operators,
  verifyAccount: operators,
  createAuthenticationForm: operators,
  getAutoconfig: everyone,
  getLogs: mailReaders,
  // The access token of the mail provider opens the whole mailbox outside of Posthorn.
  getOAuthToken: withStepUp({ ...operators, mail: 'needed' }),
  importAccounts: withStepUp(operators),
  // The response has the secrets of all accounts, sealed for the key of another installation.
  exportAccounts: withStepUp(owners),

  // Mailboxes and messages
  listMailboxes: everyone,
  createMailbox: operators,
  updateMailbox: operators,
  deleteMailbox: withStepUp(operators),
  listMessages: mailReaders,
  searchMessages: mailReaders,
  getMessage: mailReaders,
  getMessageSource: mailReaders,
  getText: mailReaders,
  getAttachment: mailReaders,
  updateMessage: operators,
  updateMessages: operators,
  moveMessage: operators,
  moveMessages: operators,
  deleteMessage: operators,
  deleteMessages: withStepUp(operators),
  uploadMessage: operators,

  // Sending
  submitMessage: operators,
  submitDraft: operators,
  listOutbox: everyone,
  getOutboxEntry: everyone,
  holdOutboxEntry: helpers,
  releaseOutboxEntry: helpers,
  sendOutboxEntry: helpers,
  deleteOutboxEntry: operators,
  listTemplates: readers,
  getTemplate: readers,
  createTemplate: operators,
  updateTemplate: operators,
  deleteTemplate: operators,
  flushTemplates: withStepUp(operators),
  listGateways: readers,
  getGateway: readers,
  createGateway: operators,
  updateGateway: operators,
  deleteGateway: operators,
  listBlocklists: readers,
  getBlocklist: readers,
  addToBlocklist: operators,
  removeFromBlocklist: operators,

  // Exports
  listExports: readers,
  listAllExports: readers,
  getExport: readers,
  downloadExport: mailReaders,
  createExport: operators,
  deleteExport: operators,

  // Webhooks
  listWebhookDeliveries: everyone,
  // Without the right to read mail, the response has no payload.
  getWebhookDelivery: { ...everyone, mail: 'partial' },
  retryWebhookDelivery: helpers,
  listWebhookReplays: everyone,
  getWebhookReplay: everyone,
  createWebhookReplay: helpers,
  testWebhookTarget: operators,
  listWebhookRoutes: readers,
  getWebhookRoute: readers,
  // Functions can put mail into the texts of their errors.
  listWebhookRouteErrors: { ...readers, mail: 'partial' },
  testWebhookRoute: operators,
  createWebhookRoute: operators,
  updateWebhookRoute: operators,
  deleteWebhookRoute: operators,

  // Jobs on many accounts or submissions. The action decides who may create a job.
  listAccountJobs: everyone,
  getAccountJob: everyone,
  createAccountJob: helpers,
  cancelAccountJob: helpers,
  listOutboxJobs: everyone,
  getOutboxJob: everyone,
  createOutboxJob: helpers,
  cancelOutboxJob: helpers,

  // Access
  listTokens: readers,
  listTokensAlias: readers,
  getToken: readers,
  getTokenLog: readers,
  createToken: operators,
  createTokenAlias: operators,
  deleteToken: operators,
  deleteTokenAlias: operators,
  importTokens: withStepUp(operators),
  listOAuth2Apps: readers,
  getOAuth2App: readers,
  checkOAuth2App: operators,
  createOAuth2App: operators,
  updateOAuth2App: operators,
  deleteOAuth2App: operators,
  // Lists public keys only.
  listKeys: readers,
  importLinkKey: withStepUp(owners),

  // System
  getStats: everyone,
  getStatsSeries: everyone,
  listFindings: everyone,
  listWorkers: readers,
  releaseWorker: operators,
  getPubSubStatus: everyone,
  getQueue: readers,
  updateQueue: operators,
  getSettings: readers,
  updateSettings: operators,
  getLicense: readers,
  setLicense: operators,
  deleteLicense: operators,
}
