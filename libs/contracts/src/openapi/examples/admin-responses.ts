import { ids, masked, onlyPage } from './cast.ts'

const created = '2030-01-15T10:00:00.000Z'
const token = {
  id: ids.token,
  account: 'jane',
  description: 'Laptop',
  remoteAddress: '192.0.2.7',
  scopes: ['imap-proxy', 'smtp'],
  restrictions: { addresses: ['192.0.2.0/24'] },
  permissions: null,
  created,
  expires: '2030-01-31T00:00:00.000Z',
  access: { time: '2030-01-30T18:00:00.000Z', ip: '192.0.2.14' },
}
const app = {
  id: ids.app,
  name: 'Gmail',
  provider: 'gmail',
  enabled: true,
  created,
  updated: created,
  clientId: '1234-abc.apps.googleusercontent.com',
  clientSecret: masked,
  redirectUrl: 'https://posthorn.example.com/oauth',
  baseScopes: 'api',
  lastError: null,
  pubSubError: null,
}
const counts = { waiting: 3, active: 1, delayed: 12, failed: 0 }

function step(id: string, status: 'ok' | 'fail' | 'skip', label: string) {
  return { id, label, status, message: null }
}

/**
 * Examples of responses of the operations on tokens, OAuth2 applications, settings, queues,
 * statistics and the license, by operation id. An operation that always fails has no example here.
 */
export const adminResponses = {
  createToken: { token: ids.tokenValue, id: ids.token },
  createTokenAlias: { token: ids.tokenValue, id: ids.token },
  createOperatorToken: { token: ids.tokenValue, id: ids.token },
  importTokens: {
    imported: 41,
    unchanged: 0,
    skipped: [{ id: ids.importedToken, reason: 'unknown-account' }],
  },
  deleteToken: { deleted: true },
  deleteTokenAlias: { deleted: true },
  listTokens: { account: 'jane', ...onlyPage(1), tokens: [token] },
  getToken: token,
  getTokenLog: {
    token: ids.token,
    ...onlyPage(2),
    entries: [
      {
        time: '2030-01-30T18:00:00.000Z',
        ip: '192.0.2.14',
        method: 'imap-proxy',
        path: 'LOGIN',
        action: null,
        group: null,
        account: 'jane',
        status: 'allowed',
        reason: null,
      },
      {
        time: '2030-01-30T17:59:00.000Z',
        ip: '198.51.100.9',
        method: 'imap-proxy',
        path: 'LOGIN',
        action: null,
        group: null,
        account: 'jane',
        status: 'denied',
        reason: 'Unauthorized address',
      },
    ],
  },
  listOAuth2Apps: { ...onlyPage(1), apps: [app] },
  createOAuth2App: { id: ids.app, created: true },
  getOAuth2App: {
    ...app,
    accounts: 1,
    quotaUse: [{ date: '2030-01-31', requests: 812, units: 4_230, limited: 0 }],
  },
  updateOAuth2App: { id: ids.app, updated: true },
  deleteOAuth2App: { id: ids.app, deleted: true, accounts: 1 },
  checkOAuth2App: {
    app: ids.app,
    provider: 'gmail',
    authMethod: null,
    account: 'omar',
    ok: false,
    failedStep: 'token',
    steps: [
      step('enabled', 'ok', 'Application is enabled and its secrets can be unsealed'),
      step('endpoints', 'ok', 'Token endpoint is configured or published by the issuer'),
      {
        ...step('sign', 'skip', 'Service key, certificate or federated identity can sign'),
        message: 'The application uses no service key',
      },
      {
        ...step('token', 'fail', 'Provider issues an access token'),
        message: 'invalid_grant: Token has been expired or revoked.',
        hint: 'See the message: it is the response of the provider',
      },
      {
        ...step('profile', 'skip', 'API of the provider returns the profile of the mailbox'),
        message: 'There is no access token of a mailbox',
      },
      {
        ...step('mailbox', 'fail', 'The mailbox of the account is connected'),
        message: 'The refresh token is invalid: the owner of the mailbox must consent again',
      },
      {
        ...step('watch', 'skip', 'The provider sends notifications for the account'),
        message: 'There is no registration; it is polled',
      },
      {
        ...step('pubsub', 'skip', 'Notifications of Gmail are received from Pub/Sub'),
        message: 'The application has no pubSubApp',
      },
    ],
  },
  getPubSubStatus: {
    ...onlyPage(1),
    apps: [
      {
        id: 'AAABkEr2oQAAAAAD',
        name: 'Notifications of Gmail',
        lastError: null,
        pubSubError: {
          message: 'The service account may not create subscriptions',
          description: 'PERMISSION_DENIED',
        },
      },
    ],
  },
  getSettings: {
    webhooks: 'https://hooks.example.com/mail',
    webhooksEnabled: true,
    webhookEvents: ['*'],
    serviceUrl: 'https://posthorn.example.com',
    serviceSecret: true,
    notifyText: true,
    notifyTextSize: 2_097_152,
    trackOpens: null,
  },
  updateSettings: { updated: ['webhooks', 'webhooksEnabled', 'webhookEvents'] },
  importLinkKey: { imported: true },
  getQueue: {
    queue: 'submit',
    jobs: { active: 0, delayed: 12, paused: 3, waiting: 0 },
    paused: true,
  },
  updateQueue: { queue: 'submit', paused: true },
  getStatsSeries: {
    from: '2026-03-01T12:00:00.000Z',
    to: '2026-03-01T12:03:00.000Z',
    step: 60,
    series: [
      { key: 'events:messageNew', values: [12, 0, 7] },
      { key: 'submit:fail', values: [0, 0, 1] },
    ],
  },
  listFindings: {
    findings: [
      {
        id: 'webhookTargetFailing:https://hooks.example.com/mail',
        level: 'warning',
        title: 'Webhook target https://hooks.example.com/mail fails',
        detail:
          'Webhook deliveries that used up their attempts in the last hour: 3. Last outcome: http-4xx.',
        remedy:
          'Repair the receiver, test it with a test event, then replay the failed deliveries.',
        count: 3,
        since: '2026-03-01T11:20:00.000Z',
      },
    ],
  },
  listWorkers: {
    workers: [
      {
        id: ids.worker,
        alive: true,
        heartbeatAt: '2026-03-01T12:02:58.000Z',
        releasing: false,
        refusing: false,
        shards: [0, 1, 2],
        accounts: 2,
      },
    ],
    unheld: { shards: [], accounts: 0 },
  },
  listMailProxies: {
    mailProxies: [
      {
        id: '3f0f8c52-2f0b-4c0e-9d55-6d3f7b1c9a10',
        service: 'imap-proxy',
        hostName: 'imap-proxy-7c9d8b5f6-x2x4q',
        listener: 'listening',
        port: 143,
        tls: false,
        tlsPort: 993,
        certificate: { names: ['mail.example.com'], expiresAt: '2026-05-20T09:00:00.000Z' },
        sessions: 12,
        reportedAt: '2026-03-01T12:02:58.000Z',
      },
    ],
  },
  releaseWorker: { releasing: true },
  getStats: {
    version: '1.0.0',
    license: 'none',
    accounts: 2,
    node: '24.11.1',
    arch: 'x64',
    postgres: '18.1',
    postgresPing: 0.42,
    rabbitmq: true,
    queues: { notify: { ...counts, failed: 2 }, submit: counts },
    connections: {
      init: 0,
      connected: 1,
      connecting: 0,
      syncing: 0,
      authenticationError: 1,
      connectError: 0,
      unset: 0,
      disconnected: 0,
      paused: 0,
      unassigned: 0,
    },
    counters: {
      'events:messageNew': 45,
      'webhooks:success': 51,
      'webhooks:fail': 2,
      'submit:success': 7,
      'apiCall:success': 128,
    },
  },
  getLicense: {
    active: true,
    type: 'No license key needed',
    details: false,
    suspended: false,
  },
}
