import { setTimeout as delay } from 'node:timers/promises'
import type { Posthorn } from '@posthorn/client'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import type { PartialFile } from './partial-file.ts'

/**
 * Number of interruptions in a row without a new byte after which the download of an export fails.
 */
const maxStalls = 5
/** Pause after an interruption of an export's download, before the download continues. */
const pauseMs = 1_000
/**
 * Time for which the download request for an export is repeated, so that a restart of the server is
 * no failure.
 */
const retryForMs = 60_000

/** Options of the download of an export's file. */
export interface DownloadOptions {
  account: string
  exportId: string
  /** Size of the whole file of the export in bytes. */
  total: number
  signal: AbortSignal
  onProgress: (bytes: number) => void
}

/**
 * Reads the bytes that the partial file of an export lacks, and appends them. Continues after
 * interruptions.
 *
 * @throws CommandError if the connection is interrupted repeatedly without progress
 */
export async function readRest(
  client: Posthorn,
  file: PartialFile,
  options: DownloadOptions,
): Promise<void> {
  const { total, signal } = options
  let stalls = 0
  while (file.size < total) {
    const before = file.size
    const failure = await readOnce(client, file, options)
    signal.throwIfAborted()
    if (file.size >= total) return
    stalls = file.size > before ? 0 : stalls + 1
    if (stalls > maxStalls)
      throw new CommandError(
        `the download stopped at ${file.size} of ${total} bytes (${failure}): run the command again to continue`,
        exitCodes.unreachable,
      )
    await delay(pauseMs, undefined, { signal })
  }
}

/** Reads the export's file until the connection ends. Returns the reason of an interruption. */
async function readOnce(
  client: Posthorn,
  file: PartialFile,
  { account, exportId, total, signal, onProgress }: DownloadOptions,
): Promise<string> {
  const response = await client.downloadExport(
    { account, exportId, range: `bytes=${file.size}-` },
    { signal, retryForMs },
  )
  if (!response.body) return 'the response is empty'
  const iterator = (response.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  try {
    // The server or a cache may ignore the range of a download request, and send the whole file.
    if (response.status !== 206) await file.truncate()
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => error as Error)
      if (next instanceof Error) return next.message
      if (next.done) return 'the response ended early'
      if (file.size + next.value.length > total)
        throw new CommandError('the server sent more bytes than the file has: download it again')
      await file.append(next.value)
      onProgress(file.size)
    }
  } finally {
    // Closes the connection of a download response whose bytes cannot be stored.
    await iterator.return?.()
  }
}
