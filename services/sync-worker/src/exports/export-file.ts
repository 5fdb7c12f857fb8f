import { appendExportChunk, type Tx } from '@posthorn/db'
import { encryptChunk } from '@posthorn/secrets'
import { endedError, type FilePosition, rewindFile } from '../store/running-exports.ts'
import { type ExportContext, inExport } from './export-context.ts'

/** Writer of an export's file: encrypts the chunks of the file and stores the chunks in order. */
export class ExportFile {
  readonly #context: ExportContext
  readonly #key: Buffer
  #end: FilePosition

  constructor(context: ExportContext, key: Buffer, end: FilePosition) {
    this.#context = context
    this.#key = key
    this.#end = end
  }

  /** Position in the export file after the last stored chunk. */
  get end(): FilePosition {
    return this.#end
  }

  /**
   * Appends a chunk to the export file. Passes a transaction to `store`, which also runs `save`
   * with the position after the chunk.
   *
   * @throws AppError `stale` if the lease is lost or the export has ended; nothing is stored then
   */
  async append(
    { bytes, isLast = false }: { bytes: Buffer; isLast?: boolean },
    save: (tx: Tx, end: FilePosition) => Promise<void>,
    store = (work: (tx: Tx) => Promise<void>) => inExport(this.#context, work),
  ): Promise<void> {
    const { exportId, deps } = this.#context
    const { chunks: number, bytes: start } = this.#end
    const end = { chunks: number + 1, bytes: start + bytes.length }
    const content = encryptChunk(this.#key, { exportId, number, start, isLast }, bytes)
    const { maxAgeMs } = deps.config.exports
    const chunk = { exportId, number, start, size: bytes.length, content, maxAgeMs }
    await store(async (tx) => {
      if (!(await appendExportChunk(tx, chunk))) endedError(exportId)
      await save(tx, end)
    })
    this.#end = end
  }

  /** Removes the chunks of the export file that follow a position. */
  async rewind(end: FilePosition): Promise<void> {
    if (this.#end.chunks === end.chunks) return
    await inExport(this.#context, (tx) => rewindFile(tx, this.#context.exportId, end))
    this.#end = end
  }
}
