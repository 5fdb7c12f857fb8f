import { BlockList, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Whether a server must encrypt before it gets mail or a password. Whoever sits in between could take STARTTLS out of its greeting
 * (RFC 8314 §3.3), so that it goes without saying so: only on this machine, or where the account or the operator accepts any
 * certificate, which keeps nobody out either.
 */
export function requiresStartTls(
  { secure, verifyCertificate }: { secure: boolean; verifyCertificate: boolean },
  address: string,
): boolean {
  return !secure && verifyCertificate && !loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
