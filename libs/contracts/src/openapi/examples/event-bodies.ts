import type { EventName } from '../../events/index.ts'
import { fromAda, ids, messageIds, messageText } from './cast.ts'

const serviceUrl = 'https://posthorn.example.com'
const inbox = { path: 'INBOX', specialUse: '\\Inbox' }
const clients = { path: 'Clients/Example', name: 'Example', specialUse: false }
const envelope = { from: 'jane@example.com', to: ['ada@example.org'] }
const message = { id: ids.message, uid: 481 }
const toAda = { messageId: messageIds.toAda, queueId: ids.submission }
const visitor = { remoteAddress: '198.51.100.9', userAgent: 'Mozilla/5.0' }

/** Body of the webhook of an event that concerns an account, not a mailbox. */
function ofAccount(event: EventName, data: object) {
  return { serviceUrl, account: 'jane', date: '2030-01-31T08:00:00.000Z', event, data }
}

/** Body of the webhook of an event that concerns a mailbox or a message in a mailbox. */
function ofMailbox(event: EventName, data: object, mailbox: object = inbox) {
  const { event: name, data: content, ...head } = ofAccount(event, data)
  return { ...head, ...mailbox, event: name, data: content }
}

const accountEvents = {
  accountAdded: ofAccount('accountAdded', { account: 'jane' }),
  accountDeleted: ofAccount('accountDeleted', { account: 'jane' }),
  accountInitialized: ofAccount('accountInitialized', { initialized: true }),
  authenticationError: ofAccount('authenticationError', {
    response: '[AUTHENTICATIONFAILED] Invalid credentials',
    serverResponseCode: 'AUTHENTICATIONFAILED',
  }),
  authenticationSuccess: ofAccount('authenticationSuccess', { user: 'jane@example.com' }),
  connectError: ofAccount('connectError', {
    response: 'connect ECONNREFUSED 192.0.2.25:993',
    serverResponseCode: 'ECONNREFUSED',
  }),
}

const mailboxEvents = {
  mailboxNew: ofMailbox(
    'mailboxNew',
    { ...clients, uidValidity: '1893456000' },
    { path: clients.path },
  ),
  mailboxDeleted: ofMailbox('mailboxDeleted', clients, { path: clients.path }),
  mailboxReset: ofMailbox(
    'mailboxReset',
    {
      ...clients,
      uidValidity: '1896048000',
      prevUidValidity: '1893456000',
      reason: 'uidValidityChange',
    },
    { path: clients.path },
  ),
}

const messageEvents = {
  messageNew: ofMailbox('messageNew', {
    ...fromAda,
    text: { ...fromAda.text, plain: messageText },
    seemsLikeNew: true,
  }),
  messageDeleted: ofMailbox('messageDeleted', message),
  messageUpdated: ofMailbox('messageUpdated', {
    ...message,
    changes: { flags: { added: ['\\Seen'], removed: [], value: ['\\Seen'] } },
  }),
  messageMissing: ofMailbox('messageMissing', {
    ...message,
    missingRetries: 6,
    missingDelay: 61_000,
  }),
  messageBounce: ofMailbox('messageBounce', {
    bounceMessage: ids.message,
    recipient: 'ada@example.org',
    action: 'failed',
    response: {
      source: 'smtp',
      message: '550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown',
      status: '5.1.1',
      category: 'user_unknown',
      recommendedAction: 'remove',
    },
    mta: 'mx.example.org',
    ...toAda,
  }),
  messageComplaint: ofMailbox('messageComplaint', {
    complaintMessage: ids.message,
    arf: {
      source: 'example.org',
      feedbackType: 'abuse',
      userAgent: 'Example-Feedback/1.0',
      version: '1',
      originalMailFrom: 'jane@example.com',
      originalRcptTo: ['ada@example.org'],
      arrivalDate: '2030-01-31T07:40:00.000Z',
      sourceIp: '192.0.2.25',
    },
    headers: { messageId: messageIds.toAda, from: 'jane@example.com', subject: 'Hello' },
  }),
}

const sendingEvents = {
  messageSent: ofAccount('messageSent', {
    ...toAda,
    response: '250 2.0.0 Ok: queued as 4ZxQ1r',
    envelope,
  }),
  messageDeliveryError: ofAccount('messageDeliveryError', {
    ...toAda,
    envelope,
    error: '421 4.3.2 Try again later',
    errorCode: 'EPROTOCOL',
    smtpResponse: '421 4.3.2 Try again later',
    smtpResponseCode: 421,
    smtpCommand: 'RCPT TO',
    job: {
      id: ids.submission,
      attemptsMade: 1,
      attempts: 10,
      nextAttempt: '2030-01-31T08:00:05.000Z',
    },
  }),
  messageFailed: ofAccount('messageFailed', {
    ...toAda,
    error: '550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown',
  }),
  trackOpen: ofAccount('trackOpen', { messageId: messageIds.toAda, ...visitor }),
  trackClick: ofAccount('trackClick', {
    messageId: messageIds.toAda,
    url: 'https://www.example.com/offer',
    ...visitor,
  }),
  listUnsubscribe: ofAccount('listUnsubscribe', {
    recipient: 'ada@example.org',
    listId: 'news',
    ...visitor,
    messageId: messageIds.toAda,
  }),
  listSubscribe: ofAccount('listSubscribe', {
    recipient: 'ada@example.org',
    listId: 'news',
    ...visitor,
  }),
}

const exportEvents = {
  exportCompleted: ofAccount('exportCompleted', {
    exportId: ids.export,
    folders: [],
    startDate: '2030-01-01T00:00:00.000Z',
    endDate: '2030-02-01T00:00:00.000Z',
    messagesExported: 54,
    messagesSkipped: 0,
    bytesWritten: 412_870,
    duration: 11_240,
    expiresAt: '2030-02-02T08:00:12.000Z',
  }),
  exportFailed: ofAccount('exportFailed', {
    exportId: ids.export,
    error: 'The mail server could not be used for 6 h',
    errorCode: 'ConnectionError',
    phase: 'indexing',
    messagesExported: 0,
    messagesQueued: 12,
  }),
}

/**
 * Examples of webhook bodies for the OpenAPI document, by event name. A test validates the examples
 * against the contracts and looks for secrets.
 */
export const eventBodies: Readonly<Record<EventName, unknown>> = {
  ...accountEvents,
  ...mailboxEvents,
  ...messageEvents,
  ...sendingEvents,
  ...exportEvents,
}
