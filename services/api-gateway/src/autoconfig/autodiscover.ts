import {
  type AddressParts,
  type AutoconfigResult,
  type DiscoveredServer,
  parseServer,
} from './autoconfig-result.ts'
import { findAll, parseXml, textOf, type XmlElement } from './xml.ts'

const schema = 'http://schemas.microsoft.com/exchange/autodiscover/outlook'

/** The question that Exchange and those who do as it does answer: [MS-OXDSCLI] §3.1.5. */
export function autodiscoverRequest({ email }: AddressParts): string {
  const address = email.replace(/[<>&'"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return (
    `<?xml version="1.0" encoding="utf-8"?><Autodiscover xmlns="${schema}/requestschema/2006"><Request>` +
    `<EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>${schema}/responseschema/2006a</AcceptableResponseSchema>` +
    `</Request></Autodiscover>`
  )
}

/** The IMAP and SMTP servers of the answer. */
export function readAutodiscover(
  text: string,
  address: AddressParts,
): AutoconfigResult | undefined {
  const document = parseXml(text)
  if (!document) return undefined
  const protocols = findAll(document, 'protocol')
  const imap = serverFor(protocols, 'IMAP', address)
  const smtp = serverFor(protocols, 'SMTP', address)
  return imap || smtp ? { ...(imap ? { imap } : {}), ...(smtp ? { smtp } : {}) } : undefined
}

const usualPorts = { IMAP: 993, SMTP: 587 }
const implicitTls = new Set([993, 465])
const startTls = new Set([143, 587, 25])

function serverFor(
  protocols: XmlElement[],
  type: 'IMAP' | 'SMTP',
  { email }: AddressParts,
): DiscoveredServer | undefined {
  for (const protocol of protocols) {
    if (textOf(protocol, 'type').toUpperCase() !== type) continue
    const port = Number(textOf(protocol, 'port') || usualPorts[type])
    const server = parseServer({
      host: textOf(protocol, 'server'),
      port,
      secure: isSecure(protocol, port),
      user: textOf(protocol, 'loginname') || email,
    })
    if (server) return server
  }
  return undefined
}

/** The well-known ports say it best: hosts write SSL for whatever is encrypted in the end. SSL is on unless it is said to be off. */
function isSecure(protocol: XmlElement, port: number): boolean {
  if (implicitTls.has(port)) return true
  if (startTls.has(port)) return false
  const encryption = textOf(protocol, 'encryption').toLowerCase()
  if (encryption === 'tls' || encryption === 'none') return false
  return encryption === 'ssl' || textOf(protocol, 'ssl').toLowerCase() !== 'off'
}
