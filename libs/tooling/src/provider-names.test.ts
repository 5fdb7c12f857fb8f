import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './commands.ts'
import { findProviderNames, namingFiles } from './provider-names.ts'
import { readSources } from './workspace.ts'

const sources = readSources(['libs/*/src/**/*.ts', 'services/*/src/**/*.ts']).filter(
  ({ path }) => !path.endsWith('.test.ts') && !path.startsWith('libs/tooling/'),
)
const nameOf = (path: string) => Object.keys(namingFiles).find((folder) => path.startsWith(folder))

test('account types: rules ask for traits, not for the name of a mail system', () => {
  const wrong = sources
    .filter(({ path }) => nameOf(path) === undefined)
    .flatMap(({ path, text }) =>
      findProviderNames(text).map(({ line, text }) => `${path}:${line}: ${text}`),
    )
  expect(wrong).toEqual([])
})

test('account types: each file that may name a provider does', () => {
  const naming = new Set(
    sources
      .filter(({ text }) => findProviderNames(text).length > 0)
      .map(({ path }) => nameOf(path)),
  )
  const unused = Object.keys(namingFiles).filter((path) => !naming.has(path))
  expect(unused).toEqual([])
  expect(Object.keys(namingFiles).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each([
  "if (backend === 'imap') return",
  "if (account.backend !== 'jmap') return",
  "const isByApi = sql`(accounts.backend <> 'imap')`",
  "query.where('backend', '=', 'gmail')",
  "if (provider.startsWith('outlook')) return",
  "const texts = { gmail: 'a', graph: 'b' }",
  'return limits.graph',
  "case 'gmailService':",
])('findProviderNames: finds %s', (source) => {
  expect(findProviderNames(source)).not.toEqual([])
})

test.each([
  "const protocol = 'imap'",
  '// Gmail lists no drafts',
  'const { resolveGmailCategories } = settings',
  "const host = 'outlook.office365.com'",
  "return accountTypeOf(row).readsBy === 'imap'",
  "const description = 'For `outlookService` a certificate.'",
])('findProviderNames: accepts %s', (source) => {
  expect(findProviderNames(source)).toEqual([])
})
