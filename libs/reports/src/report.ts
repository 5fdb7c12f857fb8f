import type { MessageBounce, MessageComplaint } from '@posthorn/contracts/events/reports'

/** Results of a message's delivery for one recipient (RFC 3464 §2.3.3). */
export const deliveryActions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
export type DeliveryAction = (typeof deliveryActions)[number]

/** Bounce categories, each with the action that is recommended to the sender of the message. */
export const recommendedActions = {
  user_unknown: 'remove',
  invalid_address: 'remove',
  mailbox_disabled: 'remove',
  mailbox_full: 'retry',
  greylisting: 'retry',
  rate_limited: 'retry',
  server_error: 'retry',
  ip_blacklisted: 'retry_different_ip',
  geo_blocked: 'retry_different_ip',
  domain_blacklisted: 'fix_configuration',
  auth_failure: 'fix_configuration',
  relay_denied: 'fix_configuration',
  spam_blocked: 'review',
  policy_blocked: 'review',
  virus_detected: 'remove_content',
  unknown: 'review',
} as const
export type BounceCategory = keyof typeof recommendedActions

/**
 * Response of a mail server in a delivery report. `source` is the type of the field
 * Diagnostic-Code: `smtp`, `x-unix`, …
 */
export type ReportedResponse = MessageBounce['response']

/**
 * Result of a delivery report for one recipient. `mta` is the host that rejected the message or
 * reports.
 */
export interface RecipientResult extends Pick<MessageBounce, 'recipient' | 'response' | 'mta'> {
  action: DeliveryAction
}

/** Original message that a delivery report or complaint is about. */
export interface OriginalMessage {
  /** Message-ID of the original message, with angle brackets. */
  messageId?: string
  headers?: Record<string, string[]>
}

/** Report of a mail server about the delivery of a message. */
export interface DeliveryReport extends OriginalMessage {
  kind: 'delivery'
  recipients: RecipientResult[]
  /** Fields of the delivery report and of one recipient, in camel case. See `readReport`. */
  fields: Record<string, string>
}

/** Complaint of a recipient about spam, or an opt-out (RFC 5965). */
export interface Complaint extends OriginalMessage {
  kind: 'complaint'
  arf: MessageComplaint['arf']
}

export type Report = DeliveryReport | Complaint
