import { createHash } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import {
  maxNotifiedMessages,
  notifiedId,
  type NotifiedMessage,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { AppError } from '@posthorn/errors'

/** Maximum notifications in one request of Microsoft Graph. Microsoft sends far fewer. */
const maxNotifications = 1_000
/**
 * Maximum length of `clientState` (the secret in notifications of Microsoft Graph), in characters.
 */
const maxSecretLength = 128
/**
 * Maximum distinct Graph notifications that are forwarded per request. An account has only one
 * subscription.
 */
const maxDistinct = 10

/** Kinds of the lifecycle notifications of Microsoft Graph. */
const lifecycleKinds: Readonly<Record<string, ProviderNotification['kind']>> = {
  missed: 'missed',
  reauthorizationRequired: 'expiring',
  subscriptionRemoved: 'removed',
}

/**
 * Parses the notifications in a request of Microsoft Graph ("Receive change notifications through
 * webhooks"). Merges notifications with the same kind and secret. A merged notification names up to
 * 10 messages; if more messages changed, it names none. Leaves out notifications without a secret
 * or with an unknown lifecycle event.
 *
 * @throws AppError `invalid` if the body is no list of notifications
 */
export function parseGraphNotifications(body: string, account: string): ProviderNotification[] {
  const notifications = new Map<string, ProviderNotification>()
  for (const sent of readList(body)) {
    const notification = toProviderNotification(sent, account)
    if (!notification) continue
    const key = `${notification.kind} ${notification.secretHash}`
    const before = notifications.get(key)
    if (before || notifications.size < maxDistinct)
      notifications.set(key, before ? mergeNotifications(before, notification) : notification)
  }
  return [...notifications.values()]
}

/**
 * Merges two notifications of Microsoft Graph. A moved message is deleted in one notification and
 * created in another: the creation wins.
 */
function mergeNotifications(
  one: ProviderNotification,
  other: ProviderNotification,
): ProviderNotification {
  const { messages: _, ...notification } = other
  if (!one.messages || !other.messages) return notification
  const messages = new Map(one.messages.map((message) => [message.id, message]))
  for (const message of other.messages)
    if (!message.isDeleted || !messages.has(message.id)) messages.set(message.id, message)
  return messages.size > maxNotifiedMessages
    ? notification
    : { ...notification, messages: [...messages.values()] }
}

function readList(body: string): unknown[] {
  const parsed = parseJson(body)
  const list = isObject(parsed) ? parsed['value'] : undefined
  if (!Array.isArray(list) || list.length > maxNotifications)
    throw new AppError('invalid', 'The body must be a list of at most 1,000 notifications')
  return list
}

function toProviderNotification(
  notification: unknown,
  account: string,
): ProviderNotification | undefined {
  if (!isObject(notification)) return undefined
  const { clientState: secret, lifecycleEvent: event } = notification
  if (typeof secret !== 'string' || secret === '' || secret.length > maxSecretLength)
    return undefined
  const kind = event === undefined ? 'changed' : kindOf(event)
  const messages = kind === 'changed' ? messagesOf(notification) : undefined
  const expiresAt = kind === 'expiring' ? expiryOf(notification) : undefined
  return kind && defined({ account, kind, secretHash: hashSecret(secret), messages, expiresAt })
}

/**
 * Expiry of the subscription that a notification of Microsoft Graph names. Undefined for a time
 * that cannot be parsed.
 */
function expiryOf({ subscriptionExpirationDateTime: text }: Record<string, unknown>) {
  const time = typeof text === 'string' ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Message that a notification of Microsoft Graph names. Undefined if the id is no message id. */
function messagesOf({
  resourceData,
  changeType,
}: Record<string, unknown>): NotifiedMessage[] | undefined {
  const id = isObject(resourceData) ? resourceData['id'] : undefined
  if (typeof id !== 'string' || !notifiedId.test(id)) return undefined
  return [changeType === 'deleted' ? { id, isDeleted: true } : { id }]
}

function kindOf(event: unknown): ProviderNotification['kind'] | undefined {
  return typeof event === 'string' && Object.hasOwn(lifecycleKinds, event)
    ? lifecycleKinds[event]
    : undefined
}

/** Hash of a Microsoft Graph notification's secret. The secret itself stays in this process. */
function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Parses the JSON text of a provider notification; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
