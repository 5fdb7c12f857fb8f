import {
  type AddressParts,
  type AutoconfigResult,
  type DiscoveredServer,
  parseServer,
} from './autoconfig-result.ts'
import { findAll, parseXml, textOf, type XmlElement } from './xml.ts'

/** The servers that a clientConfig document (as Thunderbird reads it) names for an address. */
export function readClientConfig(
  text: string,
  address: AddressParts,
): AutoconfigResult | undefined {
  const document = parseXml(text)
  if (!document) return undefined
  const imap = best(findAll(document, 'incomingserver'), 'imap', address)
  const smtp = best(findAll(document, 'outgoingserver'), 'smtp', address)
  return imap || smtp ? { ...(imap ? { imap } : {}), ...(smtp ? { smtp } : {}) } : undefined
}

const safety = ['ssl', 'starttls', 'plain']

/** Of several the one with the safest way to connect, and of those the first: authors put what they like best first. */
function best(
  elements: XmlElement[],
  type: string,
  asked: AddressParts,
): DiscoveredServer | undefined {
  const rank = (element: XmlElement) => safety.indexOf(textOf(element, 'sockettype').toLowerCase())
  const named = elements
    .filter(({ attributes }) => attributes['type']?.toLowerCase() === type)
    .filter((element) => rank(element) >= 0)
    .toSorted((a, b) => rank(a) - rank(b))
  for (const element of named) {
    const server = parseServer({
      host: fill(textOf(element, 'hostname'), asked),
      port: Number(textOf(element, 'port')),
      secure: rank(element) === 0,
      user: fill(textOf(element, 'username') || '%EMAILADDRESS%', asked),
    })
    if (server) return server
  }
  return undefined
}

function fill(text: string, { email, local, domain }: AddressParts): string {
  return text
    .replaceAll('%EMAILADDRESS%', () => email)
    .replaceAll('%EMAILLOCALPART%', () => local)
    .replaceAll('%EMAILDOMAIN%', () => domain)
}
