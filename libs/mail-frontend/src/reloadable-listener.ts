import { once } from 'node:events'
import type { Server } from 'node:net'
import type { ProxyState } from '@posthorn/contracts/schemas/changes'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

export interface ListenerAddress {
  host: string
  port: number
  tls: boolean
  /**
   * True if trusted proxies send a PROXY header at the start of a connection to the mail listener.
   */
  proxy: boolean
  /**
   * Text that changes if the listener for mail clients must be replaced although its address is
   * unchanged. An example is the fingerprint of the certificate.
   */
  revision?: string
}

/**
 * Open listener for mail clients. Disposal stops accepting connections; existing connections of
 * mail clients continue.
 */
export type Listener = AsyncDisposable

/** State of the mail listener. `off`: the settings disable the listener. */
export type ListenerState<A extends ListenerAddress> =
  | { name: 'off' }
  | { name: 'listening'; address: A }
  | { name: 'failed'; error: Error }

export interface ReloadableListenerOptions<A extends ListenerAddress> {
  /**
   * Reads the address of the mail listener from the settings; undefined closes the listener. If
   * reading fails, the listener stays as it is.
   */
  resolveAddress: () => Promise<A | undefined>
  /**
   * Returns the address of the mail listener that the stored settings name at this time, without
   * opening or moving the listener.
   */
  readAddress: () => Promise<A | undefined>
  /** Called before the mail listener closes because the settings disable the listener. */
  onDisabled?: () => Promise<void>
  start: (address: A) => Promise<Listener>
  /**
   * Called with each change of the mail listener's state, and with the error of a listener that
   * failed.
   */
  onState?: (state: ProxyState, error?: Error) => Promise<void>
  /** Time between two reads of the settings of the mail listener; defaults to 2 s. */
  everyMs?: number
  log: Logger
}

export interface ReloadableListener<
  A extends ListenerAddress = ListenerAddress,
> extends PeriodicTask {
  /** Address of the open mail listener; undefined while the listener is closed. */
  readonly address: A | undefined
  /** State of the mail listener; undefined until the settings have been read and applied. */
  readonly state: ListenerState<A> | undefined
  /**
   * True if the mail listener is open at the address of the stored settings, or if the settings
   * disable the listener. In all other cases starts to open or move the listener.
   */
  isReady(): Promise<boolean>
}

/**
 * Readiness check of a mail proxy. Reads the stored settings, so that a change of the settings by
 * another process is never overlooked.
 *
 * @throws Error unless the listener is ready
 */
export async function assertListening(
  listener: Pick<ReloadableListener, 'isReady'> | undefined,
): Promise<void> {
  if (!(await listener?.isReady())) throw new Error('listener is not open')
}

/**
 * Starts a listener for mail clients that opens, moves and closes as the settings change. A port
 * that is in use is tried again at every read of the settings. `wake` starts such a read
 * immediately.
 */
export function startReloadableListener<A extends ListenerAddress>({
  resolveAddress,
  readAddress,
  onDisabled = () => Promise.resolve(),
  start,
  onState = () => Promise.resolve(),
  everyMs = 2_000,
  log,
}: ReloadableListenerOptions<A>): ReloadableListener<A> {
  let current: { address: A; listener: Listener } | undefined
  let state: ListenerState<A> | undefined
  /** True once the settings of the mail listener have been read. */
  let isRead = false
  const changes = stateChanges({ log, onState })
  const close = async () => {
    const closing = current
    current = undefined
    if (!closing) return
    await closing.listener[Symbol.asyncDispose]()
    await changes.closed(closing.address)
  }
  const loop = runPeriodically({ everyMs, log, name: 'listener' }, async (signal) => {
    const address = await resolveAddress()
    isRead = true
    if (signal.aborted || (address && keyOf(address) === keyOf(current?.address))) return
    if (!address && current) await onDisabled()
    await close()
    if (!address) {
      state = { name: 'off' }
      changes.off()
      return
    }
    try {
      current = { address, listener: await start(address) }
      state = { name: 'listening', address }
      await changes.listening(address)
    } catch (err) {
      state = { name: 'failed', error: err as Error }
      await changes.failed(address, err as Error)
    }
  })
  return {
    get address() {
      return current?.address
    },
    get state() {
      return state
    },
    async isReady() {
      const wanted = await readAddress()
      const isCurrent = isRead && keyOf(wanted) === keyOf(current?.address)
      if (!isCurrent) loop.wake()
      return isCurrent
    },
    wake: () => loop.wake(),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]()
      await close()
    },
  }
}

/**
 * Logs and reports the state changes of a mail listener. A failure is reported once per address,
 * and not at every attempt to open the listener.
 */
function stateChanges({
  log,
  onState,
}: Required<Pick<ReloadableListenerOptions<ListenerAddress>, 'log' | 'onState'>>) {
  let failedKey: string | undefined
  return {
    off: () => void (failedKey = undefined),
    async closed(address: ListenerAddress): Promise<void> {
      log.info(fieldsOf(address), 'listener closed')
      await onState('exited')
    },
    async listening(address: ListenerAddress): Promise<void> {
      failedKey = undefined
      log.info(fieldsOf(address), 'listening')
      await onState('listening')
    },
    async failed(address: ListenerAddress, err: Error): Promise<void> {
      if (failedKey === keyOf(address)) return
      failedKey = keyOf(address)
      log.error({ err, ...fieldsOf(address) }, 'listener failed to start, will retry')
      await onState('failed', err)
    },
  }
}

function keyOf(address: ListenerAddress | undefined): string | undefined {
  if (!address) return undefined
  const { host, port, tls, revision = '' } = address
  return JSON.stringify([host, port, tls, revision])
}

/**
 * Listens for mail clients at an address with SO_REUSEPORT where the operating system supports this
 * option, so that local replicas share the port.
 */
export async function listen(
  server: Server,
  { host, port }: Pick<ListenerAddress, 'host' | 'port'>,
): Promise<void> {
  try {
    server.listen({ host, port, reusePort: true })
    await once(server, 'listening')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes(code)) throw error
    server.listen({ host, port })
    await once(server, 'listening')
  }
}

function fieldsOf(address: ListenerAddress): object {
  return { ...address }
}
