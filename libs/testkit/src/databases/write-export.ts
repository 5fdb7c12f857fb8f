import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { appendExportChunk, connect, type Db, endExport, type Tx } from '@posthorn/db'
import {
  chunkKeySealContext,
  createUnsealer,
  encryptChunk,
  keyPairFromSecret,
  newChunkKey,
} from '@posthorn/secrets'
import { sql } from 'kysely'

export interface TestExport {
  exportId: string
  /** Encryption key of the chunks of a message export; defaults to an unknown key. */
  key?: Buffer
  /** Plaintext of each chunk in the file of a message export. */
  parts: readonly Buffer[]
}

const options = { maxAgeMs: 86_400_000, serviceUrl: null }

/**
 * Writes the file of a message export in encrypted chunks and completes the export. Returns the
 * file.
 */
export async function writeExport(
  db: Db,
  { exportId, key = newChunkKey(), parts }: TestExport,
): Promise<Buffer> {
  await db
    .updateTable('exports')
    .set({ status: 'processing', phase: 'exporting', startedAt: new Date() })
    .where('exportId', '=', exportId)
    .execute()
  const members = parts.map((part) => gzipSync(part, { level: 1 }))
  let start = 0
  for (const [number, member] of members.entries()) {
    const position = { exportId, number, start, isLast: number === members.length - 1 }
    const content = encryptChunk(key, position, member)
    const chunk = { exportId, number, start, size: member.length, content, ...options }
    await db.transaction().execute(async (tx) => {
      if (!(await appendExportChunk(tx, chunk))) throw new Error('the chunk was not stored')
      if (position.isLast) await complete(tx, exportId)
    })
    start += member.length
  }
  return Buffer.concat(members)
}

async function complete(tx: Tx, exportId: string): Promise<void> {
  const end = { status: 'completed', truncated: false } as const
  if (!(await endExport(tx, [exportId, end], options))) throw new Error('the export has ended')
}

/** Inserts copies of a message export's database row, and updates the statistics of the table. */
export async function copyExport(db: Db, exportId: string, copies: number): Promise<void> {
  await sql`
    insert into exports (export_id, account, shard, day, status, folders, start_date, end_date,
      text_type, max_bytes, include_attachments, sealed, expires_at)
    select export_id || n, account, shard, day, status, folders, start_date, end_date,
      text_type, max_bytes, include_attachments, sealed, expires_at
    from exports, generate_series(1, ${copies}::integer) as n where export_id = ${exportId}
  `.execute(db)
  await sql`analyze exports`.execute(db)
}

/** Key of the chunks of a message export, unsealed with the value of SVC_SECRET. */
export async function readExportKey(db: Db, secret: string, exportId: string): Promise<Buffer> {
  const { sealed } = await db
    .selectFrom('exports')
    .select('sealed')
    .where('exportId', '=', exportId)
    .executeTakeFirstOrThrow()
  const unsealer = createUnsealer([keyPairFromSecret(secret).privateKey])
  return Buffer.from(await unsealer.unseal(sealed, chunkKeySealContext(exportId)), 'base64')
}

/** Running system whose database and sealing secret a test knows. */
export interface ExportSystem {
  ownerUrl: string
  /** Value of SVC_SECRET, the sealing secret of the running system. */
  secret: string
}

/** Writes the file of a message export that a running system created, and completes the export. */
export async function completeExport(
  { ownerUrl, secret }: ExportSystem,
  { exportId, parts }: Pick<TestExport, 'exportId' | 'parts'>,
): Promise<Buffer> {
  const db = connect(ownerUrl, { name: 'test export' })
  try {
    return await writeExport(db, {
      exportId,
      parts,
      key: await readExportKey(db, secret, exportId),
    })
  } finally {
    await db.destroy()
  }
}

/** Creates new sealing keys: values of SVC_SECRET and SVC_SECRET_PUBLIC_KEY. */
export function newSealingKeys(): { secret: string; publicKey: string } {
  const secret = randomBytes(32).toString('hex')
  return { secret, publicKey: keyPairFromSecret(secret).publicKey.text }
}
