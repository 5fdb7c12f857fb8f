import { createHmac } from 'node:crypto'

/** What webhooks are signed with. */
export interface SigningKeys {
  serviceSecret: string
  /** Those it replaced; they sign `webhook-signature` beside it until their time is over. */
  previous: readonly { serviceSecret: string; until: Date }[]
  /** By lane: targets with a key of their own for `webhook-signature`. */
  targets: ReadonlyMap<string, string>
}

/** `X-SVC-Wh-Signature`: HMAC-SHA256 over the bytes of the body, base64url. Interface spec, "Signature". */
export function sign(body: string | Uint8Array, serviceSecret: string): string {
  return createHmac('sha256', serviceSecret).update(body).digest('base64url')
}

/** What Standard Webhooks signs, beside the body. */
export interface SignedMessage {
  /** The event's: the same for every target and every attempt. */
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** `webhook-signature`: one or more of `v1,<base64>`, separated by spaces. Standard Webhooks 1.0, "Signature scheme". */
export function standardSignature(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
}

/** The secrets whose signatures a target is sent, the present one first. */
export function standardSecrets(keys: SigningKeys, lane: string, now: Date): string[] {
  const own = keys.targets.get(lane)
  if (own !== undefined) return [own]
  const previous = keys.previous.filter(({ until }) => until > now)
  return [keys.serviceSecret, ...previous.map(({ serviceSecret }) => serviceSecret)]
}

/** Receivers refuse what is five minutes old; their clocks may be wrong by three. */
const timestampGoodMs = 120_000

/**
 * `webhook-timestamp`: when the message was queued, so that attempts that follow each other are the same to the byte. One that would be too
 * old for receivers is sent with the time of the attempt.
 */
export function standardTimestamp(queuedAt: Date, now: Date): number {
  const good = now.getTime() - queuedAt.getTime() <= timestampGoodMs
  return Math.floor((good ? queuedAt : now).getTime() / 1000)
}

const standardSecret = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** A secret in the format of Standard Webhooks names its bytes; any other one is its bytes. */
function keyOf(secret: string): Buffer {
  const [, base64] = standardSecret.exec(secret) ?? []
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64')
}
