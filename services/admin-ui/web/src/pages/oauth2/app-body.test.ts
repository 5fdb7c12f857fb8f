import { expect, test } from '@jest/globals'
import { OAuth2AppRegistration, OAuth2AppUpdate } from '@posthorn/contracts/schemas/oauth2-app'
import { matches } from '@posthorn/contracts/validate'
import type { OAuth2App } from '../../data/lists/oauth2-apps.ts'
import { providerKinds } from '../../data/provider-names.ts'
import { bodyOfApp, changesOfApp, newAppValues, valuesOfApp, withProvider } from './app-body.ts'
import { appFields } from './app-fields.ts'

const redirectUrl = 'https://mail.example/oauth'
const stored: OAuth2App = {
  id: 'crm',
  name: 'CRM',
  provider: 'gmail',
  enabled: true,
  created: '2026-11-01T00:00:00.000Z',
  updated: '2026-11-02T00:00:00.000Z',
  baseScopes: 'api',
  clientId: 'client',
  clientSecret: '******',
  redirectUrl,
  extraScopes: ['a', 'b'],
  description: 'For sales',
  includeInListing: true,
  googleProjectId: 'project-1',
  lastError: null,
  pubSubError: null,
}

test('bodyOfApp: leaves out empty fields and fields of other providers', () => {
  const values = {
    ...newAppValues(redirectUrl),
    name: 'CRM',
    clientId: 'client',
    clientSecret: 'secret',
    extraScopes: 'a, b  c',
    googleProjectId: 'project-1',
    issuer: 'https://issuer.example',
    imapHost: 'imap.example',
  }
  expect(bodyOfApp(values)).toEqual({
    provider: 'gmail',
    name: 'CRM',
    baseScopes: 'imap',
    clientId: 'client',
    clientSecret: 'secret',
    redirectUrl,
    extraScopes: ['a', 'b', 'c'],
    includeInListing: false,
    enabled: true,
  })
  expect(bodyOfApp({ ...values, id: 'crm', baseScopes: 'api' })).toMatchObject({
    id: 'crm',
    googleProjectId: 'project-1',
  })
})

test('bodyOfApp: servers of another provider are objects', () => {
  const values = {
    ...withProvider(newAppValues(redirectUrl), { provider: 'generic' }),
    name: 'Own',
    clientId: 'client',
    issuer: 'https://issuer.example',
    imapHost: 'imap.example',
    imapPort: '993',
    imapSecure: 'true',
  }
  const body = bodyOfApp(values)
  expect(body).toMatchObject({
    issuer: 'https://issuer.example',
    imap: { host: 'imap.example', port: 993, secure: true },
  })
  expect(body).not.toHaveProperty('smtp')
  expect(matches(OAuth2AppRegistration, body)).toBe(true)
})

/** Value that the API accepts for each type of field in the form of an OAuth2 application. */
const samples: Readonly<Record<string, string>> = {
  text: 'text-1',
  url: 'https://a.example',
  number: '993',
  scopes: 'a b',
  flag: 'true',
  secret: 'secret',
}

test.each(providerKinds)('bodyOfApp: the API accepts all filled fields of %s', (provider) => {
  for (const baseScopes of ['imap', 'api', 'pubsub']) {
    const start = withProvider(newAppValues(redirectUrl), { provider, baseScopes })
    const fields = appFields({ provider, baseScopes })
    const filled = fields.map(({ name, kind, options }) => [
      name,
      start[name] || (options?.[0] ?? samples[kind]),
    ])
    const values = { ...start, ...Object.fromEntries(filled) }
    expect([bodyOfApp(values), matches(OAuth2AppRegistration, bodyOfApp(values))]).toEqual([
      expect.anything(),
      true,
    ])
    const emptied = { ...start, ...Object.fromEntries(fields.map(({ name }) => [name, ''])) }
    const changes = [changesOfApp(values), changesOfApp({ ...emptied, name: 'Name' })]
    expect(changes.filter((each) => !matches(OAuth2AppUpdate, each))).toEqual([])
  }
})

test('withProvider: an access that the provider does not have becomes imap', () => {
  const values = withProvider(newAppValues(redirectUrl), {
    provider: 'gmailService',
    baseScopes: 'pubsub',
  })
  expect(values['baseScopes']).toBe('pubsub')
  expect(withProvider(values, { provider: 'outlook' })['baseScopes']).toBe('imap')
})

test('valuesOfApp: masked secrets are empty in the form, and not part of the changes', () => {
  const values = valuesOfApp(stored)
  expect(values).not.toHaveProperty('clientSecret')
  expect(values).toMatchObject({ extraScopes: 'a b', includeInListing: 'true', title: '' })
  const changes = changesOfApp(values)
  expect(changes).not.toHaveProperty('clientSecret')
  expect(changes).not.toHaveProperty('baseScopes')
  expect(changes).toMatchObject({ clientId: 'client', extraScopes: ['a', 'b'], enabled: true })
})

test('changesOfApp: emptied fields remove their values', () => {
  const emptied = { googleProjectId: '', extraScopes: '', description: '', includeInListing: '' }
  expect(changesOfApp({ ...valuesOfApp(stored), ...emptied, clientSecret: 'new' })).toMatchObject({
    googleProjectId: null,
    extraScopes: [],
    description: '',
    includeInListing: false,
    clientSecret: 'new',
  })
})
