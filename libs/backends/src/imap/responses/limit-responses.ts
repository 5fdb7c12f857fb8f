import { setImmediate } from 'node:timers/promises'
import type { ImapFlowInternals } from '../imapflow-internals.ts'
import { ResponseFilter } from './response-filter.ts'

type Streamer = ImapFlowInternals['streamer']

/**
 * Limits the input of imapflow's parser with a filter of IMAP responses. An error of the filter
 * ends the connection. After input with many tokens, the event loop runs before the next piece of
 * input is parsed.
 */
export function limitResponses(streamer: Streamer): ResponseFilter {
  const filter = new ResponseFilter()
  const transform = streamer._transform.bind(streamer)
  const pass = (piece: Buffer) =>
    new Promise<void>((resolve, reject) =>
      transform(piece, 'latin1', (error) => (error ? reject(error) : resolve())),
    )
  const passAll = async (pieces: readonly Buffer[]) => {
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) await setImmediate()
      await pass(piece)
    }
  }
  streamer._transform = (chunk: Buffer, encoding, next) => {
    let pieces: Buffer[]
    try {
      pieces = filter.push(chunk)
    } catch (error) {
      next(error as Error)
      return
    }
    const [first, ...more] = pieces
    if (!first) next()
    else if (more.length === 0) transform(first, encoding, next)
    else passAll(pieces).then(() => next(), next)
  }
  return filter
}
