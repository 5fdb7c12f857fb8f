/**
 * True if the host of the page is an IP address. Passkeys belong to a host name, so that browsers
 * refuse them at IP addresses (WebAuthn §5.1.3).
 */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)
}
