import { type Db, type DueRow, DueRows, inMs } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Upload of a message to a mail API. An interrupted upload may leave an incomplete draft at the
 * provider.
 */
export interface UploadDraft {
  upload: string
  account: string
  /** Message-ID of the incomplete draft, by which the draft is found. Unique to this upload. */
  messageId: string
}

/** Record of a message upload to a mail API that has ended without a complete draft. */
export type DueUploadDraft = DueRow & Pick<UploadDraft, 'messageId'>

/**
 * Checks that remove incomplete drafts of message uploads to mail APIs. Counts only successful
 * checks.
 */
export const uploadDrafts = new DueRows<'uploadDrafts', DueUploadDraft>({
  table: 'uploadDrafts',
  key: 'upload',
  dueAt: 'checkAt',
  since: 'createdAt',
  counter: 'checks',
  counted: 'postpone',
  columns: sql`message_id as "messageId"`,
})

/** SQL condition for upload records whose account is in one of some shards (groups of accounts). */
export function isInShards(shards: readonly number[]) {
  return sql<boolean>`account in (
    select account from accounts where shard = any(${sql.val([...shards])}::integer[]))`
}

/**
 * Period after the end of a message upload to a mail API in which the uploading process still
 * removes the incomplete draft.
 */
const marginMs = 15_000
/**
 * Records a message upload to a mail API that ends within `afterMs`. Called before the upload
 * creates its draft.
 */
export async function insertUploadDraft(
  db: Db,
  { upload, account, messageId }: UploadDraft,
  afterMs: number,
): Promise<void> {
  const checkAt = inMs(Math.max(0, afterMs) + marginMs)
  await db.insertInto('uploadDrafts').values({ upload, account, messageId, checkAt }).execute()
}

/** Deletes the record of a message upload to a mail API whose draft is complete. */
export async function deleteUploadDraft(db: Db, upload: string): Promise<void> {
  await db.deleteFrom('uploadDrafts').where('upload', '=', upload).execute()
}
