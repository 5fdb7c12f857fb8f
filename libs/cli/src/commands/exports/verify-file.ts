import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/**
 * Decompresses the file of an export and counts its lines. Gzip has a checksum, so that a damaged
 * file is found. Undefined if the file cannot be decompressed.
 */
export async function countLines(path: string, signal: AbortSignal): Promise<number | undefined> {
  // An export without messages is an empty file, not an empty archive.
  if ((await stat(path)).size === 0) return 0
  let lines = 0
  try {
    await pipeline(
      createReadStream(path),
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks)
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
      },
      { signal },
    )
    return lines
  } catch (error) {
    signal.throwIfAborted()
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) return undefined
    throw error
  }
}
