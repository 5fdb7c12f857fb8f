/**
 * True for an IP address as the host of a page. Passkeys belong to a host name, so that browsers
 * refuse them at IP addresses (WebAuthn §5.1.3).
 */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)
}
