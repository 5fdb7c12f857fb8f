import type { Generated } from 'kysely'

/**
 * Uploaded messages that are to be stored in a mailbox. Inserted by api-gateway, removed by
 * sync-worker, also after expiry.
 */
export interface Uploads {
  id: string
  account: string
  mime: Buffer
  createdAt: Generated<Date>
}

/**
 * Message uploads of which an incomplete draft may be left at a mail provider. Written by
 * sync-worker.
 */
export interface UploadDrafts {
  upload: string
  account: string
  /** Message-ID by which the incomplete draft is found. No other upload has this Message-ID. */
  messageId: string
  createdAt: Generated<Date>
  checkAt: Date
  /** Number of successful checks for an incomplete draft. */
  checks: Generated<number>
}
