/**
 * Bounces of sent messages. Written by sync-worker together with the event `messageBounce`, kept
 * for 90 days.
 */
export interface Bounces {
  account: string
  /** First 8 bytes of the SHA-256 hash of the bounced message's Message-ID. */
  messageHash: string
  /** Message id of the delivery report (bounce) in the API. */
  bounceMessage: string
  recipient: string
  action: string
  response: string
  status: string | null
  date: Date
}
