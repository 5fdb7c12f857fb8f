import { ada, ids, jane, messageIds, onlyPage } from './cast.ts'

const delivery = {
  id: ids.delivery,
  eventId: ids.event,
  event: 'messageNew',
  account: 'jane',
  target: 'default',
  address: 'https://hooks.example.com/mail',
  state: 'failed',
  attempts: 10,
  queuedAt: '2030-01-31T08:00:00.000Z',
  nextAttemptAt: null,
  finishedAt: '2030-01-31T09:25:40.000Z',
  lastOutcome: 'http-5xx',
  lastStatus: 503,
  lastError: null,
  lastResponse: 'Service Unavailable',
  replayOf: null,
  replayedAt: null,
}
const replay = {
  id: ids.replay,
  filter: { target: 'default' },
  state: 'queued',
  total: null,
  replayed: 0,
  createdAt: '2030-01-31T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
}
const finishedReplay = {
  ...replay,
  state: 'done',
  total: 2,
  replayed: 2,
  startedAt: '2030-01-31T10:00:01.000Z',
  finishedAt: '2030-01-31T10:00:02.000Z',
}
const route = {
  id: ids.route,
  name: 'Invoices',
  description: '',
  created: '2030-01-15T10:00:00.000Z',
  updated: '2030-01-15T10:00:00.000Z',
  enabled: true,
  expiresAt: null,
  targetUrl: 'https://hooks.example.com/invoices',
  tcount: 12,
  webhookErrorFlag: null,
  customHeaders: [],
}

/** Examples of responses of the operations on webhooks and their routes, by operation id. */
export const webhookResponses = {
  listWebhookDeliveries: {
    deliveries: [delivery],
    nextCursor: `1896081940000_${ids.delivery}`,
  },
  getWebhookDelivery: {
    ...delivery,
    replayedAt: '2030-01-31T10:00:02.000Z',
    payload: {
      serviceUrl: 'https://posthorn.example.com',
      account: 'jane',
      date: '2030-01-31T08:00:00.000Z',
      path: 'INBOX',
      specialUse: '\\Inbox',
      event: 'messageNew',
      data: {
        id: ids.message,
        uid: 481,
        path: 'INBOX',
        date: '2030-01-31T07:58:00.000Z',
        flags: [],
        subject: 'Invoice of January',
        from: ada,
        to: [jane],
        messageId: messageIds.fromAda,
      },
    },
    log: [
      {
        attempt: 10,
        endedAt: '2030-01-31T09:25:40.000Z',
        durationMs: 84,
        outcome: 'http-5xx',
        status: 503,
        error: null,
        response: 'Service Unavailable',
      },
    ],
    replays: [ids.replayedDelivery],
  },
  retryWebhookDelivery: {
    ...finishedReplay,
    filter: { id: ids.delivery },
    total: 1,
    replayed: 1,
  },
  createWebhookReplay: replay,
  listWebhookReplays: { replays: [finishedReplay] },
  getWebhookReplay: finishedReplay,
  listWebhookRoutes: { ...onlyPage(1), webhooks: [route] },
  getWebhookRoute: {
    ...route,
    v: 1,
    content: {
      fn: "return payload.event === 'messageNew' && /invoice/i.test(payload.data.subject)",
      map: 'return { id: payload.eventId, subject: payload.data.subject }',
    },
  },
  createWebhookRoute: { id: ids.route, created: true },
  updateWebhookRoute: { id: ids.route, updated: true },
  deleteWebhookRoute: { id: ids.route, deleted: true },
  testWebhookRoute: {
    applies: true,
    payload: { event: 'messageNew', account: 'jane', data: {} },
    errors: [],
    logs: [],
    usedMs: 0.8,
  },
  listWebhookRouteErrors: {
    id: ids.route,
    errors: [
      {
        created: '2030-01-31T08:00:01.000Z',
        function: 'filter',
        message: "TypeError: cannot read property 'subject' of undefined",
        event: 'accountAdded',
        account: 'omar',
        eventId: ids.event,
      },
    ],
  },
}
