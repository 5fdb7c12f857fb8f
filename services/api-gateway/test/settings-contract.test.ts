import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import {
  addressSettings,
  privilegedSettings,
  secretSettings,
  type SettingKey,
  settingKeys,
  type Settings,
} from '@posthorn/contracts/settings/settings'
import { unsupportedSettings } from '@posthorn/contracts/settings/unsupported-settings'
import { createUnsealer, keyPairFromSecret, unsealLogin } from '@posthorn/secrets'
import { mint, testServers } from './gateway.ts'

// Tests each setting of the contract. The test of a new setting fails until `samples` has a value
// for the setting.

const samples: Required<Settings> = {
  webhooks: 'https://hooks.example/a',
  webhooksEnabled: true,
  webhookEvents: ['messageNew', '*'],
  webhooksCustomHeaders: [{ key: 'X-Key', value: 'hush' }],
  webhooksHeaderAlias: 'X-EE-',
  notifyHeaders: ['*'],
  notifyText: false,
  notifyTextSize: 1000,
  notifyWebSafeHtml: true,
  notifyAttachments: true,
  notifyAttachmentList: true,
  notifyAttachmentSize: 0,
  notifyCalendarEvents: true,
  inboxNewOnly: true,
  serviceUrl: 'https://mail.example',
  notificationBaseUrl: 'https://notify.example',
  gmailSubscriptionTtl: 0,
  serviceSecret: 'hush',
  serviceSecretOverlap: 60,
  webhookSecrets: [{ target: 'https://own.example/hook', secret: 'hush' }],
  webhooksRetrySchedule: [5, 60.5],
  webhooksConcurrency: 7,
  webhooksRate: 0.5,
  webhooksAttemptLog: true,
  webhooksAttemptLogDays: 2,
  webhooksKeepFailedDays: 0.5,
  webhookTargets: [{ target: 'https://own.example/hook', concurrency: 2 }],
  authServer: 'https://auth.example/',
  authServerProtocol: true,
  ignoreMailCertErrors: true,
  smtpEhloName: 'out.example',
  proxyEnabled: true,
  proxyUrl: 'socks5://proxy.example:1080',
  httpProxyEnabled: true,
  httpProxyUrl: 'http://proxy.example:3128',
  localAddresses: ['192.0.2.1', '2001:db8::1'],
  smtpStrategy: 'dedicated',
  imapStrategy: 'random',
  enableApiProxy: true,
  tokenAuditLog: true,
  enableOAuthTokensApi: true,
  deliveryAttempts: 3,
  trackOpens: true,
  trackClicks: false,
  trackRepeatWindow: 0,
  templateHeader: '<b>us</b>',
  templateHtmlHead: '<meta name="x">',
  locale: 'de-AT',
  timezone: 'Europe/Tallinn',
  pageBrandName: 'Us',
  generateEmailSummary: true,
  openAiAPIKey: 'hush',
  openAiAPIUrl: 'https://ai.example/v1',
  openAiModel: 'small',
  openAiPrompt: 'In short',
  openAiTemperature: 0.5,
  openAiTopP: 1,
  openAiMaxTokens: 100,
  scriptEnv: '{"a":1}',
  exportMaxConcurrent: 3,
  exportMaxGlobalConcurrent: 9,
  exportMaxMessages: 1000,
  exportMaxSize: 20 * 1024 ** 3,
  gmailExportBatchSize: 5,
  outlookExportBatchSize: 4,
  resolveGmailCategories: true,
  imapIndexer: 'fast',
  imapClientName: 'Us',
  imapClientVersion: '2',
  imapClientVendor: 'Us and Co',
  imapClientSupportUrl: 'https://us.example/help',
  logs: { all: true, maxLogLines: 100 },
  imapProxyServerEnabled: false,
  imapProxyServerPort: 2994,
  imapProxyServerHost: '127.0.0.2',
  imapProxyServerTLSEnabled: false,
  imapProxyServerProxy: false,
  imapProxyServerPassword: 'hush'.repeat(8),
  smtpServerEnabled: false,
  smtpServerPort: 2526,
  smtpServerHost: '127.0.0.2',
  smtpServerTLSEnabled: false,
  smtpServerProxy: false,
  smtpServerAuthEnabled: false,
  smtpServerPassword: 'hush'.repeat(8),
}

const configurationPage = join(import.meta.dirname, '../../../deploy/configuration.md')
const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
const update = (body: object) => call('POST', '/v1/settings', { body })
const read = async (key: string) => (await call('GET', `/v1/settings?${key}=true`)).body[key]
const secret = new Set<string>(secretSettings)

/** Stored settings of the operator, with the sealed (encrypted) values of secret settings. */
async function stored() {
  const [plain, sealed] = await Promise.all([
    db.selectFrom('settings').select(['key', 'value']).orderBy('key').execute(),
    db.selectFrom('sealedSettings').select(['key', 'sealed']).orderBy('key').execute(),
  ])
  return { plain, sealed }
}

/** Value that the API is expected to return for a setting after its update. */
function shown(key: SettingKey): unknown {
  if (secret.has(key)) return true
  if (key === 'webhooksCustomHeaders') return [{ key: 'X-Key', value: '******' }]
  return samples[key]
}

test('updateSettings: each setting rejects invalid values by name, with the whole request', async () => {
  const before = await stored()
  for (const key of settingKeys) {
    const other = key === 'trackOpens' ? 'trackClicks' : 'trackOpens'
    for (const wrong of [{ odd: 1 }, [[]], -1.5]) {
      const { status, body } = await update({ [other]: true, [key]: wrong })
      const paths = body.fields?.map(({ path }) => path.split('.')[0])
      const rejection = { key, status, paths: [...new Set(paths)], code: body['code'] }
      expect(rejection).toEqual({ key, status: 400, paths: [key], code: undefined })
    }
  }
  expect(await stored()).toEqual(before)
})

test.each(Object.entries(unsupportedSettings))(
  'updateSettings: rejects %s of other products, with what to use instead: %s',
  async (key, instead) => {
    const before = await stored()
    const fields = [{ key, path: key, message: `"${key}" is not supported: ${instead}` }]
    const changed = await update({ trackOpens: true, [key]: 'x' })
    expect([changed.status, changed.body.fields]).toEqual([400, fields])
    const reply = await call('GET', `/v1/settings?${key}=true`)
    expect([reply.status, reply.body.fields]).toEqual([400, fields])
    expect(await stored()).toEqual(before)
  },
)

test('unsupportedSettings: names what exists, and no supported setting', async () => {
  expect(settingKeys.filter((key) => key in unsupportedSettings)).toEqual([])
  const texts = Object.values(unsupportedSettings).join('\n')
  const paths = new Set(Object.values(operations).map(({ path }) => path))
  for (const [, path = ''] of texts.matchAll(/(?:GET|POST) (\S+)/g))
    expect(paths).toContain(path.replaceAll(/\{(\w+)\}/g, ':$1'))
  const variables = await readFile(configurationPage, 'utf8')
  for (const [name] of texts.matchAll(/\b(?:SVC|OTEL)_\w+/g)) expect(variables).toContain(name)
  for (const [name] of texts.matchAll(/\b(?:track|openAi)[A-Z]\w+/g))
    expect(settingKeys).toContain(name)
})

test('updateSettings: each setting is stored and read back without secrets', async () => {
  for (const key of settingKeys) {
    const { status, body } = await update({ [key]: samples[key] })
    expect([status, body]).toEqual([200, { updated: [key] }])
    const value = await read(key)
    expect({ key, value }).toEqual({ key, value: shown(key) })
    expect(JSON.stringify(value)).not.toContain('hush')
  }
  const { plain, sealed } = await stored()
  expect(plain.map(({ key }) => key).filter((key) => secret.has(key))).toEqual([])
  expect(JSON.stringify(sealed)).not.toContain('hush')
  const all = settingKeys.map((key) => `${key}=true`).join('&')
  const { body } = await call('GET', `/v1/settings?${all}`)
  expect(body).toEqual(Object.fromEntries(settingKeys.map((key) => [key, shown(key)])))
})

test('updateSettings: null unsets each setting except serviceSecret', async () => {
  for (const key of settingKeys) {
    const { status, body } = await update({ [key]: null })
    expect([status, body]).toEqual([200, { updated: key === 'serviceSecret' ? [] : [key] }])
  }
  const { plain, sealed } = await stored()
  const left = [...plain, ...sealed].map(({ key }) => key).filter((key) => !key.includes(':'))
  expect(left.toSorted()).toEqual(['linkSecret', 'serviceSecret'])
})

const unsealer = createUnsealer([keyPairFromSecret(servers.env.SVC_SECRET).privateKey])

test.each(addressSettings)(
  'getSettings: the login in %s is masked; updateSettings accepts the mask',
  async (key) => {
    const scheme = key === 'proxyUrl' ? 'socks5' : 'https'
    for (const login of ['user:hush', 'hush']) {
      const address = `${scheme}://${login}@a.example:1080/`
      await update({ [key]: address })
      const masked = await read(key)
      expect(masked).toBe(`${scheme}://${login.replace('hush', '******')}@a.example:1080/`)
      expect((await update({ [key]: masked })).body).toEqual({ updated: [] })
      const { plain, sealed } = await stored()
      // The URL of the authentication server, whose login is secret, is sealed in a separate table.
      if (key === 'authServer') expect(sealed.map((row) => row.key)).toContain('authServer')
      else {
        const value = String(plain.find((row) => row.key === key)?.value)
        expect(value).toContain('sealed~')
        expect(await unsealLogin(value, unsealer)).toBe(address)
      }
      const moved = String(masked).replace('a.example', 'b.example')
      const refused = await update({ [key]: moved })
      expect([refused.status, refused.body.fields?.map(({ path }) => path)]).toEqual([400, [key]])
    }
    expect((await update({ [key]: '' })).body).toEqual({ updated: [key] })
    expect(await read(key)).toBe(null)
  },
)

test('webhooksCustomHeaders: a partly masked value responds 400', async () => {
  const headers = [{ key: 'X-Key', value: 'Bearer ******' }]
  const { status, body } = await update({ webhooksCustomHeaders: headers })
  expect([status, body.fields?.map(({ path }) => path)]).toEqual([400, ['webhooksCustomHeaders']])
})

test('settings: a token with permissions gets a 403 that names what it may not change or read', async () => {
  const token = await mint(call, { permissions: { actions: ['read', 'write'] } })
  const sentence = (verb: string, keys: readonly string[]) =>
    `A token with restricted permissions can not ${verb} ${keys.join(', ')}`
  const before = await stored()
  for (const key of settingKeys) {
    const body = { [key]: samples[key] }
    const changed = await call('POST', '/v1/settings', { body, token })
    expect([changed.status, changed.body['message']]).toEqual([403, sentence('change', [key])])
  }
  for (const key of privilegedSettings) {
    const reply = await call('GET', `/v1/settings?${key}=true`, { token })
    expect([reply.status, reply.body['message']]).toEqual([403, sentence('read', [key])])
  }
  const all = Object.fromEntries(privilegedSettings.map((key) => [key, samples[key]]))
  const refused = await call('POST', '/v1/settings', { body: all, token })
  expect(refused.body['message']).toBe(sentence('change', privilegedSettings))
  expect(await stored()).toEqual(before)
})
