import { ids, messageIds, onlyPage } from './cast.ts'

const submission = {
  queueId: ids.submission,
  account: 'jane',
  source: 'api',
  state: 'queued',
  messageId: messageIds.toAda,
  envelope: { from: 'jane@example.com', to: ['ada@example.org'] },
  subject: 'Hello',
  gateway: null,
  proxy: null,
  localAddress: null,
  idempotencyKey: null,
  useStructuredFormat: false,
  created: '2030-01-31T08:00:00.000Z',
  scheduled: '2030-01-31T08:00:00.000Z',
  nextAttempt: '2030-01-31T08:00:05.000Z',
  attemptsMade: 1,
  attempts: 10,
  progress: {
    status: 'error',
    error: { message: '421 4.3.2 Try again later', code: 'EPROTOCOL', statusCode: 421 },
  },
}
const gateway = {
  gateway: 'relay',
  name: 'Relay',
  deliveries: 7,
  lastUse: '2030-01-31T08:00:00.000Z',
  lastError: null,
}
const template = {
  id: ids.template,
  name: 'Welcome',
  format: 'html',
  created: '2030-01-02T10:00:00.000Z',
  updated: '2030-01-02T10:00:00.000Z',
}
const identity = { account: null, id: ids.template }

/**
 * Examples of responses of the operations on submissions, the outbox, gateways, templates and
 * blocklists, by operation id.
 */
export const sendingResponses = {
  submitMessage: {
    response: 'Queued for delivery',
    messageId: messageIds.toAda,
    sendAt: '2030-01-31T08:00:00.000Z',
    queueId: ids.submission,
  },
  submitDraft: {
    response: 'Queued for delivery',
    messageId: '<90de-draft@posthorn.example.com>',
    sendAt: '2030-01-31T09:00:00.000Z',
    queueId: 'AAABuLdmsoCf3TwB',
  },
  listOutbox: { ...onlyPage(1), messages: [submission] },
  getOutboxEntry: {
    ...submission,
    state: 'sent',
    nextAttempt: false,
    attemptsMade: 2,
    progress: {
      status: 'submitted',
      response: '250 2.0.0 Ok: queued as 4ZxQ1r',
      messageId: messageIds.toAda,
    },
  },
  deleteOutboxEntry: { deleted: true },
  holdOutboxEntry: { held: true },
  releaseOutboxEntry: { released: true },
  sendOutboxEntry: { due: true },
  createGateway: { gateway: 'relay', state: 'new' },
  getGateway: {
    ...gateway,
    user: 'posthorn',
    pass: '******',
    host: 'relay.example.com',
    port: 587,
    secure: false,
  },
  updateGateway: { gateway: 'relay' },
  deleteGateway: { gateway: 'relay', deleted: true },
  listGateways: { ...onlyPage(1), gateways: [gateway] },
  listTemplates: { account: null, ...onlyPage(1), templates: [template] },
  createTemplate: { created: true, ...identity },
  getTemplate: {
    account: null,
    ...template,
    content: { subject: 'Welcome {{params.name}}', html: '<p>Good to see you</p>' },
  },
  updateTemplate: { updated: true, ...identity },
  deleteTemplate: { deleted: true, ...identity },
  flushTemplates: { flushed: true, account: 'jane' },
  listBlocklists: { ...onlyPage(1), blocklists: [{ listId: 'news', count: 2 }] },
  getBlocklist: {
    listId: 'news',
    ...onlyPage(2),
    addresses: [
      {
        recipient: 'ada@example.org',
        account: 'jane',
        messageId: messageIds.toAda,
        source: 'one-click',
        reason: 'unsubscribe',
        remoteAddress: '192.0.2.14',
        userAgent: 'Mozilla/5.0',
        created: '2030-01-31T08:10:00.000Z',
      },
      {
        recipient: 'carl@example.net',
        account: 'jane',
        source: 'api',
        reason: 'block',
        created: '2030-01-20T12:00:00.000Z',
      },
    ],
  },
  addToBlocklist: { success: true, added: true },
  removeFromBlocklist: { deleted: true },
}
