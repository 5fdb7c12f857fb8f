/** Result of a delivery for one recipient (RFC 3464 §2.3.3). */
export const deliveryActions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
export type DeliveryAction = (typeof deliveryActions)[number]

/** Reasons of a rejection; each has a recommended action. */
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

/** Blocklist that the server consulted. */
export interface Blocklist {
  name: string
  type: 'ip' | 'domain'
}

export interface ReportedResponse {
  /** Type of the diagnostic: `smtp`, or another one from the report (`x-unix`). */
  source: string
  message: string
  /** Enhanced status code (RFC 3463), if reported. */
  status?: string
  category: BounceCategory
  recommendedAction: RecommendedAction
  blocklist?: Blocklist
  /** Seconds to wait before a retry. */
  retryAfter?: number
}

/** Reported result for one recipient of a message. */
export interface RecipientResult {
  recipient: string
  action: DeliveryAction
  response: ReportedResponse
  /** Host that rejected the message, or that reports. */
  mta?: string
}

/** Message that a report is about. */
export interface OriginalMessage {
  /** With angle brackets. */
  messageId?: string
  headers?: Record<string, string[]>
}

/** Report about the delivery of a message. */
export interface DeliveryReport extends OriginalMessage {
  kind: 'delivery'
  recipients: RecipientResult[]
  /** Fields of the report and of one recipient, in camel case. See `readReport`. */
  fields: Record<string, string>
}

/** Complaint of a recipient about spam, or an opt-out (RFC 5965). */
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
