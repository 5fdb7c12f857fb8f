import { inspect } from 'node:util'
import { afterAll, describe, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { AccountRegistration } from '@posthorn/contracts/schemas/account'
import { GatewayRegistration } from '@posthorn/contracts/schemas/gateway'
import { OAuth2AppRegistration } from '@posthorn/contracts/schemas/oauth2-app'
import { TemplateCreation } from '@posthorn/contracts/schemas/template'
import { WebhookRouteCreation } from '@posthorn/contracts/schemas/webhook-route'
import { SettingsUpdate } from '@posthorn/contracts/settings/settings'
import { matches } from '@posthorn/contracts/validate'
import { startTestRedis } from '@posthorn/testkit'
import { type EmailEngineStore, openStore } from '../src/index.ts'
import { byId, collect, inputOf, skippedOf } from './entries.ts'
import { StoreWriter, tokenIdOf } from './store-writer.ts'
import { secret, secrets, tokens, writeWholeStore } from './whole-store.ts'

const redis = await startTestRedis()
afterAll(() => redis.destroy())

/**
 * Variants of EmailEngine's store: database number, prefix in the store and prefix option, and
 * whether secrets are encrypted.
 */
const layouts = [
  ['plaintext secrets', { database: 0, written: '', prefix: '', isSealed: false }],
  ['encrypted secrets', { database: 1, written: '', prefix: '', isSealed: true }],
  ['a prefix', { database: 2, written: 'ee:', prefix: 'ee:', isSealed: true }],
  ['a prefix without colon', { database: 3, written: 'ee:', prefix: 'ee', isSealed: true }],
] as const

describe.each(layouts)('openStore: with %s', (_name, layout) => {
  const url = `${redis.url}/${layout.database}`
  let store: EmailEngineStore

  test('opens the store', async () => {
    await using writer = await new StoreWriter(url, layout.written).connect()
    await writeWholeStore(writer, layout.isSealed)
    store = await openStore({ url, prefix: layout.prefix, secret: new Secret(secret) })
  })
  afterAll(() => store.close())

  test('counts: counts the entities of all kinds', async () => {
    expect(await store.counts()).toEqual({
      accounts: 4,
      applications: 1,
      gateways: 1,
      templates: 2,
      routes: 1,
      blocklistEntries: 1,
      tokens: 3,
      settings: 11,
    })
  })

  test('accounts: maps servers, secrets and options of IMAP accounts', async () => {
    const entry = byId(await collect(store.accounts()), 'imap-1')
    expect(inputOf(entry)).toEqual({
      account: 'imap-1',
      name: 'Ann Example',
      email: 'ann@example.com',
      path: ['INBOX', '\\Sent'],
      subconnections: ['\\Sent'],
      webhooks: 'https://hooks.example.com/ann',
      webhooksCustomHeaders: [{ key: 'X-Tenant', value: '7' }],
      copy: false,
      logs: true,
      notifyFrom: '2025-03-04T05:06:07.000Z',
      proxy: 'socks5://proxy.example.com:1080',
      smtpEhloName: 'ehlo.example.com',
      imapIndexer: 'fast',
      locale: 'et',
      tz: 'Europe/Tallinn',
      imap: {
        auth: { user: 'ann', pass: secrets.imap },
        host: 'imap.example.com',
        port: 993,
        secure: true,
        tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
        resyncDelay: 600,
        sentMailPath: 'Sent',
      },
      smtp: {
        auth: { user: 'ann', pass: secrets.smtp },
        host: 'smtp.example.com',
        port: 587,
        secure: false,
      },
    })
    expect(entry).toMatchObject({
      changes: ['smtp.secure: STARTTLS is used, because the port is not 465'],
      omitted: ['"imap.tls.ciphers" is not allowed'],
    })
  })

  test('accounts: maps OAuth2, delegated and sending accounts', async () => {
    const entries = await collect(store.accounts())
    expect(inputOf(byId(entries, 'oauth-1'))).toEqual({
      account: 'oauth-1',
      name: 'Bob Example',
      email: 'bob@example.com',
      oauth2: {
        provider: 'AAABkqapp0000001',
        auth: { user: 'bob@example.com' },
        refreshToken: secrets.refresh,
        accessToken: secrets.access,
        expires: '2025-03-04T05:06:07.000Z',
      },
    })
    expect(inputOf(byId(entries, 'shared'))).toMatchObject({
      oauth2: { auth: { delegatedUser: 'info@example.com', delegatedAccount: 'oauth-1' } },
    })
    expect(inputOf(byId(entries, 'sending'))).toEqual({
      account: 'sending',
      name: 'Sender',
      email: 'send@example.com',
    })
    expect(entries.every((entry) => matches(AccountRegistration, inputOf(entry)))).toBe(true)
  })

  test('applications: maps the secret, and reports members without a meaning', async () => {
    const [entry] = await collect(store.applications())
    expect(inputOf(entry)).toEqual({
      name: 'Acme mail',
      provider: 'gmail',
      enabled: true,
      includeInListing: true,
      clientId: 'client-id.example',
      clientSecret: secrets.client,
      redirectUrl: 'https://mail.example.com/oauth',
      extraScopes: [],
    })
    expect(entry).toMatchObject({
      id: 'AAABkqapp0000001',
      omitted: [expect.stringMatching(/^googleWorkspaceAccounts: /), '"newKnob" is not allowed'],
    })
    expect(matches(OAuth2AppRegistration, inputOf(entry))).toBe(true)
  })

  test('gateways: maps server and login', async () => {
    const [entry] = await collect(store.gateways())
    expect(inputOf(entry)).toEqual({
      gateway: 'relay',
      name: 'Relay',
      host: 'relay.example.com',
      port: 587,
      user: 'relay-user',
      pass: secrets.gateway,
      secure: false,
    })
    expect(matches(GatewayRegistration, inputOf(entry))).toBe(true)
  })

  test('templates: maps templates of all accounts and of one account', async () => {
    const entries = await collect(store.templates())
    expect(entries.map(inputOf)).toEqual([
      {
        account: null,
        name: 'Welcome',
        description: 'Greets',
        format: 'html',
        content: { subject: 'Hello {{params.name}}', html: '<p>Hello</p>' },
      },
      {
        account: 'imap-1',
        name: 'Reminder',
        format: 'markdown',
        content: { subject: 'Reminder', html: '**Soon**', previewText: 'Soon' },
      },
    ])
    expect(entries.map(({ id }) => id)).toEqual(['tpl-public', 'tpl-bound'])
    expect(entries.every((entry) => matches(TemplateCreation, inputOf(entry)))).toBe(true)
  })

  test('routes: maps target, headers and functions', async () => {
    const [entry] = await collect(store.routes())
    expect(inputOf(entry)).toEqual({
      name: 'New mail',
      description: 'Inbox only',
      enabled: true,
      targetUrl: 'https://hooks.example.com/route',
      customHeaders: [{ key: 'Authorization', value: 'Bearer abc' }],
      content: { fn: 'return payload.event === "messageNew"', map: 'return payload' },
    })
    expect(matches(WebhookRouteCreation, inputOf(entry))).toBe(true)
  })

  test('blocklistEntries: maps addresses with their accounts', async () => {
    const [entry] = await collect(store.blocklistEntries())
    expect(inputOf(entry)).toEqual({
      params: { listId: 'news.example.com' },
      body: { account: 'imap-1', recipient: 'Carol@example.com', reason: 'unsubscribe' },
    })
  })

  test('tokens: maps ids, scopes and limits', async () => {
    const entries = await collect(store.tokens())
    const bound = byId(entries, tokenIdOf(tokens.bound))
    expect(inputOf(byId(entries, tokenIdOf(tokens.all)))).toMatchObject({ scopes: ['*'] })
    expect(inputOf(bound)).toEqual({
      id: tokenIdOf(tokens.bound),
      account: 'imap-1',
      description: 'bound',
      scopes: ['api', 'smtp'],
      restrictions: { addresses: ['10.0.0.0/8'], rateLimit: { maxRequests: 5, timeWindow: 60 } },
      permissions: { actions: ['read'], groups: ['message'] },
      created: '2025-03-04T05:06:07.000Z',
      ip: '192.0.2.8',
    })
    expect(bound).toMatchObject({ omitted: ['scopes: mcp'] })
    expect(skippedOf(entries)).toEqual([
      [tokenIdOf(tokens.metrics), 'no scope has a meaning: metrics'],
    ])
  })

  test('settings: maps known settings, and reports the others with the replacement', async () => {
    const entries = await collect(store.settings())
    const skipped = skippedOf(entries)
    const inputs = entries.filter((entry) => entry.skipped === undefined).map(inputOf)
    const settings = Object.assign({}, ...inputs) as object
    expect(settings).toEqual({
      webhooks: 'https://hooks.example.com/all',
      webhooksEnabled: true,
      webhookEvents: ['messageNew', 'messageSent'],
      notifyTextSize: 2048,
      scriptEnv: '{"key":"value"}',
      logs: { all: false, maxLogLines: 500 },
      smtpServerPassword: secrets.smtpProxy,
    })
    expect(matches(SettingsUpdate, settings)).toBe(true)
    expect(Object.fromEntries(skipped)).toEqual({
      cookiePassword: '"cookiePassword" is not supported: cookies need no password here',
      serviceId: '"serviceId" is not allowed',
      deliveryAttempts: '"deliveryAttempts" must be >= 1',
    })
  })

  test('serviceSecret: returns the key of signed links', async () => {
    expect(inputOf(await store.serviceSecret())).toBe(secrets.service)
  })

  test('entries: print no secret', async () => {
    const entries = [
      ...(await collect(store.accounts())),
      ...(await collect(store.applications())),
      ...(await collect(store.gateways())),
      ...(await collect(store.settings())),
      await store.serviceSecret(),
    ]
    const printed = `${JSON.stringify(entries)}${inspect([entries, store], { depth: 20, showHidden: true })}`
    for (const text of [...Object.values(secrets), secret]) expect(printed).not.toContain(text)
  })
})
