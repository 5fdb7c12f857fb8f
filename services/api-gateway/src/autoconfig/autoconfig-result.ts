import { isIP } from 'node:net'
import type { OperationOutput } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import type { operations } from '@posthorn/contracts/operations'

export type AutoconfigResponse = OperationOutput<typeof operations.getAutoconfig>
export type DiscoveredServer = Exclude<AutoconfigResponse['imap'], false>

/** Mail servers of an email address according to one autoconfiguration source. */
export interface AutoconfigResult {
  imap?: DiscoveredServer
  smtp?: DiscoveredServer
}

/** Email address with its local part and its domain. */
export interface AddressParts {
  email: string
  local: string
  /** Domain of the email address in ASCII and lower case. */
  domain: string
}

/**
 * Creates the autoconfiguration result of a source such as a DNS record. Undefined if the source
 * names no mail server.
 */
export function toResult(
  imap: DiscoveredServer | undefined,
  smtp: DiscoveredServer | undefined,
): AutoconfigResult | undefined {
  return imap || smtp ? defined({ imap, smtp }) : undefined
}

/** Validates a mail server from a foreign source; undefined if host name or port is invalid. */
export function parseServer({
  host: name,
  port,
  secure,
  user,
}: Omit<DiscoveredServer, 'auth'> & { user: string }): DiscoveredServer | undefined {
  const host = name.trim().toLowerCase().replace(/\.$/, '')
  if (!isHostName(host) || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  return { auth: { user: user.slice(0, 256) }, host, port, secure }
}

/** True if a mail server's name is an IP address or an ASCII DNS name of two labels or more. */
function isHostName(name: string): boolean {
  if (isIP(name) !== 0) return true
  const labels = name.split('.')
  return (
    name.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/.test(label))
  )
}
