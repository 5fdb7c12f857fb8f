import { isIP } from 'node:net'
import { parseDate } from '@posthorn/contracts/formats'
import { Submission } from '@posthorn/contracts/schemas/submission'
import { matches } from '@posthorn/contracts/validate'
import { SmtpRejection } from './rejection.ts'

/**
 * Submission options from `X-SVC-…` headers of a message; the API has these options as fields and
 * headers.
 */
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

/**
 * Parsers of the control headers (`X-SVC-…`), by name without prefix. A parser returns undefined
 * for an invalid value.
 */
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
  // Tracking of opens and clicks can only be declined, because the bytes of a message submitted by
  // SMTP are not rewritten.
  'track-opens': declineTracking,
  'track-clicks': declineTracking,
}

export function isControl(name: string): boolean {
  return name.startsWith(prefix)
}

/**
 * Parses the control headers (`X-SVC-…`) of a message. Names are in lower case.
 *
 * @throws SmtpRejection 554 for an unsupported or repeated header, or an invalid value
 */
export function readControls(
  headers: readonly (readonly [name: string, value: string])[],
): Controls {
  const seen = new Set<string>()
  let controls: Controls = {}
  for (const [name, value] of headers) {
    const key = name.slice(prefix.length)
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined
    if (!read) throw invalid(name, 'is not supported')
    if (seen.has(name)) throw invalid(name, 'occurs more than once')
    seen.add(name)
    const control = read(value)
    if (!control) throw invalid(name, 'has an invalid value')
    controls = { ...controls, ...control }
  }
  return controls
}

function invalid(name: string, reason: string): SmtpRejection {
  return new SmtpRejection('554 5.6.0', `The header ${printable(name)} ${reason}`)
}

/** Name of a rejected message header in printable form, for the SMTP reply. */
function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '?').slice(0, 100)
}

function isText(value: string, maxLength: number): boolean {
  return value !== '' && value.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(value)
}

function declineTracking(value: string): Controls | undefined {
  return flag(value, (tracks) => ({ tracks }))?.tracks === false ? {} : undefined
}

function flag<T>(value: string, control: (value: boolean) => T): T | undefined {
  if (/^(?:true|yes|1)$/i.test(value)) return control(true)
  return /^(?:false|no|0)$/i.test(value) ? control(false) : undefined
}
