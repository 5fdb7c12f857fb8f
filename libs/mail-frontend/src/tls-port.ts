import { type Env, integer, optional } from '@posthorn/config'
import type { Listener, ListenerAddress } from './reloadable-listener.ts'

export interface TlsPortConfig {
  /** Port of a second listener, with implicit TLS; absent without such a listener. */
  readonly tlsPort?: number
}

/** @throws ConfigError for a value that is no port */
export function readTlsPort(env: Env, name: string): TlsPortConfig {
  if (optional(env, name) === undefined) return {}
  return { tlsPort: integer(env, name, { min: 1, max: 65_535 }) }
}

/**
 * Starts a listener at the address of the settings and, if there is a TLS port, a second listener
 * at that port. Both or none of the listeners listen. Disposal closes both.
 */
export async function startWithTlsPort<A extends ListenerAddress>(
  address: A,
  tlsPort: number | undefined,
  start: (address: A) => Promise<Listener>,
): Promise<Listener> {
  await using stack = new AsyncDisposableStack()
  stack.use(await start(address))
  if (tlsPort !== undefined) stack.use(await start({ ...address, port: tlsPort, tls: true }))
  return stack.move()
}
