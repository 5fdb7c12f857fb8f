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
  /**
   * Account from a header with the alias prefix. Applies only to a session without login, because
   * EmailEngine ignores the header after a login.
   */
  aliasAccount?: string
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
 * Parsers of the values of control headers, by header name without prefix. Undefined for an invalid
 * value.
 */
type Readers = Record<string, (value: string) => Controls | undefined>

const readIdempotencyKey = (value: string) =>
  isText(value, 1024) ? { idempotencyKey: value } : undefined

/** Parsers of the control headers `X-SVC-…`. */
const readers: Readers = {
  account: (value) => (isText(value, 256) ? { account: value } : undefined),
  'idempotency-key': readIdempotencyKey,
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

/**
 * Parsers of control headers with the prefix in the setting `webhooksHeaderAlias`: the headers that
 * EmailEngine has. An empty value counts as absent.
 */
const aliasReaders: Readers = {
  account: (value) => (isText(value, 256) ? { aliasAccount: value } : undefined),
  'idempotency-key': readIdempotencyKey,
}

type MessageHeader = readonly [name: string, value: string]

/**
 * Reader of the control headers of messages. `alias` is a second prefix of header names (setting
 * `webhooksHeaderAlias`), in any case. `hasLogin`: the SMTP session has logged in, so the alias of
 * `X-SVC-Account` is ignored with any value, as EmailEngine does.
 */
export function controlReader(alias = '', { hasLogin = false } = {}) {
  const lowerAlias = alias.toLowerCase()
  /** Name of an alias header without its prefix; undefined for other headers. */
  function aliasKey(name: string): string | undefined {
    const key = lowerAlias !== '' && name.startsWith(lowerAlias) && name.slice(lowerAlias.length)
    return key && Object.hasOwn(aliasReaders, key) ? key : undefined
  }
  return {
    /** True for a control header, which is removed from the message. The name is in lower case. */
    isControl: (name: string): boolean => name.startsWith(prefix) || aliasKey(name) !== undefined,
    /**
     * Parses the control headers of a message. Names are in lower case. A header `X-SVC-…` wins
     * over its alias.
     *
     * @throws SmtpRejection 554 for an unsupported or repeated header, or an invalid value
     */
    read: (headers: readonly MessageHeader[]): Controls => {
      const isAlias = ([name]: MessageHeader) => aliasKey(name) !== undefined
      const isIgnored = ([name, value]: MessageHeader) =>
        value === '' || (hasLogin && aliasKey(name) === 'account')
      const aliases = headers.filter((header) => isAlias(header) && !isIgnored(header))
      const own = headers.filter((header) => !isAlias(header))
      return {
        ...parseControls(aliases, { readers: aliasReaders, prefix: lowerAlias }),
        ...parseControls(own, { readers, prefix }),
      }
    },
  }
}

interface ControlSyntax {
  readers: Readers
  prefix: string
}

function parseControls(
  headers: readonly MessageHeader[],
  { readers, prefix }: ControlSyntax,
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
