import type { OperationId } from '../operations/index.ts'
import type { Rights } from './input-rights.ts'

// Rights of the roles at the administration pages: owners may call all operations. Operators may
// not manage people, keys and mail proxies. Support helps with accounts, the outbox and webhook
// deliveries. Auditors read everything except mail and change nothing.
const everyone: Rights = { roles: ['owner', 'operator', 'support', 'auditor'] }
const readers: Rights = { roles: ['owner', 'operator', 'auditor'] }
const helpers: Rights = { roles: ['owner', 'operator', 'support'] }
const operators: Rights = { roles: ['owner', 'operator'] }
const owners: Rights = { roles: ['owner'] }
/**
 * Rights for API operations that read mail. The right to read mail belongs to a person, so that
 * people of every role may have this right.
 */
const mailReaders: Rights = { ...everyone, mail: 'needed' }

function withStepUp(rights: Rights): Rights {
  return { ...rights, stepUp: true }
}

/**
 * Rights that a person at the administration pages needs for each operation of the API. A new
 * operation without an entry in this table does not compile. `input-rights.ts` lists the requests
 * that need more.
 */
export const operationRights: Readonly<Record<OperationId, Rights>> = {
  // Rights for API operations on accounts.
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
  // The access token that `getOAuthToken` returns opens the whole mailbox at the mail provider.
  getOAuthToken: withStepUp({ ...operators, mail: 'needed' }),
  importAccounts: withStepUp(operators),
  // The exported accounts contain the secrets of all accounts, sealed for the key of another
  // installation.
  exportAccounts: withStepUp(owners),

  // Rights for API operations on mailboxes and messages.
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

  // Rights for API operations that send messages or manage sending.
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

  // Rights for API operations on exports of messages.
  listExports: readers,
  listAllExports: readers,
  getExport: readers,
  downloadExport: mailReaders,
  createExport: operators,
  deleteExport: operators,

  // Rights for API operations on events, webhook deliveries and webhook routes. Lists of events
  // contain no mail. The body of an event does: `input-rights.ts` has the rights for reading the
  // body.
  listEvents: everyone,
  getEvent: { ...everyone, mail: 'partial' },
  followEvents: everyone,
  listWebhookDeliveries: everyone,
  // Without the right to read mail, the returned webhook delivery has no payload.
  getWebhookDelivery: { ...everyone, mail: 'partial' },
  retryWebhookDelivery: helpers,
  listWebhookReplays: everyone,
  getWebhookReplay: everyone,
  createWebhookReplay: helpers,
  listWebhookTargets: everyone,
  testWebhookTarget: operators,
  listWebhookRoutes: readers,
  getWebhookRoute: readers,
  // The functions of webhook routes can put mail into the texts of their errors.
  listWebhookRouteErrors: { ...readers, mail: 'partial' },
  testWebhookRoute: operators,
  createWebhookRoute: operators,
  updateWebhookRoute: operators,
  deleteWebhookRoute: operators,

  // Rights for bulk jobs on many accounts or submissions. The action of a job decides who may
  // create the job.
  listAccountJobs: everyone,
  getAccountJob: everyone,
  createAccountJob: helpers,
  cancelAccountJob: helpers,
  listOutboxJobs: everyone,
  getOutboxJob: everyone,
  createOutboxJob: helpers,
  cancelOutboxJob: helpers,

  // Rights for API operations on access tokens, OAuth2 applications and keys.
  listTokens: readers,
  listTokensAlias: readers,
  getToken: readers,
  getTokenLog: readers,
  createToken: operators,
  createTokenAlias: operators,
  deleteToken: operators,
  deleteTokenAlias: operators,
  createOperatorToken: withStepUp(owners),
  importTokens: withStepUp(operators),
  listOAuth2Apps: readers,
  getOAuth2App: readers,
  checkOAuth2App: operators,
  createOAuth2App: operators,
  updateOAuth2App: operators,
  deleteOAuth2App: operators,
  // The operation `listKeys` lists public keys only.
  listKeys: readers,
  importLinkKey: withStepUp(owners),

  // Rights for API operations on the whole installation.
  getStats: everyone,
  getStatsSeries: everyone,
  listFindings: everyone,
  listWorkers: readers,
  listMailProxies: readers,
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
