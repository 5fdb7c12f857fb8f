import { gzipSync } from 'node:zlib'
import { appendExportChunk, type Db, endExport, type Tx } from '@posthorn/db'
import { encryptChunk, newChunkKey } from '@posthorn/secrets'

export interface TestExport {
  exportId: string
  /** Key of the chunks; defaults to an unknown key. */
  key?: Buffer
  /** Plaintext of each chunk. */
  parts: readonly Buffer[]
}

const options = { maxAgeMs: 86_400_000, serviceUrl: null }

/** Writes the file of an export in chunks and completes the export. Returns the file. */
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
