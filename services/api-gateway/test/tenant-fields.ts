import type { Operation } from '@posthorn/contracts/define'

/**
 * Ids and texts of a tenant's objects, by name. The texts contain a mark by which the tenant is
 * recognized.
 */
export type Tenant = Readonly<Record<string, string>>

/** Field of an API request that contains a text. */
export interface Field {
  part: 'params' | 'query' | 'headers' | 'body'
  /**
   * Member names that lead from the part of the API request to the field. `[]` is an element of an
   * array, `*` any member.
   */
  path: readonly string[]
  /**
   * Path of the request field, with the part of the request and without arrays, such as
   * `body.to.address`.
   */
  label: string
}

/** Parts of JSON Schema that the contracts use for requests. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  minItems?: number
  items?: Schema
  required?: readonly string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  anyOf?: readonly Schema[]
}

const parts = ['params', 'query', 'headers', 'body'] as const
/** JSON Schema keywords that may contain request fields, but that `stringPaths` does not follow. */
const unsupported = ['$ref', 'allOf', 'oneOf', 'prefixItems', 'not', 'if']

/**
 * Request fields of an API operation that take any text. Fields with fixed values are left out,
 * because these values name no object of a tenant.
 */
export function stringFields(operation: Operation): Field[] {
  const fields = parts.flatMap((part) =>
    stringPaths(operation[part] as Schema | undefined, []).map((path) => ({
      part,
      path,
      label: [part, ...path.filter((name) => name !== '[]')].join('.'),
    })),
  )
  return [
    ...new Map(fields.map((field) => [[field.part, ...field.path].join(' '), field])).values(),
  ]
}

/** Members of a JSON Schema object that are texts or contain texts. */
export function textMembers(schema: object): string[] {
  return [...new Set(stringPaths(schema as Schema, []).flatMap(([member]) => member ?? []))]
}

function stringPaths(schema: Schema | undefined, path: readonly string[]): (readonly string[])[] {
  if (schema === undefined) return []
  const keyword = unsupported.find((name) => name in schema)
  if (keyword !== undefined)
    throw new Error(`${path.join('.')}: stringPaths does not follow ${keyword}`)
  const { anyOf = [], properties = {}, patternProperties = {}, items } = schema
  const inner = [
    ...anyOf.flatMap((branch) => stringPaths(branch, path)),
    ...Object.entries(properties).flatMap(([name, member]) => stringPaths(member, [...path, name])),
    ...Object.values(patternProperties).flatMap((member) => stringPaths(member, [...path, '*'])),
    ...stringPaths(items, [...path, '[]']),
  ]
  return takesText(schema) ? [path, ...inner] : inner
}

/** True for a JSON Schema that accepts texts, or values of any type. */
function takesText({ type, enum: values, ...rest }: Schema): boolean {
  if ('const' in rest || values !== undefined) return false
  const isAny = ['anyOf', 'properties', 'patternProperties', 'items'].every((key) => !(key in rest))
  return type === 'string' || (type === undefined && isAny)
}

/** Kind of the objects that some request fields name, such as messages or templates. */
export interface FieldKind {
  /**
   * Request fields that name objects of one kind, by the last members of their labels (paths). The
   * longest match of a label counts.
   */
  fields: string
  /** Id or text of the tenant's object that the request field names. */
  of: (tenant: Tenant) => string
  /**
   * Effect of a request field that names an object of another tenant. `refused`: status 400, 403 or
   * 404. `harmless`: any status; the value is searched within the account, or names nothing of
   * Posthorn.
   */
  foreign: 'refused' | 'harmless'
}

const named = (name: string, foreign: FieldKind['foreign'], fields = name): FieldKind => ({
  fields,
  of: (tenant) => tenant[name] ?? missing(name),
  foreign,
})

function missing(name: string): never {
  throw new Error(`The tenants have no ${name}`)
}

/**
 * Request fields that name objects, by kind. Fields of operations that are closed to tenants are
 * never reached.
 */
export const namingFields: readonly FieldKind[] = [
  named('account', 'refused', 'account delegatedAccount accounts ids'),
  // Only an access token that is not bound to an account may choose the id of a template.
  named('template', 'refused', 'template body.id'),
  named('message', 'refused', 'params.message reference.message'),
  named('text', 'refused', 'params.text'),
  named('attachment', 'refused', 'params.attachment attachments.reference'),
  named('token', 'refused', 'token tokens.id'),
  named('queueId', 'refused', 'queueId'),
  named('exportId', 'refused', 'exportId'),
  named('app', 'refused', 'app oauth2.provider pubSubApp applications.*'),
  named('webhookRoute', 'refused', 'webhookRoute body.target query.target'),
  named('uuid', 'refused', 'delivery job params.event replay worker'),
  // Stored credentials of an account must stay with their user, server and network path.
  named('user', 'refused', 'auth.user delegatedUser'),
  named('host', 'refused', 'imap.host smtp.host'),
  named('proxy', 'refused', 'proxy proxyUrl httpProxyUrl'),
  // The account has custom webhook headers, which must stay with their webhook target.
  named('url', 'refused', 'webhooks'),
  named('url', 'refused', 'redirectUrl body.url'),
  // After the OAuth2 consent, the browser of the owner opens the redirect URL with the id of the
  // account.
  named('url', 'harmless', 'oauth2.redirectUrl'),
  named('messageId', 'refused', 'reference.messageId'),
  // SMTP gateways belong to the operator and send for all accounts.
  named('gateway', 'harmless'),
  named('listId', 'harmless'),
  named('cursor', 'harmless'),
  named(
    'mailbox',
    'harmless',
    'path newPath source folders subconnections labels.add labels.delete',
  ),
  named('mailbox', 'harmless', 'labels.set labels.has labels.not'),
  named('mailbox', 'harmless', 'sentMailPath draftsMailPath junkMailPath trashMailPath'),
  named('mailbox', 'harmless', 'archiveMailPath'),
  named('email', 'harmless', 'address email expectedEmail recipient envelope.from envelope.to'),
  named('email', 'harmless', 'search.from search.to search.cc search.bcc serviceClientEmail'),
  named(
    'name',
    'harmless',
    'query.query filter.query search.subject search.body search.gmailRaw header.*',
  ),
  named('url', 'harmless', 'baseUrl targetUrl serviceUrl notificationBaseUrl authServer'),
  named('url', 'harmless', 'openAiAPIUrl issuer'),
  named(
    'url',
    'harmless',
    'authorizeUrl tokenUrl userinfoUrl revokeUrl query.address body.address',
  ),
  named('url', 'harmless', 'webhookSecrets.target webhookTargets.target referrers'),
  named('host', 'harmless', 'host smtpEhloName imapProxyServerHost smtpServerHost'),
  named('ip', 'harmless', 'localAddress localAddresses ip remoteAddress restrictions.addresses'),
  named('messageId', 'harmless', 'messageId dsn.id'),
  named('emailId', 'harmless', 'emailId emailIds threadId'),
  named('key', 'harmless', 'idempotency-key'),
  named('changeId', 'harmless', 'lastEventId last-event-id'),
]

/**
 * Request fields with content, times, secrets or words of the API. Such fields name no object of a
 * tenant.
 */
const plainFields = [
  'name subject text html previewText description reason title type locale tz timezone',
  'internalDate notifyFrom sendAt created access.time expires expiresAt since until before createdBefore errorCode sentBefore sentSince seq uid',
  'startDate endDate from to keys range if-range',
  'pass user key value set add delete flags filename contentType content cid raw headers.*',
  'params.* payload.* metadata accessToken refreshToken clientSecret clientId serviceKey',
  'serviceClient externalAccount scopes extraScopes skipScopes authority tenant googleProjectId',
  'googleTopicName googleSubscriptionName license fn map event outcome webhookEvents',
  'notifyHeaders secret serviceSecret templateHeader templateHtmlHead scriptEnv pageBrandName',
  'openAiAPIKey openAiModel openAiPrompt imapClientName imapClientVersion imapClientVendor',
  'imapClientSupportUrl imapProxyServerPassword smtpServerPassword publicKey',
  'credentials.imap credentials.smtp credentials.oauth2 webhooksHeaderAlias',
]
  .join(' ')
  .split(' ')

/**
 * Kind of a request field: `plain` if the field names no object, undefined if no table lists the
 * field.
 */
export function kindOf({ label }: Pick<Field, 'label'>): FieldKind | 'plain' | undefined {
  const members = label.split('.')
  for (let from = 0; from < members.length; from += 1) {
    const suffix = members.slice(from).join('.')
    const kind = namingFields.find(({ fields }) => fields.split(' ').includes(suffix))
    if (kind) return kind
    if (plainFields.includes(suffix)) return 'plain'
  }
  return undefined
}
