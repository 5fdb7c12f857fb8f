import {
  type AddressParts,
  type AutoconfigResult,
  type DiscoveredServer,
  parseServer,
  toResult,
} from './autoconfig-result.ts'
import { findAll, parseXml, textOf, type XmlElement } from './xml.ts'

/** Reads an address's mail servers from a clientConfig document, the format of Thunderbird. */
export function readClientConfig(
  text: string,
  address: AddressParts,
): AutoconfigResult | undefined {
  const document = parseXml(text)
  if (!document) return undefined
  return toResult(
    bestServer(findAll(document, 'incomingserver'), 'imap', address),
    bestServer(findAll(document, 'outgoingserver'), 'smtp', address),
  )
}

/** Socket types of mail servers in a clientConfig document, safest first. */
const socketTypes = ['ssl', 'starttls', 'plain']

/**
 * First valid mail server with the safest socket type in a clientConfig document. Documents list
 * preferred servers first.
 */
function bestServer(
  elements: XmlElement[],
  type: string,
  address: AddressParts,
): DiscoveredServer | undefined {
  const rank = (element: XmlElement) =>
    socketTypes.indexOf(textOf(element, 'sockettype').toLowerCase())
  const candidates = elements
    .filter(({ attributes }) => attributes['type']?.toLowerCase() === type)
    .filter((element) => rank(element) >= 0)
    .toSorted((a, b) => rank(a) - rank(b))
  const servers = candidates.map((element) =>
    parseServer({
      host: fillPlaceholders(textOf(element, 'hostname'), address),
      port: Number(textOf(element, 'port')),
      secure: rank(element) === 0,
      user: fillPlaceholders(textOf(element, 'username') || '%EMAILADDRESS%', address),
    }),
  )
  return servers.find((server) => server !== undefined)
}

function fillPlaceholders(text: string, { email, local, domain }: AddressParts): string {
  return text
    .replaceAll('%EMAILADDRESS%', () => email)
    .replaceAll('%EMAILLOCALPART%', () => local)
    .replaceAll('%EMAILDOMAIN%', () => domain)
}

const schema = 'http://schemas.microsoft.com/exchange/autodiscover/outlook'

/** Body of an Autodiscover request of Exchange ([MS-OXDSCLI] §3.1.5). */
export function autodiscoverRequest({ email }: AddressParts): string {
  const address = email.replace(/[<>&'"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return (
    `<?xml version="1.0" encoding="utf-8"?>` +
    `<Autodiscover xmlns="${schema}/requestschema/2006"><Request>` +
    `<EMailAddress>${address}</EMailAddress>` +
    `<AcceptableResponseSchema>${schema}/responseschema/2006a</AcceptableResponseSchema>` +
    `</Request></Autodiscover>`
  )
}

/** Reads the IMAP and SMTP servers from an Autodiscover response. */
export function readAutodiscover(
  text: string,
  address: AddressParts,
): AutoconfigResult | undefined {
  const document = parseXml(text)
  if (!document) return undefined
  const protocols = findAll(document, 'protocol')
  return toResult(
    protocolServer(protocols, 'IMAP', address),
    protocolServer(protocols, 'SMTP', address),
  )
}

const defaultPorts = { IMAP: 993, SMTP: 587 }
const implicitTls = new Set([993, 465])
const startTls = new Set([143, 587, 25])

function protocolServer(
  protocols: XmlElement[],
  type: 'IMAP' | 'SMTP',
  { email }: AddressParts,
): DiscoveredServer | undefined {
  const matching = protocols.filter((protocol) => textOf(protocol, 'type').toUpperCase() === type)
  const servers = matching.map((protocol) => {
    const port = Number(textOf(protocol, 'port') || defaultPorts[type])
    const secure = isSecure(protocol, port)
    const user = textOf(protocol, 'loginname') || email
    return parseServer({ host: textOf(protocol, 'server'), port, secure, user })
  })
  return servers.find((server) => server !== undefined)
}

/**
 * True if a mail server of an Autodiscover response uses TLS from the start. Well-known ports
 * decide, because servers report SSL for any encrypted connection. On other ports TLS is used
 * unless the document sets SSL to off.
 */
function isSecure(protocol: XmlElement, port: number): boolean {
  if (implicitTls.has(port)) return true
  if (startTls.has(port)) return false
  const encryption = textOf(protocol, 'encryption').toLowerCase()
  if (encryption === 'tls' || encryption === 'none') return false
  return encryption === 'ssl' || textOf(protocol, 'ssl').toLowerCase() !== 'off'
}
