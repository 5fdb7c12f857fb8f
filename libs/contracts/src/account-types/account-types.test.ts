import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import {
  accountTypeOf,
  accountTypes,
  apiAccountTypes,
  type Backend,
  oauth2Providers,
  oauth2ProvidersThat,
  oauth2ProviderTraits,
} from './index.ts'

const migrations = globSync('../../../db/src/migrations/*.sql', { cwd: import.meta.dirname })
  .sort()
  .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))

/** Mail systems or application kinds that the latest database constraint of this form admits. */
function admitted(constraint: RegExp): string[] {
  const lists = migrations.flatMap((text) => [...text.matchAll(constraint)].map(([, list]) => list))
  return [...(lists.at(-1) ?? '').matchAll(/'(\w+)'/g)].map(([, value = '']) => value)
}

test('accountTypes, oauth2Providers: the schema of the database admits exactly these', () => {
  const backends = admitted(/accounts_backend_check check \(backend in \(([^)]*)\)/g)
  expect(backends.sort()).toEqual(Object.keys(accountTypes).sort())
  const provided = admitted(/check \(provider in \(([^)]*)\)/g)
  expect(provided.sort()).toEqual([...oauth2Providers].sort())
})

test('accountTypeOf: a mail system of a newer release is an API without a client', () => {
  const traits = accountTypeOf({ backend: 'jmap' as Backend })
  expect(traits).toMatchObject({ readsBy: 'api', sendsBy: 'api', filesSent: 'server' })
})

test('apiAccountTypes: cursor prefixes differ', () => {
  const prefixes = Object.values(apiAccountTypes).map(({ cursorPrefix }) => cursorPrefix)
  expect(new Set([...prefixes, 'imap']).size).toBe(prefixes.length + 1)
  expect(prefixes.join('')).toMatch(/^[a-z]+$/)
})

test('oauth2ProviderTraits: each mail API has applications, each of them for a known API', () => {
  const named = oauth2Providers.flatMap((provider) => oauth2ProviderTraits[provider].api ?? [])
  expect(new Set(named)).toEqual(new Set(Object.keys(apiAccountTypes)))
})

test('oauth2ProviderTraits: each service has a secret that replaces its key', () => {
  const services = oauth2ProvidersThat(({ login }) => login === 'service')
  expect(services.map((name) => oauth2ProviderTraits[name].keyAlternative)).toEqual([
    'externalAccount',
    'clientSecret',
  ])
})
