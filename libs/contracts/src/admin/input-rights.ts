import type { AdminRole } from './role-names.ts'

/** Rights that a person at the administration pages needs for a request. */
export interface Rights {
  readonly roles: readonly AdminRole[]
  /**
   * Right to read mail that a person needs for the request. `needed`: the request is refused
   * without the active right. `partial`: without the right, the response contains no mail.
   */
  readonly mail?: 'needed' | 'partial'
  /**
   * True if the person must have signed in to the administration pages, or repeated a factor, in
   * the ten minutes before the request.
   */
  readonly stepUp?: true
}

/**
 * Query and body of an API request, as far as they decide which rights a person at the
 * administration pages needs.
 */
export interface RightsInput {
  query?: unknown
  body?: unknown
}

type Members = Readonly<Record<string, unknown>>

/**
 * Rights that a person needs for API requests with a certain query or body, instead of the rights
 * of their operation. Absent members of the result keep the rights of the operation.
 */
export function rightsOfInput(operationId: string, input: RightsInput): Partial<Rights> {
  const query = membersOf(input.query)
  const body = membersOf(input.body)
  return inputRights[operationId]?.({ query, body }) ?? {}
}

const needsMail: Partial<Rights> = { mail: 'needed' }
const needsOwner: Partial<Rights> = { roles: ['owner'], stepUp: true }

const operators: AdminRole[] = ['owner', 'operator']
/** Rights that a person needs for bulk jobs that delete accounts or cancel submissions. */
const deletesMany: Partial<Rights> = { roles: operators, stepUp: true }

const inputRights: Readonly<
  Record<string, (input: { query: Members; body: Members }) => Partial<Rights>>
> = {
  // Reading a message needs more rights if the request also marks the message as read.
  getMessage: ({ query }) =>
    query['markAsSeen'] === true || query['markAsSeen'] === 'true' ? { roles: operators } : {},
  // The webhook body of an event contains texts of the message.
  getEvent: ({ query }) =>
    query['payload'] === true || query['payload'] === 'true' ? needsMail : {},
  // Submitting a message that refers to a stored message needs the right to read mail. The texts of
  // the stored message could be sent to an address of the person's choice.
  submitMessage: ({ body }) => (refersToMail(body) ? needsMail : {}),
  uploadMessage: ({ body }) => (refersToMail(body) ? needsMail : {}),
  submitDraft: ({ body }) => (body['envelope'] === undefined ? {} : needsMail),
  createAccountJob: ({ body }) => {
    if (body['action'] === 'delete') return deletesMany
    const isHarmless = body['action'] === 'reconnect' || body['action'] === 'sync'
    return isHarmless ? {} : { roles: operators }
  },
  createOutboxJob: ({ body }) => (body['action'] === 'cancel' ? deletesMany : {}),
  updateSettings: ({ body }) => (Object.keys(body).some(isOwnersSetting) ? needsOwner : {}),
  createToken: ({ body }) => rightsOfToken(body),
  createTokenAlias: ({ body }) => rightsOfToken(body),
  importTokens: ({ body }) => {
    const tokens = list(body['tokens']).map(membersOf)
    return { ...(tokens.some(opensApi) && needsOwner), ...(tokens.some(opensMail) && needsMail) }
  },
}

function refersToMail({ reference, attachments }: Members): boolean {
  const attached = list(attachments).map(membersOf)
  return reference !== undefined || attached.some((each) => each['reference'] !== undefined)
}

/**
 * True for the key of a setting that only owners change. These are settings of mail proxies, and
 * the keys with which links and webhooks are signed.
 */
export function isOwnersSetting(key: string): boolean {
  return /^(?:imapProxyServer|smtpServer|serviceSecret|webhookSecrets)/.test(key)
}

/**
 * Rights that a person needs to create an access token. A token that reads mail needs the right to
 * read mail, because the person could use the token. For the same reason, only owners create tokens
 * that change every setting.
 */
function rightsOfToken(token: Members): Partial<Rights> {
  const more = opensApi(token) ? needsOwner : isUnrestricted(token) ? { stepUp: true as const } : {}
  return { ...more, ...(opensMail(token) && needsMail) }
}

/** True for an access token that may call every operation of its scope, for all accounts. */
function isUnrestricted({ permissions, account }: Members): boolean {
  return (permissions ?? account ?? null) === null
}

/** True for an unrestricted access token of the API, which also changes the settings of owners. */
function opensApi(token: Members): boolean {
  const isApi = scopesOf(token).some((scope) => scope === 'api' || scope === '*')
  return isApi && isUnrestricted(token)
}

/** Scopes of an access token. The API accepts one scope as text, and defaults to `api`. */
function scopesOf({ scopes = ['api'] }: Members): readonly unknown[] {
  return typeof scopes === 'string' ? [scopes] : list(scopes)
}

/**
 * Permissions with which an access token reads mail. Tokens that send or upload messages may refer
 * to a stored message, whose texts then reach an address of the person's choice.
 */
const mailPermissions = [
  ['read', 'message'],
  ['read', 'export'],
  ['read', 'logs'],
  ['send', 'submit'],
  ['write', 'message'],
] as const

function opensMail(token: Members): boolean {
  if (!scopesOf(token).some((scope) => scope !== 'smtp')) return false
  const { actions, groups } = membersOf(token['permissions'])
  return mailPermissions.some(
    ([action, group]) =>
      (actions === undefined || list(actions).includes(action)) &&
      (groups === undefined || list(groups).includes(group)),
  )
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}
