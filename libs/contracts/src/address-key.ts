import { domainToASCII } from 'node:url'

/**
 * Key by which addresses are compared: lower case, local part in NFC, domain as A-labels (RFC 5890
 * §2.3.2.1). All spellings of an address have one key; the key of a key is the key itself.
 */
export function addressKey(address: string): string {
  // The tables of `domainToASCII` may be older than those of `normalize`.
  const normalized = address.normalize('NFC')
  const at = normalized.lastIndexOf('@') + 1
  const key = normalized.slice(0, at) + asciiDomain(normalized.slice(at))
  // Lower case of a normalized text is not always normalized.
  return key.toLowerCase().normalize('NFC')
}

/** A domain that IDNA rejects stays as it is, without compatibility characters. */
function asciiDomain(domain: string): string {
  return domainToASCII(domain) || domain.normalize('NFKC')
}
