import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type ChunkPosition, decryptChunk } from '@posthorn/secrets'
import {
  findChunk,
  findChunkAt,
  type getExportFile,
  isExportAvailable,
} from '../store/exports/export-chunks.ts'
import { exportNotFound } from '../store/exports/export-records.ts'
import type { ByteRange } from './byte-range.ts'

/** Error for an export with a missing or changed chunk. The log shows `reason`, the chunk. */
export class DamagedFileError extends AppError {
  constructor(reason: string, cause?: unknown) {
    const message = 'The file of the export is damaged, create the export again'
    super('internal', message, { reason, cause })
  }
}

interface Chunk {
  /** Offset of the chunk's first byte in the file of the export. */
  start: number
  bytes: Buffer
}

/** File of a completed export, which is stored in encrypted chunks. */
export class ExportFile {
  readonly #db: Db
  readonly #file: Awaited<ReturnType<typeof getExportFile>>
  readonly #key: Buffer

  constructor(db: Db, file: Awaited<ReturnType<typeof getExportFile>>, key: Buffer) {
    this.#db = db
    this.#file = file
    this.#key = key
  }

  /**
   * Reads a range of the export's file. The next chunk is read while the consumer handles a chunk,
   * so at most two chunks are in memory, and no Postgres connection is held between them.
   *
   * @throws DamagedFileError if a chunk is missing or was changed, AppError `not-found` if the
   * export was deleted. The bytes before the error are correct.
   */
  async *read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    const { exportId, chunks } = this.#file
    let number = (await findChunkAt(this.#db, exportId, start)) ?? 0
    let pending: Promise<Chunk> = this.#load(number)
    for (let offset = start; offset <= end; number += 1) {
      const chunk = await pending
      const chunkEnd = chunk.start + chunk.bytes.length
      if (offset < chunk.start || offset >= chunkEnd)
        throw new DamagedFileError(`no byte ${offset}`)
      if (chunkEnd <= end && number + 1 < chunks) {
        pending = this.#load(number + 1)
        pending.catch(() => undefined)
      } else if (chunkEnd <= end) throw new DamagedFileError(`no byte ${chunkEnd}`)
      yield chunk.bytes.subarray(offset - chunk.start, end + 1 - chunk.start)
      offset = chunkEnd
    }
  }

  async #load(number: number): Promise<Chunk> {
    const { exportId, chunks, size: fileSize } = this.#file
    const row = await findChunk(this.#db, exportId, number)
    // An export may be deleted or expire while a client downloads its file.
    if (!row && !(await isExportAvailable(this.#db, exportId))) throw exportNotFound()
    if (!row) throw new DamagedFileError(`no chunk ${number}`)
    const { start, size, content } = row
    const position = { exportId, number, start, isLast: number === chunks - 1 }
    const bytes = this.#decrypt(position, content)
    const end = start + bytes.length
    if (bytes.length !== size) throw new DamagedFileError(`chunk ${number} has a wrong size`)
    // The stored size of the export's file is not encrypted: the end of the last chunk confirms
    // this size.
    if (end > fileSize || (end === fileSize) !== position.isLast)
      throw new DamagedFileError(`chunk ${number} ends at byte ${end} of ${fileSize}`)
    return { start, bytes }
  }

  #decrypt(position: ChunkPosition, content: Buffer): Buffer {
    try {
      return decryptChunk(this.#key, position, content)
    } catch (error) {
      throw new DamagedFileError(`chunk ${position.number} was changed`, error)
    }
  }
}
