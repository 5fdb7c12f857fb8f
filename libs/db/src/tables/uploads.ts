import type { Generated } from 'kysely'

/**
 * Uploaded messages that are to be stored in a mailbox. Inserted by api-gateway, deleted by
 * sync-worker, also when they have expired.
 */
export interface Uploads {
  id: string
  account: string
  mime: Buffer
  createdAt: Generated<Date>
}

/**
 * Message uploads that may have left an incomplete draft at a mail provider. Written by
 * sync-worker.
 */
export interface UploadDrafts {
  upload: string
  account: string
  /**
   * Message-ID by which the incomplete draft of an uploaded message is found. The Message-ID is
   * unique among uploads.
   */
  messageId: string
  createdAt: Generated<Date>
  checkAt: Date
  /**
   * Number of successful searches for the incomplete draft of an uploaded message at the mail
   * provider.
   */
  checks: Generated<number>
}
