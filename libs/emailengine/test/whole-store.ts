import { Sealer, type StoreWriter } from './store-writer.ts'

export const secret = 'an EmailEngine secret'
export const tokens = { all: 'a1'.repeat(32), bound: 'b2'.repeat(32), metrics: 'c3'.repeat(32) }

/** Passwords and tokens of EmailEngine's test store, none of which may appear in a log. */
export const secrets = {
  imap: 'imap-pass-Zq1',
  smtp: 'smtp-pass-Zq2',
  refresh: 'refresh-Zq3',
  access: 'access-Zq4',
  client: 'client-Zq5',
  gateway: 'gateway-Zq6',
  service: 'service-Zq7',
  smtpProxy: 'proxy-Zq8-with-more-than-thirty-two-characters',
} as const

const created = new Date('2025-03-04T05:06:07.000Z')

/**
 * Writes entities of all kinds to EmailEngine's test store. With `isSealed`, the secrets are
 * encrypted.
 */
export async function writeWholeStore(writer: StoreWriter, isSealed: boolean): Promise<void> {
  const sealer = new Sealer(secret)
  const seal = (text: string) => (isSealed ? sealer.seal(text) : text)
  await writeAccounts(writer, seal)
  await writer.application('AAABkqapp0000001', {
    name: 'Acme mail',
    provider: 'gmail',
    enabled: true,
    created: created.toISOString(),
    updated: created,
    includeInListing: true,
    clientId: 'client-id.example',
    clientSecret: seal(secrets.client),
    redirectUrl: 'https://mail.example.com/oauth',
    extraScopes: [],
    googleProjectId: false,
    googleWorkspaceAccounts: true,
    newKnob: 7,
  })
  await writer.gateway('relay', {
    name: 'Relay',
    host: 'relay.example.com',
    port: '587',
    user: 'relay-user',
    pass: seal(secrets.gateway),
    secure: 'false',
  })
  await writeTexts(writer)
  await writeTokens(writer)
  await writeSettings(writer, seal)
}

async function writeAccounts(writer: StoreWriter, seal: (text: string) => string): Promise<void> {
  await writer.account('imap-1', {
    name: 'Ann Example',
    email: 'ann@example.com',
    path: JSON.stringify(['INBOX', '\\Sent']),
    subconnections: JSON.stringify(['\\Sent']),
    webhooks: 'https://hooks.example.com/ann',
    webhooksCustomHeaders: JSON.stringify([{ key: 'X-Tenant', value: '7' }]),
    copy: 'false',
    logs: 'true',
    notifyFrom: created.toISOString(),
    proxy: 'socks5://proxy.example.com:1080',
    smtpEhloName: 'ehlo.example.com',
    imapIndexer: 'fast',
    locale: 'et',
    tz: 'Europe/Tallinn',
    imap: JSON.stringify({
      auth: { user: 'ann', pass: seal(secrets.imap) },
      host: 'imap.example.com',
      port: 993,
      secure: true,
      tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2', ciphers: 'HIGH' },
      resyncDelay: 600,
      sentMailPath: 'Sent',
      trashMailPath: null,
    }),
    smtp: JSON.stringify({
      auth: { user: 'ann', pass: seal(secrets.smtp) },
      host: 'smtp.example.com',
      port: 587,
      secure: true,
    }),
  })
  await writer.account('oauth-1', {
    name: 'Bob Example',
    email: 'bob@example.com',
    path: '*',
    oauth2: JSON.stringify({
      provider: 'AAABkqapp0000001',
      auth: { user: 'bob@example.com' },
      refreshToken: seal(secrets.refresh),
      accessToken: seal(secrets.access),
      expires: created.toISOString(),
      scope: ['https://mail.example/'],
      tokenType: 'Bearer',
      generated: created.toISOString(),
    }),
  })
  await writer.account('shared', {
    name: 'Shared mailbox',
    oauth2: JSON.stringify({
      provider: 'AAABkqapp0000001',
      auth: { delegatedUser: 'info@example.com', delegatedAccount: 'oauth-1' },
    }),
  })
  await writer.account('sending', { name: 'Sender', email: 'send@example.com' })
}

async function writeTexts(writer: StoreWriter): Promise<void> {
  await writer.template('tpl-public', '', {
    meta: { name: 'Welcome', description: 'Greets', format: 'html', created, updated: created },
    content: { subject: 'Hello {{params.name}}', html: '<p>Hello</p>', text: '' },
  })
  await writer.template('tpl-bound', 'imap-1', {
    meta: { name: 'Reminder', format: 'markdown', created: created.toISOString() },
    content: { subject: 'Reminder', html: '**Soon**', previewText: 'Soon' },
  })
  await writer.route('route-1', {
    meta: {
      name: 'New mail',
      description: 'Inbox only',
      enabled: true,
      targetUrl: 'https://hooks.example.com/route',
      customHeaders: [{ key: 'Authorization', value: 'Bearer abc' }],
      tcount: 12,
      v: 3,
      created,
    },
    content: { fn: 'return payload.event === "messageNew"', map: 'return payload' },
  })
  await writer.blocked('news.example.com', 'carol@example.com', {
    recipient: 'Carol@example.com',
    account: 'imap-1',
    source: 'one-click',
    reason: 'unsubscribe',
    remoteAddress: '192.0.2.1',
    created: created.toISOString(),
  })
}

async function writeTokens(writer: StoreWriter): Promise<void> {
  await writer.token(tokens.all, {
    description: 'everything',
    scopes: ['*'],
    created,
    remoteAddress: '192.0.2.7',
  })
  await writer.token(tokens.bound, {
    account: 'imap-1',
    description: 'bound',
    scopes: ['api', 'smtp', 'mcp'],
    restrictions: { addresses: ['10.0.0.0/8'], rateLimit: { maxRequests: 5, timeWindow: 60 } },
    permissions: { actions: ['read'], groups: ['message'] },
    created: created.toISOString(),
    ip: '192.0.2.8',
  })
  await writer.token(tokens.metrics, { description: 'Prometheus', scopes: ['metrics'], created })
}

async function writeSettings(writer: StoreWriter, seal: (text: string) => string): Promise<void> {
  await writer.setting('webhooks', 'https://hooks.example.com/all')
  await writer.setting('webhooksEnabled', true)
  await writer.setting('webhookEvents', ['messageNew', 'messageSent'])
  await writer.setting('notifyTextSize', 2048)
  await writer.setting('scriptEnv', '{"key":"value"}')
  await writer.setting('logs', { all: false, maxLogLines: 500 })
  await writer.setting('smtpServerPassword', seal(secrets.smtpProxy))
  await writer.setting('serviceSecret', seal(secrets.service))
  await writer.setting('cookiePassword', seal('cookie-Zq9'))
  await writer.setting('serviceId', 'abc')
  await writer.setting('deliveryAttempts', 0)
}
