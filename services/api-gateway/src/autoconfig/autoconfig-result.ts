import { isIP } from 'node:net'
import type { OperationOutput, operations } from '@posthorn/contracts'

export type AutoconfigResponse = OperationOutput<typeof operations.getAutoconfig>
export type DiscoveredServer = Exclude<AutoconfigResponse['imap'], false>

/** What a source knows of the servers of an address. */
export interface AutoconfigResult {
  imap?: DiscoveredServer
  smtp?: DiscoveredServer
}

/** An address, taken apart. */
export interface AddressParts {
  email: string
  local: string
  /** In ASCII and lower case. */
  domain: string
}

/** A server as somebody out there names it; undefined where that is no name of one. */
export function parseServer({
  host,
  port,
  secure,
  user,
}: {
  host: string
  port: number
  secure: boolean
  user: string
}): DiscoveredServer | undefined {
  const name = host.trim().toLowerCase().replace(/\.$/, '')
  if (!isHostName(name) || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  return { auth: { user: user.slice(0, 256) }, host: name, port, secure }
}

/** In ASCII, as names are in DNS: whatever else stands there is not for a client to connect to. */
function isHostName(name: string): boolean {
  if (isIP(name) !== 0) return true
  const labels = name.split('.')
  return (
    name.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/.test(label))
  )
}
