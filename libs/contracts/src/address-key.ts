import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * Key by which email addresses are compared: lower case, local part in NFC, domain as A-labels (RFC
 * 5890 §2.3.2.1). All spellings of an address have one key; the key of a key is the key itself.
 */
export function addressKey(address: string): string {
  // The Unicode tables of `domainToASCII` may be older than the tables of `normalize`.
  const normalized = address.normalize('NFC')
  const at = normalized.lastIndexOf('@') + 1
  const key = normalized.slice(0, at) + asciiDomain(normalized.slice(at))
  // The lower case of a text in NFC is not always in NFC.
  return key.toLowerCase().normalize('NFC')
}

/** Characters that `domainToASCII` reads as the end of a host or as an escape. */
const hostDelimiter = /[\0- #%/:?@[\\\]]/

/**
 * Converts the domain of an address to A-labels. A domain that IDNA rejects loses its compatibility
 * characters. IDNA can accept the remaining domain: it rejects `⒈0.0` and accepts `1.0.0`.
 */
function asciiDomain(domain: string): string {
  const compatible = domain.normalize('NFKC')
  if (hostDelimiter.test(compatible)) return domain
  const ascii = domainToASCII(domain) || domainToASCII(compatible)
  // `domainToASCII` composes some sequences of Hangul letters only in a second pass.
  return domainToASCII(domainToUnicode(ascii).normalize('NFC')) || ascii || compatible
}
