import type { ServerResponse } from 'node:http'
import type { Bus } from '@posthorn/bus'
import { getExportKey } from '@posthorn/contracts/commands/credentials'
import type { Db } from '@posthorn/db'
import { AppError, type ErrorKind, messageOf } from '@posthorn/errors'
import { KeyedSemaphore, Semaphore } from '@posthorn/flow'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { TokenWatch } from '../access/token-watch.ts'
import type { ResponseWriter } from '../http/handle.ts'
import { getExportFile } from '../store/exports/export-chunks.ts'
import { type ByteRange, parseRange } from './byte-range.ts'
import { DamagedFileError, ExportFile } from './export-file.ts'
import {
  type DownloadCaller,
  resetConnection,
  sendChunks,
  type SendOutcome,
} from './send-chunks.ts'

/**
 * Maximum concurrent downloads of exports from one process. Each download has up to two chunks of
 * about 1 MiB in memory.
 */
const maxDownloads = 32
/**
 * Maximum concurrent downloads of one account's exports, so that slow clients leave room for
 * others.
 */
const maxOfAccount = 8
const keyTimeoutMs = 5_000
/**
 * Error texts of the status 503 if a download of an export fails because of auth-bridge, which
 * provides the key.
 */
const keyErrors: Partial<Record<ErrorKind, string>> = {
  timeout: 'auth-bridge does not respond, retry later',
  internal: 'The export cannot be decrypted, retry later or create the export again',
}

export interface ExportDownloadsDeps {
  db: Db
  bus: Bus
  tokenWatch: TokenWatch
  log: Logger
  metrics: Metrics
}

/** API request for the file of an export. */
export interface DownloadRequest extends DownloadCaller {
  exportId: string
  range: string | undefined
  ifRange: string | undefined
  signal: AbortSignal
}

interface Download {
  request: DownloadRequest
  size: number
  /** Range of the export's file to send; undefined for the whole file. */
  range: ByteRange | undefined
  headers: Record<string, string>
}

type Outcome = SendOutcome | 'deleted' | 'damaged' | 'failed'

/**
 * Sends the files of exports (messages of an account) to clients, within limits of concurrent
 * downloads.
 */
export class ExportDownloads {
  readonly #deps: ExportDownloadsDeps
  readonly #permits = new Semaphore(maxDownloads)
  readonly #accountPermits = new KeyedSemaphore(maxOfAccount)
  readonly #active
  readonly #ended

  constructor(deps: ExportDownloadsDeps) {
    this.#deps = deps
    const { metrics } = deps
    this.#active = metrics.gauge({
      name: 'export_downloads',
      help: 'Number of downloads of exports in progress',
    })
    this.#ended = metrics.counter({
      name: 'export_downloads_ended_total',
      help: 'Downloads of exports that have ended, by outcome',
      labels: ['outcome'],
    })
  }

  /**
   * Prepares the response to a request for the file of an export, or for a range of the file.
   *
   * @throws AppError `not-found`
   */
  async open(request: DownloadRequest): Promise<ResponseWriter> {
    const { account, exportId, ifRange } = request
    const file = await getExportFile(this.#deps.db, account, exportId)
    const { size } = file
    const etag = `"${exportId}-${size}"`
    // RFC 9110 §13.1.5: if `If-Range` has another validator, the whole file of the export is sent.
    const isCurrent = ifRange === undefined || ifRange.trim() === etag
    const range = isCurrent ? parseRange(request.range, size) : undefined
    const headers = {
      'Content-Type': 'application/gzip',
      'Content-Disposition': `attachment; filename="${exportId}.ndjson.gz"`,
      'Accept-Ranges': 'bytes',
      ETag: etag,
    }
    return async (response) => {
      // RFC 9110 §14.2: `Range` is defined for GET only, so a HEAD request ignores the header.
      if (response.req.method === 'HEAD')
        response.writeHead(200, { ...headers, 'Content-Length': size }).end()
      else if (range === 'unsatisfiable') refuseRange(response, { size, etag })
      else {
        using _permits = this.#acquire(account)
        const content = new ExportFile(this.#deps.db, file, await this.#readKey(request))
        await this.#send(response, content, { request, size, range, headers })
      }
    }
  }

  /**
   * Takes the permits of an export download: one of this process and one of the account.
   * @throws AppError `unavailable` if too many downloads are in progress
   */
  #acquire(account: string): Disposable {
    const permits = new DisposableStack()
    for (const semaphore of [this.#permits, this.#accountPermits]) {
      const permit =
        semaphore instanceof Semaphore ? semaphore.tryAcquire() : semaphore.tryAcquire(account)
      if (!permit) {
        permits.dispose()
        throw new AppError('unavailable', 'Too many concurrent downloads of exports, retry later')
      }
      permits.use(permit)
    }
    return permits
  }

  /**
   * Requests the key that decrypts the chunks of an export.
   * @throws AppError `unavailable` without auth-bridge, or if auth-bridge cannot unseal the key
   */
  async #readKey({ account, exportId, signal }: DownloadRequest): Promise<Buffer> {
    const options = { key: 'credentials', timeoutMs: keyTimeoutMs, failFast: true, signal }
    try {
      const { key } = await this.#deps.bus.request(getExportKey, { account, exportId }, options)
      return Buffer.from(key, 'base64')
    } catch (cause) {
      const message = cause instanceof AppError && keyErrors[cause.kind]
      throw message ? new AppError('unavailable', message, { cause }) : cause
    }
  }

  /**
   * Sends a range of the export's file. An error before the first chunk becomes an error response;
   * a later error ends the connection.
   */
  async #send(response: ServerResponse, content: ExportFile, download: Download): Promise<void> {
    const { request, size, range, headers } = download
    const { start, end } = range ?? { start: 0, end: size - 1 }
    this.#active.inc()
    try {
      await using chunks = content.read({ start, end })
      const first = await chunks.next()
      if (response.destroyed) return
      response.writeHead(range ? 206 : 200, {
        ...headers,
        'Content-Length': end - start + 1,
        ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
      })
      const watch = { tokenWatch: this.#deps.tokenWatch, caller: request }
      this.#count(await sendChunks(response, { first, chunks }, watch))
    } catch (error) {
      const outcome = this.#report(request, error)
      this.#count(outcome)
      if (!response.headersSent) throw error
      // Bytes of the export before a damaged chunk are correct, so the connection may still send
      // its buffers.
      if (outcome === 'deleted') resetConnection(response)
      else response.destroy()
    } finally {
      this.#active.dec()
    }
  }

  #count(outcome: Outcome): void {
    this.#ended.inc({ outcome })
  }

  #report({ account, exportId }: DownloadRequest, error: unknown): Outcome {
    const { log } = this.#deps
    if (error instanceof DamagedFileError) {
      const { reason } = error
      log.error({ account, exportId, reason, err: error }, 'file of an export is damaged')
      return 'damaged'
    }
    if (error instanceof AppError && error.kind === 'not-found') return 'deleted'
    const reason = messageOf(error)
    log.warn({ account, exportId, reason }, 'download of an export was interrupted')
    return 'failed'
  }
}

function refuseRange(response: ServerResponse, { size, etag }: { size: number; etag: string }) {
  const headers = { 'Content-Range': `bytes */${size}`, ETag: etag, 'Content-Length': 0 }
  response.writeHead(416, headers).end()
}
