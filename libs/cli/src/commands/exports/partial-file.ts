import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { CommandError } from '../../exit-codes.ts'

/**
 * Partial file with the first bytes of an export's download. Disposal closes the file and does not
 * delete it.
 */
export class PartialFile implements AsyncDisposable {
  readonly path: string
  readonly #handle: FileHandle
  #size: number

  private constructor(path: string, handle: FileHandle, size: number) {
    this.path = path
    this.#handle = handle
    this.#size = size
  }

  /**
   * Opens the file in which an earlier run has stored the first bytes of an export, or a new file.
   * Only the user can read the file, because the file contains mail.
   */
  static async open(path: string, maxSize: number): Promise<PartialFile> {
    const flags = constants.O_RDWR | constants.O_CREAT
    const handle = await open(path, flags, 0o600).catch((error: unknown) => {
      throw new CommandError(`${path} cannot be written: ${(error as Error).message}`)
    })
    const { size } = await handle.stat()
    const file = new PartialFile(path, handle, size)
    if (size > maxSize) await file.truncate()
    return file
  }

  /** Number of bytes that the partial file of an export's download has. */
  get size(): number {
    return this.#size
  }

  async append(chunk: Uint8Array): Promise<void> {
    let written = 0
    while (written < chunk.length) {
      const { bytesWritten } = await this.#handle
        .write(chunk, written, chunk.length - written, this.#size)
        .catch((error: unknown) => {
          throw new CommandError(`${this.path} cannot be written: ${(error as Error).message}`)
        })
      written += bytesWritten
      this.#size += bytesWritten
    }
  }

  /** Removes all bytes of the partial file, for a download of the export from the start. */
  async truncate(): Promise<void> {
    await this.#handle.truncate(0)
    this.#size = 0
  }

  /** Renames the complete file of an export to its final name, after all bytes are on the disk. */
  async rename(path: string): Promise<void> {
    await this.#handle.sync()
    await rename(this.path, path).catch((error: unknown) => {
      throw new CommandError(`${path} cannot be written: ${(error as Error).message}`)
    })
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}
