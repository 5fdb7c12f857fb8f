import { AppError } from '@posthorn/errors'
import type { Request, RequestHandler, Response } from 'express'
import { tooMany } from '../limit-address.ts'
import type { NotificationBodies } from './notification-bodies.ts'
import type { NotificationForwarder } from './notification-forwarder.ts'
import { isObject, parseJson } from './parse-graph.ts'
import { isSignedBy, readPushToken } from './push-token.ts'
import type { PushTrust } from './push-trust.ts'
import { sendOutcome, type NotificationOutcome } from './send-outcome.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface GmailPushDeps {
  readonly forwarder: Pick<NotificationForwarder, 'forward'>
  readonly bodies: Pick<NotificationBodies, 'use'>
  /** Counts a Pub/Sub push without a valid token. Above the limit, returns the seconds to wait. */
  readonly excess: (request: Request) => number | undefined
  readonly trust: Pick<PushTrust, 'current' | 'findAccounts'>
  readonly keys: Pick<SigningKeys, 'find'>
  readonly count: (outcome: NotificationOutcome) => void
}

/**
 * Handles a push of Pub/Sub for Gmail. The token of the push is checked before anything is read or
 * requested for the push. Notifications for unknown mailboxes succeed, because Pub/Sub would
 * otherwise repeat them for days. The `historyId` of a push is ignored: history is read from the
 * stored cursor.
 */
export function onGmailPush(deps: GmailPushDeps): RequestHandler {
  return (request, response) =>
    sendOutcome(response, deps.count, async () => {
      const apps = await authenticate(deps, request, response)
      const address = await deps.bodies.use(request, async (body) => readMailbox(body))
      const accounts = address === undefined ? [] : await deps.trust.findAccounts(apps, address)
      if (accounts.length === 0) return 'ignored'
      await deps.forwarder.forward(accounts.map((account) => ({ account, kind: 'changed' })))
      return 'forwarded'
    })
}

/**
 * Returns the OAuth2 applications of the service account that signed a Pub/Sub push.
 *
 * @throws AppError `forbidden`, `rate-limited`, `unavailable`
 */
async function authenticate(
  { trust, keys, excess }: GmailPushDeps,
  request: Request,
  response: Response,
): Promise<readonly string[]> {
  const expected = { ...trust.current, now: Date.now() }
  const token = readPushToken(request.headers.authorization ?? '', expected)
  const key = token && (await keys.find(token.keyId))
  if (token && key && isSignedBy(key, token)) return token.apps
  const seconds = excess(request)
  if (seconds !== undefined) throw tooMany(request, response, seconds)
  throw new AppError('forbidden', 'The token of the notification is not valid')
}

const maxAddressLength = 320

/**
 * Reads the mailbox of a Gmail notification, in lower case: `{"message":{"data":"<base64 of
 * {emailAddress, historyId}>"}}`. The outer object is missing if the subscription omits it
 * ("Payload unwrapping").
 */
function readMailbox(body: string): string | undefined {
  const push = parseJson(body)
  const message = isObject(push) ? push['message'] : undefined
  const encoded = isObject(message) ? message['data'] : undefined
  const data =
    typeof encoded === 'string' ? parseJson(Buffer.from(encoded, 'base64').toString('utf8')) : push
  const address = isObject(data) ? data['emailAddress'] : undefined
  const isAddress = typeof address === 'string' && address.length <= maxAddressLength
  return isAddress ? address.toLowerCase() : undefined
}
