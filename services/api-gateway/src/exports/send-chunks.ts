import type { ServerResponse } from 'node:http'
import { operations } from '@posthorn/contracts/operations'
import type { Caller } from '../access/authenticate.ts'
import type { TokenWatch } from '../access/token-watch.ts'

/** Number of bytes of an exported file that are passed to the HTTP response at a time. */
const pieceBytes = 64 * 1024

export type SendOutcome = 'complete' | 'disconnected' | 'revoked'

/** Caller of an export download, and the account whose export is downloaded. */
export interface DownloadCaller {
  account: string
  caller: Caller
}

interface Chunks {
  first: IteratorResult<Buffer, unknown>
  chunks: AsyncIterator<Buffer>
}

/**
 * Sends the chunks of an export's file at the pace of the client, and ends the HTTP response. If
 * the token of the caller is revoked meanwhile, the connection is reset.
 */
export async function sendChunks(
  response: ServerResponse,
  { first, chunks }: Chunks,
  { tokenWatch, caller }: { tokenWatch: TokenWatch; caller: DownloadCaller },
): Promise<SendOutcome> {
  let isRevoked = false
  const refused = () => {
    isRevoked = true
    resetConnection(response)
  }
  using _watched = watch(tokenWatch, { ...caller, response, refused })
  for (let next = first; !next.done && !response.destroyed; next = await chunks.next())
    await sendBytes(response, next.value)
  if (isRevoked) return 'revoked'
  if (response.destroyed) return 'disconnected'
  response.end()
  return 'complete'
}

/**
 * Ends the HTTP response of an export download immediately. Bytes in the buffers of the connection
 * are not sent.
 */
export function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
  response.destroy()
}

interface Watched extends DownloadCaller {
  response: ServerResponse
  refused: () => void
}

function watch(
  tokenWatch: TokenWatch,
  { account, caller, response, refused }: Watched,
): Disposable {
  const operation = operations.downloadExport
  const { referer: referrer } = response.req.headers
  const { address } = caller
  return tokenWatch.watch({ operation, caller, account, address, referrer, refused })
}

async function sendBytes(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes)
    if (!response.write(bytes.subarray(at, at + pieceBytes))) await untilDrained(response)
}

async function untilDrained(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('drain', resolve).once('close', resolve)
  await promise
  response.off('drain', resolve).off('close', resolve)
}
