import { describe, expect, test } from '@jest/globals'
import type { Entry } from '../entry.ts'
import { mapApplication } from './application.ts'
import { mapBlocklistEntry } from './blocklist-entry.ts'
import { mapGateway } from './gateway.ts'
import { mapRoute } from './route.ts'
import { mapSetting } from './setting.ts'
import { mapTemplate } from './template.ts'

/**
 * Input to which an EmailEngine entity is mapped, or the reason for which the entity is skipped.
 */
const resultOf = (entry: Entry<unknown>) => entry.skipped ?? entry.input.reveal()

describe('mapApplication', () => {
  const outlook = { name: 'n', provider: 'outlook', enabled: true, clientId: 'c' }

  test.each([
    ['the tenant as authority', { tenant: 'common' }, { authority: 'common' }],
    ['the authority before the tenant', { authority: 'a', tenant: 'b' }, { authority: 'a' }],
    [
      'the national cloud',
      { cloud: 'china', authority: 'common' },
      { cloud: 'china', authority: 'common' },
    ],
    ['lists', { extraScopes: 'a', skipScopes: ['b'] }, { extraScopes: ['a'], skipScopes: ['b'] }],
    ['the link to another application', { pubSubApp: 'app-2' }, { pubSubApp: 'app-2' }],
    ['no unset members', { pubSubApp: false, title: '', serviceKey: null }, {}],
    ['no state', { accessToken: 't', pubSubTopic: 't', created: new Date(), meta: {} }, {}],
  ])('maps %s', (_name, members, expected) => {
    expect(resultOf(mapApplication('a', { ...outlook, ...members }))).toEqual({
      ...outlook,
      ...expected,
    })
  })

  test('maps a service account', () => {
    const service = {
      name: 'n',
      provider: 'gmailService',
      baseScopes: 'api',
      serviceClient: '123',
      serviceClientEmail: 'robot@example.com',
      serviceKey: '-----BEGIN PRIVATE KEY-----\n',
      authMethod: 'serviceKey',
    }
    expect(resultOf(mapApplication('a', service))).toEqual({ ...service, enabled: false })
  })

  test.each([
    ['"provider" must be one of', { provider: 'yahoo' }],
    ['"provider" is required', { provider: undefined }],
    ['"authority" has the wrong form', { authority: 'a b' }],
    ['"clientSecret" must be of type string', { clientSecret: 5 }],
    ['"skipScopes.0"', { skipScopes: ['a b'] }],
  ])('with a reason, %s', (reason, members) => {
    const result = resultOf(mapApplication('a', { ...outlook, ...members }))
    expect(result).toEqual(expect.stringContaining(reason))
  })
})

describe('mapGateway', () => {
  const server = { host: 'h.test', port: '25' }

  test('without a login and a name, uses the id as name', () => {
    const entry = mapGateway('g', { ...server, user: '', secure: '' })
    expect(resultOf(entry)).toEqual({ gateway: 'g', name: 'g', host: 'h.test', port: 25 })
    expect(entry).toMatchObject({ changes: ['name: set to the id'] })
  })

  test('with an invalid server, is skipped', () => {
    expect(resultOf(mapGateway('g', { host: 'h.test', port: 'x' }))).toMatch(/^"port" must be/)
    expect(resultOf(mapGateway('g', { ...server, host: 'a b' }))).toMatch(/^"host" must be/)
  })
})

describe('mapTemplate', () => {
  const map = (meta: object, content: object) =>
    resultOf(
      mapTemplate('t', { account: 'a', meta: { name: 'n', ...meta }, content: { ...content } }),
    )

  test('with an invalid text, is skipped', () => {
    expect(map({}, { subject: 'x'.repeat(10_241) })).toMatch(
      /^"content.subject" must NOT have more/,
    )
    expect(map({ format: 'mjml' }, {})).toMatch(/^"format" must be one of html, markdown/)
  })

  test('without unknown members', () => {
    expect(map({}, { subject: 's', amp: 'x' })).toMatchObject({ content: { subject: 's' } })
    expect(map({ description: 'x'.repeat(1_025) }, {})).not.toHaveProperty('description')
  })
})

describe('mapRoute', () => {
  const targetUrl = 'https://hooks.test/'
  const map = (meta: object, content = {}) =>
    resultOf(mapRoute('r', { meta: { name: 'n', targetUrl, ...meta }, content }))

  test('is enabled only if the record says so', () => {
    expect(map({})).toEqual({ name: 'n', targetUrl, enabled: false, content: {} })
    expect(map({ enabled: 'true' })).toMatchObject({ enabled: true })
  })

  test('with functions or a target that are not accepted, is skipped', () => {
    expect(map({}, { fn: 'x'.repeat(262_145) })).toMatch(/^"content.fn" must NOT have more/)
    expect(map({}, { map: 7 })).toMatch(/^"content.map" must be/)
    expect(map({ targetUrl: 'amqp://x.test' })).toMatch(/^"targetUrl" must be a valid http/)
  })
})

describe('mapBlocklistEntry', () => {
  const map = (record: object, listId = 'news.test') =>
    resultOf(mapBlocklistEntry({ listId, address: 'x@x.test', record: { ...record } }))

  test('without a recipient, uses the address of the field', () => {
    expect(map({ account: 'a' })).toEqual({
      params: { listId: 'news.test' },
      body: { account: 'a', recipient: 'x@x.test', reason: 'block' },
    })
  })

  test('without an account or with an invalid list id, is skipped', () => {
    expect(map({})).toBe('"body.account" is required')
    expect(map({ account: 'a' }, 'a b')).toMatch(/^"params.listId" must be a valid list id/)
  })
})

describe('mapSetting', () => {
  test.each([
    ['notifyText', 'true', true],
    ['pageBrandName', '"Acme"', 'Acme'],
    ['pageBrandName', 'Acme', 'Acme'],
    ['pageBrandName', '2026', '2026'],
    ['webhooksCustomHeaders', '[{"key":"A","value":"b"}]', [{ key: 'A', value: 'b' }]],
  ])('%s: %s', (name, text, value) => {
    expect(resultOf(mapSetting(name, text))).toEqual({ [name]: value })
  })

  test.each([
    ['pageBrandName', 'null', 'the setting has no value'],
    [
      'smtpServerPassword',
      '"short"',
      '"smtpServerPassword" must NOT have fewer than 32 characters',
    ],
    ['smtpServerPort', '"x"', '"smtpServerPort" must be'],
    ['sentryDsn', '"https://a.test"', '"sentryDsn" is not supported: errors are in the logs'],
    ['constructor', '"x"', '"constructor" is not allowed'],
    ['__proto__', '{}', ''],
  ])('%s: %s is skipped', (name, text, reason) => {
    expect(resultOf(mapSetting(name, text))).toEqual(expect.stringContaining(reason))
  })
})
