/** What became of a message for one recipient (RFC 3464 §2.3.3). */
export const deliveryActions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
export type DeliveryAction = (typeof deliveryActions)[number]

/** Why a message was refused, and with that what to do about it. */
export const categories = [
  'user_unknown',
  'invalid_address',
  'mailbox_disabled',
  'mailbox_full',
  'greylisting',
  'rate_limited',
  'server_error',
  'ip_blacklisted',
  'geo_blocked',
  'domain_blacklisted',
  'auth_failure',
  'relay_denied',
  'spam_blocked',
  'policy_blocked',
  'virus_detected',
  'unknown',
] as const
export type BounceCategory = (typeof categories)[number]

export type RecommendedAction =
  | 'remove'
  | 'retry'
  | 'retry_different_ip'
  | 'fix_configuration'
  | 'review'
  | 'remove_content'

/** A list of bad senders that the server looked us up in. */
export interface Blocklist {
  name: string
  type: 'ip' | 'domain'
}

export interface ReportedResponse {
  /** Who speaks: `smtp`, or whatever a report names (`x-unix`). */
  source: string
  message: string
  /** RFC 3463, where one is told or follows from the SMTP code. */
  status?: string
  category: BounceCategory
  recommendedAction: RecommendedAction
  blocklist?: Blocklist
  /** Seconds. */
  retryAfter?: number
}

/** What became of a message for one of its recipients. */
export interface RecipientResult {
  recipient: string
  action: DeliveryAction
  response: ReportedResponse
  /** The host that refused, or the one that tells. */
  mta?: string
}

/** The message that a report is about. */
export interface OriginalMessage {
  /** With its angle brackets. */
  messageId?: string
  headers?: Record<string, string[]>
}

/** A report about the delivery of a message. */
export interface DeliveryReport extends OriginalMessage {
  kind: 'delivery'
  recipients: RecipientResult[]
  /** The fields of the first recipient that is told good news of, and of the report, in camel case. */
  fields: Record<string, string>
}

/** Somebody called a message spam, or wants no more (RFC 5965). */
export interface Complaint extends OriginalMessage {
  kind: 'complaint'
  arf: {
    source?: string
    feedbackType: string
    abuseType?: string
    userAgent?: string
    version?: string
    originalMailFrom?: string
    originalRcptTo: string[]
    arrivalDate?: string
    sourceIp?: string
    reportingMta?: string
    reportedDomain?: string[]
    authFailure?: string
  }
}

export type Report = DeliveryReport | Complaint
