import { performance } from 'node:perf_hooks'
import { sleep } from '@posthorn/flow'

/** Connected mail client that a shutdown of the proxy disconnects. */
export interface DrainedClient {
  readonly isClosed: boolean
  /**
   * True while a command or message of the mail client is in progress. A busy client is
   * disconnected later.
   */
  readonly isBusy: boolean
  /**
   * Tells a busy mail client that its connection will end, before the wait for its command in
   * progress.
   */
  announce?: () => void
  /** Disconnects the mail client from the proxy. */
  end: () => void
}

/** Interval at which a shutdown checks busy mail clients. */
const checkMs = 50

/**
 * Disconnects mail clients at random times within `drainMs`, so that the clients do not reconnect
 * simultaneously. A busy client is disconnected after its command, at the latest after `drainMs`.
 *
 * @returns the number of clients that were busy when they were disconnected
 */
export async function drainClients(
  clients: readonly DrainedClient[],
  drainMs: number,
): Promise<number> {
  const endAt = performance.now() + drainMs
  const drain = async (client: DrainedClient): Promise<boolean> => {
    // The last fifth of `drainMs` (time for disconnecting mail clients) is left for commands in
    // progress.
    await sleep(Math.random() * drainMs * 0.8)
    client.announce?.()
    while (client.isBusy && !client.isClosed && performance.now() < endAt) await sleep(checkMs)
    const isCut = client.isBusy && !client.isClosed
    if (!client.isClosed) client.end()
    return isCut
  }
  const cut = await Promise.all(clients.map(drain))
  return cut.filter(Boolean).length
}
