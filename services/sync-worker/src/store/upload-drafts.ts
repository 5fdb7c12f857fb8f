import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Upload of which an incomplete draft may be left. */
export interface UploadDraft {
  upload: string
  account: string
  /** Message-ID by which the incomplete draft is found. No other upload has it. */
  messageId: string
}

export interface DueUploadDraft extends UploadDraft {
  /** Number of successful checks. */
  checks: number
  ageMs: number
}

/** Time after the end of an upload in which its own process still removes the draft. */
const marginMs = 15_000
/** Time until a check is repeated by another worker, if the first one does not end. */
const claimMs = 60_000

const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 ms'`

/** Records an upload that ends in `afterMs`, before its draft is created. */
export async function insertUploadDraft(
  db: Db,
  { upload, account, messageId }: UploadDraft,
  afterMs: number,
): Promise<void> {
  const checkAt = inMs(Math.max(0, afterMs) + marginMs)
  await db.insertInto('uploadDrafts').values({ upload, account, messageId, checkAt }).execute()
}

/** Deletes the record of an upload: its draft is complete, removed or given up. */
export async function deleteUploadDraft(db: Db, upload: string): Promise<void> {
  await db.deleteFrom('uploadDrafts').where('upload', '=', upload).execute()
}

/** Claims ended uploads of accounts in these shards, longest due first. */
export async function claimUploadDrafts(
  db: Db,
  { shards, limit }: { shards: readonly number[]; limit: number },
): Promise<DueUploadDraft[]> {
  const { rows } = await sql<DueUploadDraft>`
    with due as materialized (
      select d.upload from upload_drafts d join accounts a using (account)
      where d.check_at <= now() and a.shard = any(${sql.val(shards)}::integer[])
      order by d.check_at limit ${limit} for update of d skip locked
    )
    update upload_drafts set check_at = ${inMs(claimMs)} from due
    where upload_drafts.upload = due.upload
    returning upload_drafts.upload, account, message_id as "messageId", checks,
      (extract(epoch from now() - created_at) * 1000)::double precision as "ageMs"
  `.execute(db)
  return rows
}

/** Schedules the next check after a successful one. */
export async function postponeUploadDraft(
  db: Db,
  { upload, checks }: Pick<DueUploadDraft, 'upload' | 'checks'>,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable('uploadDrafts')
    .set({ checkAt: inMs(delayMs), checks: checks + 1 })
    .where('upload', '=', upload)
    .execute()
}
