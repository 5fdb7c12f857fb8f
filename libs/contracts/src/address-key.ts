import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * Key by which email addresses are compared: lower case, local part in NFC, domain as A-labels (RFC
 * 5890 §2.3.2.1). All spellings of an address have one key. The key of a key is the key itself.
 */
export function addressKey(address: string): string {
  // The whole email address is normalized to NFC before its domain is converted: the Unicode tables
  // of `domainToASCII` may be older than the tables of `normalize`.
  const normalized = address.normalize('NFC')
  const at = normalized.lastIndexOf('@') + 1
  const key = normalized.slice(0, at) + asciiDomain(normalized.slice(at))
  // The lower-case key of the email address is normalized again, because converting NFC text to
  // lower case can yield text that is not NFC.
  return key.toLowerCase().normalize('NFC')
}

/** Characters that `domainToASCII` treats as the end of a host name or as an escape sequence. */
const hostDelimiter = /[\0- #%/:?@[\\\]]/

/**
 * Converts the domain of an email address to A-labels. If IDNA rejects the domain, its
 * compatibility characters are replaced first (NFKC). IDNA rejects `⒈0.0`, for example, and accepts
 * the replacement `1.0.0`.
 */
function asciiDomain(domain: string): string {
  const compatible = domain.normalize('NFKC')
  if (hostDelimiter.test(compatible)) return domain
  const ascii = domainToASCII(domain) || domainToASCII(compatible)
  // The domain of an email address is converted twice, because `domainToASCII` composes some
  // sequences of Hangul letters only in the second conversion.
  return domainToASCII(domainToUnicode(ascii).normalize('NFC')) || ascii || compatible
}
