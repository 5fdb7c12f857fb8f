import type { Operation } from '@posthorn/contracts/define'
import { type Field, kindOf, type Schema, stringFields, type Tenant } from './tenant-fields.ts'

/** API request of a tenant, ready to be sent. */
export interface TenantRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** Recipient that every tenant writes to. The other tenant has blocked this recipient. */
export const recipient = 'recipient@mail.example'

const letter = { to: [{ address: recipient }], subject: 'x', text: 'x' }
const update = { flags: { add: ['\\Seen'] } }
const search = { seen: true }

/** Valid bodies of the operations that tokens bound to an account may call. */
const bodies: Record<string, (own: Tenant, label: string) => object> = {
  updateAccount: (own, label) => accountUpdate(own, label),
  reconnectAccount: () => ({ reconnect: true }),
  syncAccount: () => ({ sync: true }),
  flushAccount: () => ({ flush: true }),
  createMailbox: () => ({ path: ['New'] }),
  updateMailbox: () => ({ path: 'INBOX', newPath: ['New'] }),
  updateMessage: (_own, label) => (label.startsWith('body.labels') ? {} : update),
  moveMessage: () => ({ path: 'INBOX' }),
  updateMessages: (_own, label) => ({
    search,
    update: label.startsWith('body.update.labels') ? {} : update,
  }),
  moveMessages: () => ({ search, path: 'INBOX' }),
  deleteMessages: () => ({ search }),
  searchMessages: () => ({ search }),
  uploadMessage: (own, label) => ({ path: 'INBOX', ...letter, ...referenceOf(own, label) }),
  submitMessage: (own, label) =>
    label.startsWith('body.mailMerge')
      ? { subject: 'x', text: 'x', mailMerge: [{ to: { address: recipient } }] }
      : { ...letter, ...referenceOf(own, label) },
  createExport: () => ({ startDate: '2026-01-01', endDate: '2026-02-01' }),
  submitDraft: () => ({}),
  createTemplate: ({ account }) => ({ account, name: 'x', content: { text: 'x' } }),
  updateTemplate: () => ({ name: 'x' }),
  // The operation `updateSettings` is not for bound access tokens. Its permission depends on the
  // settings in the body.
  updateSettings: ({ url }) => ({ webhooks: url }),
}

/**
 * Query parameters by API operation that make a request valid, or that a bound access token needs.
 */
const queries: Record<string, (own: Tenant) => Record<string, string>> = {
  searchMessages: () => ({ path: 'INBOX' }),
  flushTemplates: () => ({ force: 'true' }),
  listTokens: ({ account = '' }) => ({ account }),
}

function accountUpdate({ user }: Tenant, label: string): object {
  if (label.endsWith('.delegatedAccount'))
    return { oauth2: { partial: true, auth: { delegatedUser: user } } }
  if (label.endsWith('.redirectUrl')) return { oauth2: { partial: true, authorize: true } }
  const [, member = ''] = label.split('.')
  return ['imap', 'smtp', 'oauth2'].includes(member) ? { [member]: { partial: true } } : {}
}

function referenceOf({ message }: Tenant, label: string): object {
  return label.startsWith('body.reference.') ? { reference: { message } } : {}
}

/**
 * Creates a valid API request of a tenant. One field may have a chosen value, of this tenant or of
 * another tenant.
 */
export function requestWith(
  operation: Operation,
  own: Tenant,
  { field, value }: { field?: Field; value?: string },
): TenantRequest {
  const part = (name: Field['part'], base: object = {}): unknown => {
    const schema = operation[name] as Schema | undefined
    if (schema === undefined) return undefined
    const filled = field?.part === name ? place(base, field.path, { schema, value, own }) : base
    return complete(schema, filled, { path: [name], own })
  }
  const texts = (name: Field['part'], base?: object) =>
    Object.entries((part(name, base) ?? {}) as Record<string, string>)
  const params = new Map(texts('params'))
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params.get(name) ?? ''),
  )
  const query = new URLSearchParams(texts('query', queries[operation.id]?.(own))).toString()
  const body = part('body', bodies[operation.id]?.(own, field?.label ?? ''))
  return {
    method: operation.method.toUpperCase(),
    path: query ? `${path}?${query}` : path,
    headers: Object.fromEntries(texts('headers')),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

/**
 * True if a valid request of the operation can be created: the operation has no required body, or
 * `bodies` has an example.
 */
export function hasBody({ id, body, optionalBody }: Operation): boolean {
  return body === undefined || optionalBody === true || id in bodies
}

interface Placing {
  schema: Schema
  value: string | undefined
  own: Tenant
}

/** Copies an example request and replaces the field at a path by the given value. */
function place(base: unknown, [name, ...rest]: readonly string[], placing: Placing): unknown {
  if (name === undefined) return placing.value
  const schema = branchWith(placing.schema, name)
  if (name === '[]') {
    const [first] = Array.isArray(base) ? (base as unknown[]) : []
    return [place(first, rest, { ...placing, schema: schema.items ?? {} })]
  }
  const member = name === '*' ? 'X-Member' : name
  const inner = schema.properties?.[name] ?? Object.values(schema.patternProperties ?? {})[0] ?? {}
  const object = { ...(base as Record<string, unknown> | undefined) }
  object[member] = place(object[member], rest, { ...placing, schema: inner })
  return complete(schema, object, { path: [], own: placing.own })
}

function branchWith(schema: Schema, name: string): Schema {
  const holds = ({ items, properties, patternProperties }: Schema) =>
    name === '[]' ? items : name === '*' ? patternProperties : properties?.[name]
  return [schema, ...(schema.anyOf ?? [])].find(holds) ?? schema
}

/**
 * Position in an example request: the path, and the tenant whose texts fill the example, if any.
 */
interface Spot {
  path: readonly string[]
  own: Tenant | undefined
}

/** Adds the required members of its JSON Schema to an object in an example request. */
function complete(schema: Schema, value: unknown, { path, own }: Spot): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { required = [], properties = {} } = schema
  const members = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => [name, exampleOf(properties[name] ?? {}, { path: [...path, name], own })])
  return { ...Object.fromEntries(members), ...value }
}

/** Creates a value that is valid for a JSON Schema. */
function exampleOf(schema: Schema, spot: Spot): unknown {
  const { anyOf: [branch] = [] } = schema
  if (schema.enum) return schema.enum[0]
  if (branch) return exampleOf(branch, spot)
  if ('const' in schema) return schema.const
  const { items, minItems = 0, minimum = 1 } = schema
  const examples: Record<string, () => unknown> = {
    object: () => complete(schema, {}, spot),
    array: () => (minItems > 0 && items ? [exampleOf(items, spot)] : []),
    boolean: () => false,
    integer: () => minimum,
    number: () => minimum,
  }
  return (examples[schema.type ?? 'string'] ?? (() => textOf(spot)))()
}

function textOf({ path, own }: Spot): string {
  const kind = kindOf({ label: path.join('.') })
  return own === undefined || kind === undefined || kind === 'plain' ? 'x' : kind.of(own)
}

/** Creates a worker reply with only the members that its JSON Schema requires. */
export function replyOf(schema: object): unknown {
  return exampleOf(schema as Schema, { path: [], own: undefined })
}

/**
 * Divides the request fields of an API operation into fields that name an object, and fields that
 * no table lists.
 */
export function classify(operation: Operation) {
  const fields = stringFields(operation)
  return {
    naming: fields.flatMap((field) => {
      const kind = kindOf(field)
      return kind === undefined || kind === 'plain' ? [] : [{ field, kind }]
    }),
    unclassified: fields.filter((field) => kindOf(field) === undefined).map(({ label }) => label),
  }
}
