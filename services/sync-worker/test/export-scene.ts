import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { shardOf } from '@posthorn/contracts/shards'
import type { Db, Exports } from '@posthorn/db'
import { decryptChunk } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { type Insertable, type Selectable, sql } from 'kysely'
import { exportKeyOf } from './world.ts'

export interface ExportOptions {
  folders?: string[]
  startDate?: Date
  endDate?: Date
  textType?: 'plain' | 'html' | '*'
  maxBytes?: number
  includeAttachments?: boolean
}

/** Inserts an export, as api-gateway does. Returns its id. */
export async function createExport(
  db: Db,
  account: string,
  { maxBytes = 0, ...options }: ExportOptions = {},
): Promise<string> {
  const exportId = `exp_${randomBytes(12).toString('hex')}`
  await sql`select ensure_export_partition()`.execute(db)
  const row: Insertable<Exports> = {
    exportId,
    account,
    shard: shardOf(account),
    day: sql<Date>`(now() at time zone 'UTC')::date` as unknown as Date,
    folders: [],
    startDate: new Date(0),
    endDate: new Date(Date.now() + 86_400_000),
    textType: '*',
    maxBytes: String(maxBytes),
    includeAttachments: false,
    sealed: 'sealed',
    expiresAt: new Date(Date.now() + 3_600_000),
    ...options,
  }
  await db.insertInto('exports').values(row).execute()
  return exportId
}

export function getExport(db: Db, exportId: string): Promise<Selectable<Exports>> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('exportId', '=', exportId)
    .executeTakeFirstOrThrow()
}

/** Waits until an export has ended. */
export function exportEnd(db: Db, exportId: string): Promise<Selectable<Exports>> {
  return eventually(
    async () => {
      const row = await getExport(db, exportId)
      if (row.status === 'queued' || row.status === 'processing')
        throw new Error(JSON.stringify(row))
      return row
    },
    { timeoutMs: 150_000 },
  )
}

/** Decrypts the file of a completed export. Fails if a chunk is missing or out of place. */
export async function readFile(db: Db, exportId: string): Promise<Buffer> {
  const { chunks, bytesWritten } = await getExport(db, exportId)
  const rows = await db
    .selectFrom('exportChunks')
    .select(['number', 'start', 'content'])
    .where('exportId', '=', exportId)
    .orderBy('number')
    .execute()
  const members: Buffer[] = []
  let start = 0
  for (const [number, { content }] of rows.entries()) {
    const position = { exportId, number, start, isLast: number === chunks - 1 }
    members.push(decryptChunk(exportKeyOf(exportId), position, content))
    start += members.at(-1)?.length ?? 0
  }
  if (rows.length !== chunks || start !== Number(bytesWritten))
    throw new Error('chunks are missing')
  return Buffer.concat(members)
}

export interface ExportedLine extends Record<string, unknown> {
  id: string
  path: string
  subject: string
  date: string
  attachments?: { id: string; content?: string; contentError?: string }[]
}

/** Lines of the file of a completed export. */
export async function readLines(db: Db, exportId: string): Promise<ExportedLine[]> {
  const text = gunzipSync(await readFile(db, exportId)).toString()
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is incomplete')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ExportedLine)
}

/** Runs an export to its end. Returns its lines and its row. */
export async function runToEnd(db: Db, account: string, options: ExportOptions = {}) {
  const exportId = await createExport(db, account, options)
  const row = await exportEnd(db, exportId)
  if (row.status !== 'completed') throw new Error(JSON.stringify(row))
  return { exportId, row, lines: await readLines(db, exportId) }
}
