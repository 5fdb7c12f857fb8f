import type { CallObjects, Replacements } from './call-objects.ts'

type Prepare = (objects: CallObjects) => Promise<Replacements>

/**
 * Preparations of documented API calls that need an object, by operation id. Other calls concern
 * the account `jane`, or no object.
 */
export const preparations: Readonly<Record<string, Prepare>> = {
  createAccount: (objects) => objects.unusedName('jane'),
  updateAccount: (objects) => objects.account(),
  deleteAccount: (objects) => objects.account(),
  flushAccount: (objects) => objects.account(),
  reconnectAccount: (objects) => objects.account(),
  getMessage: (objects) => objects.message(),
  updateMessage: (objects) => objects.message(),
  moveMessage: (objects) => objects.message(),
  deleteMessage: (objects) => objects.message(),
  getMessageSource: (objects) => objects.message(),
  getText: (objects) => objects.message(),
  getAttachment: (objects) => objects.message(),
  submitDraft: (objects) => objects.draft(),
  updateMailbox: (objects) => objects.renamableMailbox(),
  deleteMailbox: (objects) => objects.mailbox(['Clients', 'Example']),
  getOutboxEntry: (objects) => objects.submission(),
  holdOutboxEntry: (objects) => objects.submission(),
  releaseOutboxEntry: (objects) => objects.heldSubmission(),
  sendOutboxEntry: (objects) => objects.submission(),
  deleteOutboxEntry: (objects) => objects.submission(),
  getExport: (objects) => objects.export(),
  downloadExport: (objects) => objects.export(),
  deleteExport: (objects) => objects.export(),
  getBlocklist: (objects) => objects.blocklist(),
  removeFromBlocklist: (objects) => objects.blocklist(),
  createGateway: (objects) => objects.unusedName('relay'),
  getGateway: (objects) => objects.gateway(),
  updateGateway: (objects) => objects.gateway(),
  deleteGateway: (objects) => objects.gateway(),
  getOAuth2App: (objects) => objects.app(),
  updateOAuth2App: (objects) => objects.app(),
  deleteOAuth2App: (objects) => objects.app(),
  checkOAuth2App: (objects) => objects.accountOfApp(),
  getTemplate: (objects) => objects.template(),
  updateTemplate: (objects) => objects.template(),
  deleteTemplate: (objects) => objects.template(),
  getToken: (objects) => objects.token(),
  getTokenLog: (objects) => objects.token(),
  deleteToken: (objects) => objects.token(),
  deleteTokenAlias: (objects) => objects.token(),
  getWebhookRoute: (objects) => objects.route(),
  updateWebhookRoute: (objects) => objects.route(),
  deleteWebhookRoute: (objects) => objects.route(),
  listWebhookRouteErrors: (objects) => objects.route(),
  getEvent: (objects) => objects.event(),
  getWebhookDelivery: (objects) => objects.delivery(),
  retryWebhookDelivery: (objects) => objects.delivery(),
  getWebhookReplay: (objects) => objects.replay(),
  getAccountJob: (objects) => objects.accountJob(),
  cancelAccountJob: (objects) => objects.accountJob(),
  getOutboxJob: (objects) => objects.outboxJob(),
  cancelOutboxJob: (objects) => objects.outboxJob(),
  releaseWorker: (objects) => objects.worker(),
}

/** Documented errors of API calls that cannot succeed on this machine, with the reason. */
export const expectedErrors: Readonly<Record<string, { status: number; reason: string }>> = {
  setLicense: { status: 403, reason: 'license keys do not exist' },
  deleteLicense: { status: 403, reason: 'license keys do not exist' },
  createOperatorToken: {
    status: 403,
    reason: 'only owners at the administration pages may call it',
  },
  exportAccounts: { status: 403, reason: 'the key of the example is not listed' },
  getOAuthToken: { status: 403, reason: 'reading of access tokens is switched off by default' },
}

/** Replaces the example values in a documented API call, longer values first. */
export function withValues(code: string, replacements: Replacements): string {
  return Object.entries(replacements)
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((text, [example, value]) => text.replaceAll(example, value), code)
}
