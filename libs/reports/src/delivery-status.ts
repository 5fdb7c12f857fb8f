import { parseHeaders } from '@posthorn/mime'
import { first } from './parse-parts.ts'
import { type DeliveryAction, deliveryActions } from './report.ts'

/** One recipient's fields in a delivery status (RFC 3464 §2.3). */
export interface StatusFields {
  recipient: string
  action?: DeliveryAction
  status?: string
  /** What the server said, without the type. */
  diagnostic: string
  /** `smtp`, `x-unix`, … */
  diagnosticType: string
  mta?: string
  fields: Record<string, string[]>
}

export interface DeliveryStatus {
  message: Record<string, string[]>
  recipients: StatusFields[]
}

const maxRecipients = 1_000

/** Reads the groups of fields of a `message/delivery-status` part, or of a text that has such lines. Forgiving: a group counts with a recipient. */
export function parseDeliveryStatus(text: string): DeliveryStatus {
  const groups = text
    .split(/\n[ \t]*\n/)
    .flatMap(byRecipient)
    .slice(0, maxRecipients + 1)
    .map((group) => parseHeaders(Buffer.from(group.replace(/^[ \t]*\n/, ''))))
  const message = groups.find((fields) => !hasRecipient(fields)) ?? {}
  return {
    message,
    recipients: groups.filter(hasRecipient).map((fields) => statusOf(fields, message)),
  }
}

/** Some leave out the empty line between two recipients. */
function byRecipient(group: string): string[] {
  return (group.match(/^final-recipient:/gim) ?? []).length > 1
    ? group.split(/\n(?=final-recipient:)/i)
    : [group]
}

function hasRecipient(fields: Record<string, string[]>): boolean {
  return ['final-recipient', 'original-recipient'].some((name) => fields[name])
}

function statusOf(
  fields: Record<string, string[]>,
  message: Record<string, string[]>,
): StatusFields {
  const diagnostic = typed(first(fields, 'diagnostic-code'))
  const action = actionIn(first(fields, 'action'))
  const [status] = /[245]\.\d{1,3}\.\d{1,3}/.exec(first(fields, 'status')) ?? []
  const mta = typed(first(fields, 'remote-mta') || first(message, 'reporting-mta')).value
  return {
    recipient: addressOf(fields),
    ...(action ? { action } : {}),
    ...(status ? { status } : {}),
    diagnostic: diagnostic.value,
    diagnosticType: diagnostic.type || 'smtp',
    ...(mta ? { mta } : {}),
    fields,
  }
}

function actionIn(value: string): DeliveryAction | undefined {
  const [word] = value.toLowerCase().split(/\W/)
  return word === 'failure' ? 'failed' : deliveryActions.find((one) => one === word)
}

function addressOf(fields: Record<string, string[]>): string {
  // Who was written to, where that is told, and not where it was passed on to.
  const candidates = [
    fields['original-recipient'],
    fields['final-recipient'],
    fields['x-actual-recipient'],
  ]
  const values = candidates.map((field) => cleaned(typed(field?.[0]).value))
  return values.find((value) => value.includes('@')) ?? values.find((value) => value !== '') ?? ''
}

/** `rfc822; <a@example.test>` */
function typed(value = ''): { type: string; value: string } {
  const [, type = '', rest = ''] = /^\s*([\w.-]{1,32})\s*;\s*(.*)$/s.exec(value) ?? []
  return rest === '' && type === ''
    ? { type: '', value: value.trim() }
    : { type: type.toLowerCase(), value: rest.trim() }
}

function cleaned(value: string): string {
  const address = /[^\s<>"',;:()]{1,250}@[^\s<>"',;()]{1,250}/.exec(
    value.replace(/^smtp:/i, ''),
  )?.[0]
  return (address ?? value.replace(/^<|>$/g, '')).slice(0, 500)
}
