import { defined } from '@posthorn/contracts/defined'
import { parseHeaders } from '@posthorn/mime'
import { firstAddress } from './addresses.ts'
import { first, type Headers } from './parse-parts.ts'
import { type DeliveryAction, deliveryActions } from './report.ts'

/** Fields of one recipient in a delivery status (RFC 3464 §2.3). */
export interface StatusFields {
  recipient: string
  action?: DeliveryAction
  status?: string
  /** Message of the rejecting mail server in the field `Diagnostic-Code`, without the type. */
  diagnostic: string
  /** Type of the diagnostic code in a delivery status: `smtp`, `x-unix`, … */
  diagnosticType: string
  mta?: string
  fields: Headers
}

export interface DeliveryStatus {
  message: Headers
  recipients: StatusFields[]
}

const maxRecipients = 1_000

/**
 * Parses the field groups of a `message/delivery-status` part, or of text with such lines. Every
 * group with a recipient is included.
 */
export function parseDeliveryStatus(text: string): DeliveryStatus {
  const groups = text
    .split(/\n[ \t]*\n/)
    .flatMap(splitByRecipient)
    .slice(0, maxRecipients + 1)
    .map((group) => parseHeaders(Buffer.from(group.replace(/^[ \t]*\n/, ''))))
  const message = groups.find((fields) => !hasRecipient(fields)) ?? {}
  return {
    message,
    recipients: groups.filter(hasRecipient).map((fields) => toStatus(fields, message)),
  }
}

/**
 * Splits a field group with several recipients: some servers omit the empty line between two
 * recipients.
 */
function splitByRecipient(group: string): string[] {
  return (group.match(/^final-recipient:/gim) ?? []).length > 1
    ? group.split(/\n(?=final-recipient:)/i)
    : [group]
}

function hasRecipient(fields: Headers): boolean {
  return ['final-recipient', 'original-recipient'].some((name) => fields[name])
}

function toStatus(fields: Headers, message: Headers): StatusFields {
  const diagnostic = splitType(first(fields, 'diagnostic-code'))
  const [status] = /[245]\.\d{1,3}\.\d{1,3}/.exec(first(fields, 'status')) ?? []
  const mta = splitType(first(fields, 'remote-mta') || first(message, 'reporting-mta')).value
  return defined({
    recipient: recipientOf(fields),
    action: parseAction(first(fields, 'action')),
    status,
    diagnostic: diagnostic.value,
    diagnosticType: diagnostic.type || 'smtp',
    mta: mta || undefined,
    fields,
  })
}

function parseAction(value: string): DeliveryAction | undefined {
  const [word] = value.toLowerCase().split(/\W/)
  return word === 'failure' ? 'failed' : deliveryActions.find((action) => action === word)
}

/**
 * Recipient of a delivery status: the original recipient if reported, else the recipient that the
 * message was forwarded to.
 */
function recipientOf(fields: Headers): string {
  const names = ['original-recipient', 'final-recipient', 'x-actual-recipient']
  const values = names.map((name) => toAddress(splitType(fields[name]?.[0]).value))
  return values.find((value) => value.includes('@')) ?? values.find((value) => value !== '') ?? ''
}

/** Splits a typed value of a delivery status field such as `rfc822; <a@example.test>`. */
function splitType(value = ''): { type: string; value: string } {
  const [, type = '', rest = ''] = /^\s*([\w.-]{1,32})\s*;\s*(.*)$/s.exec(value) ?? []
  return rest === '' && type === ''
    ? { type: '', value: value.trim() }
    : { type: type.toLowerCase(), value: rest.trim() }
}

function toAddress(value: string): string {
  const address = firstAddress(value.replace(/^smtp:/i, ''))
  return (address ?? value.replace(/^<|>$/g, '')).slice(0, 500)
}
