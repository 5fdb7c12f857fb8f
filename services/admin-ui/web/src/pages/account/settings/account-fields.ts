import { AccountUpdate } from '@posthorn/contracts/schemas/account'
import type { AccountRecord, AccountUpdateBody, VerifyBody } from '../../../data/accounts.ts'

/** Kind of form field with which a member of an account is edited. */
export type FieldKind = 'text' | 'number' | 'flag' | 'list' | 'secret'

/** Member of an account that the form edits, with its meaning from the contract. */
export interface AccountField {
  /** Path of the account's member: `name`, `imap.auth.user`. */
  key: string
  label: string
  group: string
  kind: FieldKind
  description: string
  /** True if an empty field removes the stored value. */
  isNullable: boolean
}

/** Texts of the fields in the account form, by the paths of the account's members. */
export type FieldTexts = Readonly<Record<string, string>>

interface SchemaPart {
  type?: string
  description?: string
  anyOf?: readonly SchemaPart[]
  properties?: Readonly<Record<string, SchemaPart>>
}

/** Text with which the API masks a stored secret, and which keeps the secret in a change. */
const mask = '******'

const serverLabels: readonly (readonly [key: string, label: string])[] = [
  ['host', 'host'],
  ['port', 'port'],
  ['secure', 'TLS from the start'],
  ['auth.user', 'user name'],
  ['auth.pass', 'password'],
]
const serverFields = (server: string, title: string) =>
  serverLabels.map(([key, label]) => [`${server}.${key}`, `${title} ${label}`] as const)

/** Members of an account in the form, by group, with their labels. */
const groups: Readonly<Record<string, readonly (readonly [key: string, label: string])[]>> = {
  General: [
    ['name', 'Name'],
    ['email', 'Email address'],
    ['paused', 'Paused'],
  ],
  'Incoming server': serverFields('imap', 'IMAP'),
  'Outgoing server': [...serverFields('smtp', 'SMTP'), ['copy', 'Copy in Sent']],
  Synchronisation: [
    ['path', 'Mailboxes to sync'],
    ['subconnections', 'Mailboxes with a connection of their own'],
    ['notifyFrom', 'Announce messages from'],
  ],
  Connections: [
    ['webhooks', 'Address for webhooks'],
    ['proxy', 'Proxy'],
    ['smtpEhloName', 'EHLO name'],
  ],
  Language: [
    ['locale', 'Language'],
    ['tz', 'Time zone'],
  ],
}

/** Members of an account that the form edits, in the order of their groups. */
export const accountFields: readonly AccountField[] = Object.entries(groups).flatMap(
  ([group, members]) => members.map(([key, label]) => fieldOf(key, label, group)),
)

function fieldOf(key: string, label: string, group: string): AccountField {
  const schema = schemaAt(key)
  const kinds = alternativesOf(schema)
  const [first] = kinds.filter(({ type }) => type !== 'null')
  return {
    key,
    label,
    group,
    kind: key.endsWith('.pass') ? 'secret' : kindOf(first?.type),
    description: schema.description ?? first?.description ?? '',
    isNullable: kinds.some(({ type }) => type === 'null'),
  }
}

/** Schema of an account's member in the request that changes an account. */
function schemaAt(key: string): SchemaPart {
  let part: SchemaPart = AccountUpdate as SchemaPart
  for (const name of key.split('.')) {
    const owner = alternativesOf(part).find(({ properties }) => properties?.[name] !== undefined)
    const member = owner?.properties?.[name]
    if (member === undefined) throw new Error(`accounts have no member ${key}`)
    part = member
  }
  return part
}

/** Alternatives of a JSON schema (`anyOf`), of which a value needs to match one. */
function alternativesOf(schema: SchemaPart): SchemaPart[] {
  return schema.anyOf?.flatMap(alternativesOf) ?? [schema]
}

function kindOf(type: string | undefined): FieldKind {
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'array' ? 'list' : 'text'
}

/** Value of an account's member, or undefined if the account does not have the member. */
function valueAt(record: AccountRecord, key: string): unknown {
  let value: unknown = record
  for (const name of key.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined
  return value
}

/** Texts of all fields for an account. Secrets are empty, because the API never returns them. */
export function textsOfAccount(record: AccountRecord): FieldTexts {
  return Object.fromEntries(
    accountFields.map(({ key, kind }) => {
      const value = valueAt(record, key)
      if (kind === 'secret' || value === undefined || value === null) return [key, '']
      return [key, Array.isArray(value) ? value.join('\n') : String(value as string | number)]
    }),
  )
}

/** Value of an account's member from the text of its form field. */
function valueOfText({ kind, isNullable }: AccountField, text: string): unknown {
  if (kind === 'list') {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.length === 0 && isNullable ? null : lines
  }
  if (text === '' && isNullable) return null
  if (kind === 'flag') return text === 'true'
  return kind === 'number' ? Number(text) : text
}

type Members = Record<string, unknown>

/**
 * Request that changes an account from the old to the new texts of the form. Only changed members
 * are sent. A login without a new password keeps the stored one. Undefined: nothing has changed.
 */
export function updateOf(
  record: AccountRecord,
  before: FieldTexts,
  after: FieldTexts,
): AccountUpdateBody | undefined {
  const changed = accountFields.filter(({ key }) => before[key] !== after[key])
  if (changed.length === 0) return undefined
  const body: Members = {}
  for (const field of changed) {
    const [first = '', ...rest] = field.key.split('.')
    const value = valueOfText(field, after[field.key] ?? '')
    if (rest.length === 0) body[first] = value
    else body[first] = { partial: true, ...(body[first] as Members), ...serverMember(rest, value) }
  }
  for (const server of ['imap', 'smtp'] as const) {
    const change = body[server] as Members | undefined
    if (change?.['auth'] !== undefined) change['auth'] = loginOf(record, server, after)
  }
  return body
}

/**
 * Member of an account's mail server. Members of the login are replaced by the whole login later.
 */
function serverMember([name = '', ...rest]: readonly string[], value: unknown): Members {
  return { [name]: rest.length === 0 ? value : true }
}

/**
 * Login at a mail server, for a change of an account. Without a new password, the mask keeps the
 * stored secret.
 */
function loginOf(record: AccountRecord, server: 'imap' | 'smtp', texts: FieldTexts): Members {
  const [user, pass] = [texts[`${server}.auth.user`], texts[`${server}.auth.pass`]]
  const stored = valueAt(record, `${server}.auth`) as { accessToken?: string } | false | undefined
  const keepsToken = !pass && stored !== undefined && stored !== false && stored.accessToken
  return keepsToken ? { user, accessToken: mask } : { user, pass: pass || mask }
}

/**
 * Request that tests the logins at mail servers in the account form. Tests need the password,
 * because stored passwords cannot be read. Undefined: no password is entered.
 */
export function testOf(record: AccountRecord, texts: FieldTexts): VerifyBody | undefined {
  const [imap, smtp] = [testedServer(record, 'imap', texts), testedServer(record, 'smtp', texts)]
  if (!imap && !smtp) return undefined
  const proxy = texts['proxy'] ?? ''
  return {
    ...(imap && { imap }),
    ...(smtp && { smtp }),
    // A masked proxy login cannot be sent. The test then uses the proxy of the settings.
    ...(proxy !== '' && !proxy.includes('***') && { proxy }),
  } as VerifyBody
}

function testedServer(record: AccountRecord, server: 'imap' | 'smtp', texts: FieldTexts) {
  const text = (name: string) => texts[`${server}.${name}`] ?? ''
  if (text('host') === '' || text('auth.pass') === '') return undefined
  const tls = record[server]?.tls
  return {
    host: text('host'),
    port: Number(text('port')),
    secure: text('secure') === 'true',
    auth: { user: text('auth.user'), pass: text('auth.pass') },
    ...(tls && { tls }),
  }
}

/** Texts of the account form without the entered secrets, after these are stored. */
export function withoutSecrets(texts: FieldTexts): FieldTexts {
  const secrets = accountFields.filter(({ kind }) => kind === 'secret').map(({ key }) => [key, ''])
  return { ...texts, ...Object.fromEntries(secrets) }
}
