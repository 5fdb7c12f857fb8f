import { isIP } from 'node:net'
import { matches, parseDate, Submission } from '@posthorn/contracts'
import { Refusal } from './refusal.ts'

/** What a client asks for in headers of the message, as the API's callers do in fields and headers of theirs. */
export interface Controls {
  account?: string
  idempotencyKey?: string
  sendAt?: Date
  deliveryAttempts?: number
  gateway?: string
  localAddress?: string
  copy?: boolean
  sentMailPath?: string
}

const prefix = 'x-svc-'

/** How each is read; undefined: its value is none. */
const readers: Record<string, (value: string) => Controls | undefined> = {
  account: (value) => (isText(value, 256) ? { account: value } : undefined),
  'idempotency-key': (value) => (isText(value, 1024) ? { idempotencyKey: value } : undefined),
  'send-at'(value) {
    const sendAt = parseDate(value)
    return sendAt && { sendAt }
  },
  'delivery-attempts'(value) {
    const deliveryAttempts = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN
    return matches(Submission.properties.deliveryAttempts, deliveryAttempts)
      ? { deliveryAttempts }
      : undefined
  },
  gateway: (value) => (isText(value, 256) ? { gateway: value } : undefined),
  'local-address': (value) => (isIP(value) === 0 ? undefined : { localAddress: value }),
  copy: (value) => flag(value, (copy) => ({ copy })),
  'sent-mail-path': (value) => (isText(value, 1024) ? { sentMailPath: value } : undefined),
  // The bytes are the client's and stay so: what may be said of tracking is that it is not wanted.
  'track-opens': noTracking,
  'track-clicks': noTracking,
}

export function isControl(name: string): boolean {
  return name.startsWith(prefix)
}

/**
 * Reads the control headers of a message, given by name (lower case) and value.
 *
 * @throws Refusal 554 for a value that is none, one given twice, and one that we do not know: what was asked for is done or refused
 */
export function readControls(
  headers: readonly (readonly [name: string, value: string])[],
): Controls {
  const seen = new Set<string>()
  let controls: Controls = {}
  for (const [name, value] of headers) {
    const key = name.slice(prefix.length)
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined
    if (!read) throw refused(name, 'is not known here')
    if (seen.has(name)) throw refused(name, 'is given more than once')
    seen.add(name)
    const control = read(value)
    if (!control) throw refused(name, 'has a value that cannot be used')
    controls = { ...controls, ...control }
  }
  return controls
}

function refused(name: string, why: string): Refusal {
  return new Refusal('554 5.6.0', `The header ${printable(name)} ${why}`)
}

/** A header name is the client's word, and is said back. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 100)
}

function isText(value: string, maxLength: number): boolean {
  return value !== '' && value.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(value)
}

function noTracking(value: string): Controls | undefined {
  return flag(value, (tracks) => ({ tracks }))?.tracks === false ? {} : undefined
}

function flag<T>(value: string, control: (value: boolean) => T): T | undefined {
  if (/^(?:true|yes|1)$/i.test(value)) return control(true)
  return /^(?:false|no|0)$/i.test(value) ? control(false) : undefined
}
