import { afterAll, expect, test } from '@jest/globals'
import { eventNames } from '@posthorn/contracts/events'
import { privilegedSettings, settings } from '@posthorn/contracts/settings/settings'
import { createUnsealer, keyPairFromSecret, unsealHeader, unsealLogin } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db, env } = servers
const { call } = await servers.start()
const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
const update = (body: object, token?: string) =>
  call('POST', '/v1/settings', { body, ...(token === undefined ? {} : { token }) })
const read = async (...keys: string[]) =>
  (await call('GET', `/v1/settings?${keys.map((key) => `${key}=true`).join('&')}`)).body

test('getSettings: a new deployment has its defaults; only requested keys are returned', async () => {
  expect(
    await read('notifyText', 'notifyTextSize', 'webhooks', 'serviceSecret', 'deliveryAttempts'),
  ).toEqual({
    notifyText: true,
    notifyTextSize: 2_097_152,
    webhooks: null,
    serviceSecret: true,
    deliveryAttempts: 10,
  })
  expect(Object.keys((await call('GET', '/v1/settings')).body).sort()).toEqual(
    Object.keys(settings).sort(),
  )
  expect((await call('GET', '/v1/settings?notifyText=false')).body).toEqual({})
  expect(await read('eventTypes')).toEqual({ eventTypes: eventNames })
})

test('updateSettings: changes all settings of a request; null unsets', async () => {
  const { status, body } = await update({
    webhooksEnabled: true,
    webhookEvents: ['*'],
    notifyTextSize: 10,
  })
  expect([status, body]).toEqual([
    200,
    { updated: ['webhooksEnabled', 'webhookEvents', 'notifyTextSize'] },
  ])
  expect(await read('webhooksEnabled', 'webhookEvents', 'notifyTextSize')).toEqual({
    webhooksEnabled: true,
    webhookEvents: ['*'],
    notifyTextSize: 10,
  })
  await update({ webhookEvents: null, webhooks: '' })
  expect(await read('webhookEvents', 'webhooks')).toEqual({ webhookEvents: null, webhooks: null })
})

test('updateSettings: lists only settings whose value changed', async () => {
  const headers = [{ key: 'X-Key', value: 'one' }]
  const values = {
    notifyTextSize: 11,
    webhookEvents: ['messageNew'],
    webhooksCustomHeaders: headers,
  }
  await update(values)
  const masked = (await read('webhooksCustomHeaders'))['webhooksCustomHeaders']
  expect((await update({ ...values, webhooksCustomHeaders: masked })).body).toEqual({ updated: [] })
  expect((await update({ ...values, notifyTextSize: 12 })).body).toEqual({
    // Custom webhook headers that are sent in plaintext count as changed, because they cannot be
    // compared with the sealed headers.
    updated: ['notifyTextSize', 'webhooksCustomHeaders'],
  })
  const unset = { notifyTextSize: null, webhookEvents: null, webhooksCustomHeaders: null }
  expect((await update(unset)).body).toEqual({ updated: Object.keys(unset) })
  expect((await update({ ...unset, smtpServerPassword: null })).body).toEqual({ updated: [] })
})

test('updateSettings: an unknown or invalid setting responds 400 and changes nothing', async () => {
  const { status, body } = await update({
    inboxNewOnly: true,
    nope: 1,
    webhooks: 'ftp://x',
    notifyHeaders: 'Subject',
    scriptEnv: '[1]',
  })
  expect([status, body.fields?.map(({ path }) => path).sort()]).toEqual([
    400,
    ['nope', 'notifyHeaders', 'scriptEnv', 'webhooks'],
  ])
  expect(await read('inboxNewOnly')).toEqual({ inboxNewOnly: null })
  expect((await update({})).status).toBe(400)
})

test.each([
  'X-EE-\r\nX-Injected: b\r\nX-',
  'X-EE-\n',
  'X EE-',
  'X-EE',
  'X-',
  'X-SVC-',
  'x-svc-wh-',
  'X-Forwarded-',
  'Content-',
  'webhook-',
  'Transfer-',
  'X-É-',
  `X-${'a'.repeat(30)}-`,
  ['X-EE-'],
  true,
])('webhooksHeaderAlias: %j, responds 400 and stores nothing', async (webhooksHeaderAlias) => {
  const { status, body } = await update({ webhooksHeaderAlias, notifyTextSize: 13 })
  expect([status, body.fields?.map(({ path }) => path)]).toEqual([400, ['webhooksHeaderAlias']])
  const stored = await db.selectFrom('settings').select('key').execute()
  expect(stored.map(({ key }) => key)).not.toContain('webhooksHeaderAlias')
  expect(await read('notifyTextSize')).not.toEqual({ notifyTextSize: 13 })
})

test('webhooksHeaderAlias: is returned as sent; an empty text or null unsets the setting', async () => {
  for (const off of ['', null]) {
    await update({ webhooksHeaderAlias: 'X-EE-' })
    expect(await read('webhooksHeaderAlias')).toEqual({ webhooksHeaderAlias: 'X-EE-' })
    expect((await update({ webhooksHeaderAlias: off })).body).toEqual({
      updated: ['webhooksHeaderAlias'],
    })
    expect(await read('webhooksHeaderAlias')).toEqual({ webhooksHeaderAlias: null })
  }
})

test('serviceUrl: only the origin is stored', async () => {
  await update({ serviceUrl: 'https://mail.example:8443/path?x=1' })
  expect(await read('serviceUrl')).toEqual({ serviceUrl: 'https://mail.example:8443' })
})

test('authServer: the login is sealed and removed with the setting', async () => {
  const stored = async () => ({
    value: (
      await db
        .selectFrom('settings')
        .select('value')
        .where('key', '=', 'authServer')
        .executeTakeFirst()
    )?.value,
    sealed: (await db.selectFrom('sealedSettings').select('key').execute()).some(
      ({ key }) => key === 'authServer',
    ),
  })
  await update({ authServer: 'http://u:hush@auth.example/' })
  const hidden = { value: 'http://u:******@auth.example/', sealed: true }
  expect(await stored()).toEqual(hidden)
  await update(await read('authServer'))
  expect(await stored()).toEqual(hidden)
  await update({ authServer: 'http://auth.example/' })
  expect(await stored()).toEqual({ value: 'http://auth.example/', sealed: false })
  await update({ authServer: 'http://u:hush@auth.example/' })
  await update({ authServer: null })
  expect(await stored()).toEqual({ value: undefined, sealed: false })
})

test('getSettings: masks secrets in URLs and headers; updateSettings accepts the masks', async () => {
  const webhooksCustomHeaders = [{ key: 'X-Key', value: 'hush' }, { key: 'X-Empty' }]
  await update({
    webhooks: 'https://u:hush@hooks.example/a',
    authServer: 'http://u:hush@auth.example/',
    webhooksCustomHeaders,
  })
  const masked = await read('webhooks', 'authServer', 'webhooksCustomHeaders')
  expect(masked).toEqual({
    webhooks: 'https://u:******@hooks.example/a',
    authServer: 'http://u:******@auth.example/',
    webhooksCustomHeaders: [
      { key: 'X-Key', value: '******' },
      { key: 'X-Empty', value: '******' },
    ],
  })
  expect((await update({ ...masked, notifyText: false })).body['updated']).toEqual(['notifyText'])
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', 'webhooks')
    .executeTakeFirstOrThrow()
  expect(value).toMatch(/^https:\/\/u:sealed~[\w.-]+@hooks\.example\/a$/)
  expect(await unsealLogin(String(value), unsealer)).toBe('https://u:hush@hooks.example/a')
  const { value: headers } = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', 'webhooksCustomHeaders')
    .executeTakeFirstOrThrow()
  const [sealed, empty] = headers as { key: string; value: string }[]
  expect(sealed?.value).toMatch(/^sealed~[\w.-]+$/)
  const header = { owner: 'settings', key: 'X-Key', value: sealed?.value ?? '' } as const
  expect(await unsealHeader(header, unsealer)).toBe('hush')
  expect(empty).toEqual({ key: 'X-Empty', value: '' })
  const refused = await update({
    webhooks: 'https://u:******@elsewhere.example/',
    webhooksCustomHeaders: [{ key: 'X-Other', value: '******' }],
  })
  expect([refused.status, refused.body.fields?.map(({ path }) => path)]).toEqual([
    400,
    ['webhooks', 'webhooksCustomHeaders'],
  ])
})

test('webhooksCustomHeaders: a plaintext value of an earlier release is masked, and sealed on update', async () => {
  const key = 'webhooksCustomHeaders'
  const stored = async () => {
    const row = db.selectFrom('settings').select('value').where('key', '=', key)
    return JSON.stringify((await row.executeTakeFirstOrThrow()).value)
  }
  const value = JSON.stringify([{ key: 'X-Old', value: 'hush' }])
  await db.updateTable('settings').set({ value }).where('key', '=', key).execute()
  await update({ notifyText: true })
  const shown = await read(key)
  expect(shown).toEqual({ [key]: [{ key: 'X-Old', value: '******' }] })
  expect(await stored()).toContain('hush')
  await update(shown)
  expect(await stored()).toMatch(/"sealed~[\w.-]+"/)
  expect(await stored()).not.toContain('hush')
})

test('updateSettings: seals the login inside each URL, also a user without a password', async () => {
  const addresses = {
    proxyUrl: 'socks5://u:hush@proxy.example:1080',
    httpProxyUrl: 'http://hush@proxy.example:3128/',
    openAiAPIUrl: 'https://:hush@model.example/v1',
  }
  expect((await update(addresses)).status).toBe(200)
  const masked = {
    proxyUrl: 'socks5://u:******@proxy.example:1080',
    httpProxyUrl: 'http://******@proxy.example:3128/',
    openAiAPIUrl: 'https://:******@model.example/v1',
  }
  expect(await read(...Object.keys(addresses))).toEqual(masked)
  expect((await update(masked)).body['updated']).toEqual([])
  const rows = await db.selectFrom('settings').selectAll().execute()
  for (const [key, address] of Object.entries(addresses)) {
    const stored = String(rows.find((row) => row.key === key)?.value)
    expect(stored).not.toContain('hush')
    expect(await unsealLogin(stored, unsealer)).toBe(address)
  }
  await update({ proxyUrl: null, httpProxyUrl: null, openAiAPIUrl: null })
})

test('serviceSecret: sealed, can be replaced, neither read nor removed', async () => {
  expect((await update({ serviceSecret: 'my own secret' })).body).toEqual({
    updated: ['serviceSecret'],
  })
  const { sealed } = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', 'serviceSecret')
    .executeTakeFirstOrThrow()
  expect(sealed).not.toContain('my own')
  expect(await unsealer.unseal(sealed, 'settings/serviceSecret')).toBe('my own secret')
  expect(
    await db.selectFrom('settings').select('key').where('key', '=', 'serviceSecret').execute(),
  ).toEqual([])
  expect((await update({ serviceSecret: null })).body).toEqual({ updated: [] })
  expect((await update({ serviceSecret: '' })).body).toEqual({ updated: [] })
  expect((await update({ serviceSecret: '******' })).status).toBe(400)
  expect(await read('serviceSecret')).toEqual({ serviceSecret: true })
})

test('serviceSecret: the replaced secret signs during serviceSecretOverlap, unless it is 0', async () => {
  const previous = async () =>
    await db
      .selectFrom('sealedSettings')
      .select(['sealed', 'expiresAt'])
      .where('key', 'like', 'serviceSecret:%')
      .orderBy('updatedAt', 'desc')
      .execute()
  await update({ serviceSecret: 'first', serviceSecretOverlap: 0 })
  const before = (await previous()).length
  await update({ serviceSecret: 'second' })
  expect(await previous()).toHaveLength(before)
  await update({ serviceSecret: 'third', serviceSecretOverlap: 3600 })
  const [kept] = await previous()
  expect(await unsealer.unseal(kept?.sealed ?? '', 'settings/serviceSecret')).toBe('second')
  const hours = (Number(kept?.expiresAt) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(0.9)
  expect(hours).toBeLessThan(1.1)
  for (let n = 0; n < 6; n++) await update({ serviceSecret: `again ${n}` })
  expect(await previous()).toHaveLength(4)
  expect(await read('serviceSecret', 'serviceSecretOverlap')).toEqual({
    serviceSecret: true,
    serviceSecretOverlap: 3600,
  })
})

test('target keys: sealed as a whole and shown as set or unset', async () => {
  const webhookSecrets = [{ target: 'https://own.example/hook', secret: 'its own key' }]
  expect((await update({ webhookSecrets })).body).toEqual({ updated: ['webhookSecrets'] })
  expect(await read('webhookSecrets')).toEqual({ webhookSecrets: true })
  const { sealed } = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', 'webhookSecrets')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(await unsealer.unseal(sealed, 'settings/webhookSecrets'))).toEqual(
    webhookSecrets,
  )
  const wrong = [{ target: 'https://user:pass@own.example/hook', secret: 'x' }]
  expect((await update({ webhookSecrets: wrong })).status).toBe(400)
  expect((await update({ webhookSecrets: [] })).body).toEqual({ updated: ['webhookSecrets'] })
  expect(await read('webhookSecrets')).toEqual({ webhookSecrets: false })
})

test('smtpServerPassword: sealed, shown as set or unset, can be removed', async () => {
  const short = await update({ smtpServerPassword: 'p'.repeat(31) })
  expect([short.status, short.body.fields?.map(({ path }) => path)]).toEqual([
    400,
    ['smtpServerPassword'],
  ])
  expect((await update({ smtpServerPassword: 'p'.repeat(32) })).body).toEqual({
    updated: ['smtpServerPassword'],
  })
  expect(await read('smtpServerPassword')).toEqual({ smtpServerPassword: true })
  expect((await update({ smtpServerPassword: null })).body).toEqual({
    updated: ['smtpServerPassword'],
  })
  expect(await read('smtpServerPassword')).toEqual({ smtpServerPassword: false })
})

test('settings: a token with permissions changes none and reads no privileged ones', async () => {
  const token = await mint(call, { permissions: { actions: ['read', 'write'] } })
  const refusal = (message: string) => ({ statusCode: 403, error: 'Forbidden', message })
  expect(
    (await update({ webhooks: 'https://evil.example/', notifyText: true, authServer: '' }, token))
      .body,
  ).toEqual(
    refusal('A token with restricted permissions can not change webhooks, notifyText, authServer'),
  )
  expect(
    (await call('GET', '/v1/settings?serviceSecret=true&notifyText=true', { token })).body,
  ).toEqual(refusal('A token with restricted permissions can not read serviceSecret'))
  for (const body of [{ webhooksEnabled: true }, { notifyTextSize: 13 }])
    expect((await update(body, token)).body).toEqual(
      refusal(`A token with restricted permissions can not change ${Object.keys(body).join()}`),
    )
  const limited = await mint(call, { permissions: { actions: ['read'], groups: ['message'] } })
  expect(
    (await call('GET', '/v1/settings?notifyText=true', { token: limited })).body['message'],
  ).toBe('Unauthorized permission')
  expect(
    (await call('GET', '/v1/settings?webhooks=true', { token: limited })).body['message'],
  ).toBe('A token with restricted permissions can not read webhooks')
  const reader = await mint(call, { permissions: { actions: ['read'] } })
  const { body: open } = await call('GET', '/v1/settings', { token: reader })
  expect(open).toMatchObject({ notifyText: true })
  for (const key of privilegedSettings) expect(open).not.toHaveProperty(key)
  expect((await update({ notifyText: true }, reader)).body['message']).toBe(
    'A token with restricted permissions can not change notifyText',
  )
})

test('updateSettings: another replica uses changed settings', async () => {
  const other = await servers.start()
  const added = async (account: string) => {
    await other.call('POST', '/v1/account', { body: { account, name: account } })
    const { body } = await db
      .selectFrom('events')
      .select('body')
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
    return (JSON.parse(body) as { serviceUrl: unknown }).serviceUrl
  }
  expect(await added('before')).toBe('https://mail.example:8443')
  await update({ serviceUrl: 'https://changed.example' })
  let n = 0
  await eventually(async () =>
    expect(await added(`after-${(n += 1)}`)).toBe('https://changed.example'),
  )
})
