/** What reports said of the delivery of an account's messages. Written by sync-worker, with the event; kept for 90 days. */
export interface Bounces {
  account: string
  /** First 8 bytes of the SHA-256 of the Message-ID of the message that did not arrive. */
  messageHash: string
  /** Id of the report. */
  bounceMessage: string
  recipient: string
  action: string
  response: string
  status: string | null
  date: Date
}
