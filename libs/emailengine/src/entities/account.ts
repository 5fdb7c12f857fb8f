import { AccountRegistration } from '@posthorn/contracts/schemas/account'
import { isObject, type StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { mapMailServer, missingLogin } from './mail-server.ts'
import {
  compact,
  isUnset,
  toBoolean,
  toDate,
  toHeaders,
  toLine,
  toList,
  toStructure,
  toText,
  withoutMembers,
} from './values.ts'

/** Fields of an account in EmailEngine's store that have a meaning for Posthorn. */
export const accountFields = [
  'account',
  'name',
  'email',
  'expectedEmail',
  'path',
  'subconnections',
  'webhooks',
  'webhooksCustomHeaders',
  'copy',
  'logs',
  'notifyFrom',
  'proxy',
  'smtpEhloName',
  'imapIndexer',
  'imap',
  'smtp',
  'oauth2',
  'locale',
  'tz',
] as const

const structuredFields = [
  'imap',
  'smtp',
  'oauth2',
  'path',
  'subconnections',
  'webhooksCustomHeaders',
]

/**
 * Parses the fields of an EmailEngine account that contain JSON. Encrypted texts are inside of the
 * JSON.
 */
export function parseAccountFields(fields: Readonly<Record<string, string>>): StoredObject {
  const parse = (name: string, text: string) =>
    structuredFields.includes(name) ? toStructure(text) : text
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, parse(name, text)]))
}

/**
 * Members of an EmailEngine account's `oauth2` that describe the state of the OAuth2 grant.
 * Posthorn determines this state itself.
 */
const grantState = [
  'authorize',
  'generated',
  'partial',
  'redirectUrl',
  'refreshTokenGenerated',
  'scope',
  'scopes',
  'tokenType',
  'userFlag',
]

/**
 * Members without which an imported account would use another login, another way to its servers, or
 * another receiver of its events.
 */
const essential = {
  valid:
    /^(?:(?:account|name|path|proxy|webhooks)(?:\.|$)|(?:imap|smtp)(?:$|\.(?:host|port|secure|auth|disabled|useAuthServer)(?:\.|$))|oauth2(?:$|\.(?:provider|auth|accessToken|refreshToken|useAuthServer)(?:\.|$)))/,
}

/**
 * Maps an EmailEngine account to the body of `createAccount`. The record is a hash of EmailEngine's
 * store with decrypted members, or an exported account.
 */
export function mapAccount(id: string, record: StoredObject): Entry<AccountRegistration> {
  const imap = mapMailServer('imap', toStructure(record['imap']))
  const smtp = mapMailServer('smtp', toStructure(record['smtp']))
  const oauth2 = mapOAuth2(toStructure(record['oauth2']))
  const servers = { imap: imap.server, smtp: smtp.server }
  const missing =
    missingLogin('imap', servers.imap, isObject(oauth2)) ??
    missingLogin('smtp', servers.smtp, isObject(oauth2)) ??
    missingOAuth2(oauth2)
  if (missing !== undefined) return { kind: 'account', id, skipped: missing }
  const { name, changes } = mapName(id, record)
  return fitInput(
    { kind: 'account', id, schema: AccountRegistration, essential },
    {
      candidate: compact({ account: id, name, ...mapOptions(record), ...servers, oauth2 }),
      changes: [...changes, ...imap.changes, ...smtp.changes],
    },
  )
}

function mapName(id: string, { name, email }: StoredObject): { name: unknown; changes: string[] } {
  const text = toText(name)
  if (text === undefined) {
    const substitute = typeof email === 'string' && !isUnset(email) ? email : id
    return { name: toLine(substitute), changes: ['name: set to the address or the account id'] }
  }
  const line = typeof text === 'string' ? toLine(text) : text
  return { name: line, changes: line === text ? [] : ['name: control characters are removed'] }
}

function mapOptions(record: StoredObject): Record<string, unknown> {
  const texts = ['email', 'expectedEmail', 'webhooks', 'proxy', 'smtpEhloName', 'locale', 'tz']
  const path = toList(record['path'])
  const isEverything = Array.isArray(path) && (path.length === 0 || path.includes('*'))
  return {
    ...Object.fromEntries(texts.map((name) => [name, toText(record[name])])),
    path: isEverything ? undefined : path,
    subconnections: toList(record['subconnections']),
    webhooksCustomHeaders: toHeaders(record['webhooksCustomHeaders']),
    copy: toBoolean(record['copy']),
    logs: toBoolean(record['logs']),
    notifyFrom: toDate(record['notifyFrom']),
    imapIndexer: toText(record['imapIndexer']),
  }
}

function mapOAuth2(value: unknown): unknown {
  if (!isObject(value)) return value || undefined
  const useAuthServer = toBoolean(value['useAuthServer'])
  const tokens = useAuthServer === true ? ['accessToken', 'refreshToken', 'expires'] : []
  const auth = isObject(value['auth']) ? withoutMembers(value['auth'], []) : value['auth']
  return compact({
    ...withoutMembers(value, [...grantState, ...tokens]),
    useAuthServer,
    auth: auth || undefined,
    expires: tokens.length > 0 ? undefined : toDate(value['expires']),
  })
}

function missingOAuth2(oauth2: unknown): string | undefined {
  if (!isObject(oauth2)) return undefined
  if (isUnset(oauth2['provider'])) return 'oauth2.provider is missing'
  const { auth } = oauth2
  if (!isObject(auth)) return 'oauth2.auth is missing'
  return auth['delegatedAccount'] !== undefined && auth['delegatedUser'] === undefined
    ? 'oauth2.auth.delegatedUser is missing'
    : undefined
}
