import { type Db, isSentByApi } from '@posthorn/db'
import { sql } from 'kysely'
import type { OutboxLease } from './submission.ts'

/**
 * Maximum MIME size of a message for a mail API that is loaded together with its outbox row. The
 * beginning of a larger message is loaded: header sections have at most 1 MiB.
 */
const maxLoadedBytes = 4 * 1024 * 1024
/**
 * Maximum memory that is counted for the sending attempt of a message for a mail API: the message
 * without the bodies of its large attachments, which `parseLargeMessage` holds.
 */
const maxRangedMemory = 64 * 1024 * 1024

/** Length in bytes of the message (MIME) of an outbox row. */
export const mimeBytes = sql<number>`coalesce(octet_length(mime), 0)`

/** Memory that the sending attempt of an outbox row needs for the MIME bytes of its message. */
export const memoryBytes = sql<number>`coalesce(least(octet_length(mime),
  case when ${isSentByApi} then ${sql.lit(maxRangedMemory)} end), 0)`

/** Message (MIME) of an outbox row, or the beginning of a large message. */
export const loadedMime = sql<Buffer | null>`case when ${isSentByApi}
  and octet_length(mime) > ${sql.lit(maxLoadedBytes)}
  then substring(mime from 1 for ${sql.lit(maxLoadedBytes / 2)}) else mime end`

/**
 * Reads a range of the MIME of a leased submission: the bytes from `start` up to `end`. Undefined
 * if the outbox lease was lost.
 */
export async function readMime(
  db: Db,
  { queueId, worker, attempt }: OutboxLease,
  { start, end }: { start: number; end: number },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select(
      sql<Buffer | null>`substring(mime from ${start + 1}::int for ${end - start}::int)`.as('mime'),
    )
    .where('queueId', '=', queueId)
    .where('worker', '=', worker)
    .where('attempts', '=', attempt)
    .executeTakeFirst()
  return row?.mime ?? undefined
}
