import { scanSource } from './scan.ts'

/** Names of account types and OAuth2 providers that code may only use in certain files. */
const names = 'gmail|gmailService|graph|outlook|outlookService'
/**
 * Pattern of a text literal that equals a provider name in `names`, for example `'gmail'`.
 * `identifier` is the pattern of an identifier that equals such a name, for example `.graph` or `{
 * gmail: … }`.
 */
const quoted = new RegExp(`['"](?:${names})['"]|^\`(?:${names})\`$`)
const identifier = new RegExp(`(?:\\.|(?<![\\w$/.-]))(?:${names})(?![\\w$/-])`)
/** Pattern of a comparison of an account's mail system with any name, in TypeScript or SQL. */
const comparison =
  /\b(?:backend|provider)\b[\s"')]*(?:[!=]==?|<>|(?:not )?in\b)\s*(?:\(\s*)?['"][\w-]+['"]/

/**
 * Files and folders whose code may name a mail provider, with the reason. A path that ends with `/`
 * is a folder.
 */
export const namingFiles: Readonly<Record<string, string>> = {
  'libs/contracts/src/account-types/': 'the descriptors',
  'libs/contracts/src/notification-urls.ts': 'paths that are registered at the providers',
  'libs/contracts/src/openapi/examples/': 'examples of the documentation',
  'libs/client/src/generated/': 'types generated from the contracts',
  'libs/client/src/compatibility/generated/': 'types generated from the contracts',
  'libs/backends/src/gmail/': 'client of the Gmail API',
  'libs/backends/src/graph/': 'client of Microsoft Graph',
  'libs/backends/src/provider-clients.ts': 'creates each client, the only list of them',
  'libs/backends/src/imap/': 'capability `gmail` of IMAP servers (X-GM-EXT-1)',
  'libs/backends/src/mail-session.ts': 'capability `gmail` of IMAP servers',
  'libs/backends/src/provider-types/': 'types generated from the descriptions of the providers',
  'services/api-gateway/src/public/notifications/': 'reads the requests that each provider sends',
  'services/sync-worker/src/drivers/imap/': 'capability `gmail` of IMAP servers',
  'services/auth-bridge/src/oauth2/': 'tables of OAuth2 endpoints, scopes and grants by provider',
  'services/auth-bridge/src/commands/verify-oauth2-app.ts': 'grants by provider',
  'libs/testkit/': 'fakes of the providers',
}

export interface NamedProvider {
  line: number
  text: string
}

/**
 * Finds positions in a source file at which the code depends on the name of an account's mail
 * system.
 */
export function findProviderNames(source: string): NamedProvider[] {
  const parts = scanSource(source).filter(({ kind }) => kind !== 'comment')
  const named = parts.filter(({ kind, text }) =>
    kind === 'literal' ? quoted.test(text) || comparison.test(text) : identifier.test(text),
  )
  const compared = parts.filter(
    ({ kind, text }, index) =>
      kind === 'literal' && comparison.test(`${lastWords(parts[index - 1]?.text)}${text}`),
  )
  return [...new Set([...named, ...compared])].map(({ line, text }) => ({
    line,
    text: text.trim().slice(0, 80),
  }))
}

function lastWords(code = ''): string {
  return code.slice(-40)
}
