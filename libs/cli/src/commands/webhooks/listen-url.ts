import { isIP } from 'node:net'
import { UsageError } from '../../exit-codes.ts'

/**
 * URL of the local webhook receiver for the server. A receiver on a loopback address is reachable
 * only by a server on the same machine.
 *
 * @throws UsageError if the server cannot reach the receiver
 */
export function receiverUrl(
  { host, port, path }: { host: string; port: number; path: string },
  serverUrl: string,
): string {
  if (['0.0.0.0', '::'].includes(host))
    throw new UsageError(
      `${host} is no address that a server can call: pass the URL of the receiver with --public-url`,
    )
  if (isLoopback(host) && !isLoopback(new URL(serverUrl).hostname))
    throw new UsageError(
      `${serverUrl} cannot reach ${host}: pass --host with an address of this machine, or --public-url with the URL of a tunnel`,
    )
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}${path}`
}

/** True for host names and addresses of the own machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
