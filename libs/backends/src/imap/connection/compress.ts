import type { Socket } from 'node:net'
import { createInflateRaw } from 'node:zlib'
import type { ImapFlow, ImapFlowError } from 'imapflow'
import { type ImapFlowInternals, internalsOf } from '../imapflow-internals.ts'

/** Maximum length of a stored block of DEFLATE (RFC 1951 §3.2.4). */
const maxStored = 0xffff
/**
 * Buffer size of the decompressor, held as long as the IMAP connection. imapflow uses 16 KiB per
 * direction.
 */
const chunkSize = 8 * 1024

/**
 * Enables COMPRESS=DEFLATE (RFC 4978) on an IMAP connection. Replaces imapflow's function, which
 * costs 200 kB per connection, mostly for the output. Commands of 100 bytes need no compression and
 * are sent as stored blocks. The decompressor remains: 20 kB for an idle connection, 55 kB after
 * much input. `onBroken` is called if the input cannot be decompressed.
 */
export function enableCompression(client: ImapFlow, onBroken: () => void): void {
  const internals = internalsOf(client)
  internals.compress = async () => {
    try {
      if (await internals.run('COMPRESS')) inflate(internals, onBroken)
    } catch (error) {
      if ((error as ImapFlowError).code === 'COMPRESS_TRAILING_DATA') onBroken()
      throw error
    }
  }
}

function inflate(internals: ImapFlowInternals, onBroken: () => void): void {
  const { socket, streamer } = internals
  const unpacked = createInflateRaw({ chunkSize })
  socket.unpipe(streamer)
  streamer.compress = true
  internals._inflate = unpacked
  socket.pipe(unpacked).pipe(streamer)
  unpacked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'Z_DATA_ERROR') onBroken()
    // An error is passed on only to an open IMAP parser. A closed parser has no error listener, so
    // an emitted error would end the process.
    if (!streamer.destroyed && streamer.listenerCount('error') > 0) streamer.emit('error', error)
  })
  internals.writeSocket = new StoredWriter(socket)
}

/**
 * Writer of commands on a compressed IMAP connection. Implements the part of the stream interface
 * that imapflow uses.
 */
class StoredWriter {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get destroyed(): boolean {
    return this.#socket.destroyed
  }

  write(bytes: Buffer): boolean {
    this.#socket.cork()
    for (let at = 0; at < bytes.length; at += maxStored) {
      const piece = bytes.subarray(at, at + maxStored)
      this.#socket.write(blockHeader(piece.length))
      this.#socket.write(piece)
    }
    this.#socket.uncork()
    return true
  }

  /**
   * Ignores the destruction of the writer: the owner of the IMAP socket destroys the socket and
   * handles its errors.
   */
  destroy(): void {}
  on(): void {}
  removeListener(): void {}
}

/**
 * Header of a stored, non-final DEFLATE block: the length of the block and the one's complement of
 * the length.
 */
function blockHeader(length: number): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(length, 1)
  head.writeUInt16LE(~length & maxStored, 3)
  return head
}
