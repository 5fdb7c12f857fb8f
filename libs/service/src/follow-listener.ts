import type { Logger } from '@posthorn/telemetry'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'

/** Where to listen. */
export interface ListenerAddress {
  host: string
  port: number
  tls: boolean
  /** Anything whose change needs a new listener as well: the certificate's fingerprint. */
  revision?: string
}

/** A listener that is open; disposing it takes no more connections, and leaves those there are alone. */
export type Listener = AsyncDisposable

export interface FollowOptions<A extends ListenerAddress> {
  /** What the settings say now; undefined: do not listen. When it rejects, everything stays as it is. */
  wanted: () => Promise<A | undefined>
  open: (address: A) => Promise<Listener>
  /** Between two looks at the settings; default 2 s. */
  everyMs?: number
  log: Logger
}

export interface FollowedListener<
  A extends ListenerAddress = ListenerAddress,
> extends PeriodicTask {
  /** Where it listens right now. */
  readonly address: A | undefined
}

/**
 * A listener that follows the settings: opened, moved and closed as they change. A port that is taken is tried again at every look.
 * `wake` looks at once.
 */
export function followListener<A extends ListenerAddress>({
  wanted,
  open,
  everyMs = 2_000,
  log,
}: FollowOptions<A>): FollowedListener<A> {
  let current: { address: A; listener: Listener } | undefined
  let failedFor: string | undefined
  const close = async () => {
    const closing = current
    current = undefined
    if (!closing) return
    await closing.listener[Symbol.asyncDispose]()
    log.info(shown(closing.address), 'no longer listening')
  }
  const loop = runPeriodically({ everyMs, log, name: 'listener' }, async (signal) => {
    const address = await wanted()
    if (signal.aborted || same(address, current?.address)) return
    await close()
    if (!address) return
    try {
      current = { address, listener: await open(address) }
      failedFor = undefined
      log.info(shown(address), 'listening')
    } catch (err) {
      // Said once for an address, not at every look.
      if (failedFor !== keyOf(address))
        log.error({ err, ...shown(address) }, 'cannot listen; trying again')
      failedFor = keyOf(address)
    }
  })
  return {
    get address() {
      return current?.address
    },
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]()
      await close()
    },
  }
}

const shown = (address: ListenerAddress): object => ({ ...address })

const keyOf = ({ host, port, tls, revision = '' }: ListenerAddress) =>
  JSON.stringify([host, port, tls, revision])

function same(one: ListenerAddress | undefined, other: ListenerAddress | undefined): boolean {
  return one && other ? keyOf(one) === keyOf(other) : one === other
}
