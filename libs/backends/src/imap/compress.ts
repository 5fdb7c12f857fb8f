import type { Socket } from 'node:net'
import { createInflateRaw } from 'node:zlib'
import type { ImapFlow, ImapFlowError } from 'imapflow'
import { type ImapFlowInternals, internalsOf } from './imapflow-internals.ts'

/** Of a block of DEFLATE that is stored as it is (RFC 1951 §3.2.4). */
const maxStored = 0xffff
/** Kept for as long as the connection; imapflow's own has 16 KiB in both directions. */
const chunkSize = 8 * 1024

/**
 * COMPRESS=DEFLATE (RFC 4978) for connections that mostly wait. imapflow's own costs 200 kB a connection, most of it for packing what we
 * send: commands of a hundred bytes. So that goes out as blocks that are not packed at all. What remains is for unpacking: 20 kB of a
 * connection that is idle, 55 kB of one that has received much.
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
    // After its end it has nobody who listens: then an error would end the process.
    if (!streamer.destroyed && streamer.listenerCount('error') > 0) streamer.emit('error', error)
  })
  internals.writeSocket = new StoredWriter(socket)
}

/** As much of a stream as imapflow writes to. */
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
      this.#socket.write(headOf(piece.length))
      this.#socket.write(piece)
    }
    this.#socket.uncork()
    return true
  }

  /** The socket is destroyed by whoever owns it, and its errors are heard there. */
  destroy(): void {}
  on(): void {}
  removeListener(): void {}
}

/** Not the last block, stored; its length, and that in ones' complement. */
function headOf(length: number): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(length, 1)
  head.writeUInt16LE(~length & maxStored, 3)
  return head
}
