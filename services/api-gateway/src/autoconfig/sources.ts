import type { Resolver } from 'node:dns/promises'
import {
  type AddressParts,
  type AutoconfigResult,
  parseServer,
  toResult,
} from './autoconfig-result.ts'
import { autodiscoverRequest, readAutodiscover, readClientConfig } from './documents.ts'
import { type Provider, providerOfDomain, providerOfExchanger } from './providers.ts'

/** DNS lookups of autoconfig. A lookup rejects if there are no records. */
export type Dns = Pick<Resolver, 'resolveSrv' | 'resolveMx'>

/** Fetches an autoconfiguration document; undefined unless the response has status 200. */
export type FetchText = (request: { url: string; body?: string }) => Promise<string | undefined>

export interface SourceDeps {
  dns: Dns
  fetch: FetchText
  /** URL prefix of a directory of clientConfig documents, to which the domain is appended. */
  directory: string | undefined
}

interface Source {
  readonly name: string
  readonly find: (address: AddressParts, deps: SourceDeps) => Promise<AutoconfigResult | undefined>
}

/** Autoconfiguration source that fetches a clientConfig document from a URL of the domain. */
function configSource(name: string, rootOf: (domain: string) => string): Source {
  return {
    name,
    async find(address, { fetch }) {
      const query = `emailaddress=${encodeURIComponent(address.email)}`
      const url = `${rootOf(address.domain)}/mail/config-v1.1.xml?${query}`
      return fromDocument(address, fetch, url)
    },
  }
}

/** Autoconfiguration sources, best first. Guesses from MX hosts and plaintext HTTP come last. */
export const sources: readonly Source[] = [
  {
    name: 'provider',
    find: async ({ domain, email }) => fromProvider(providerOfDomain(domain), email),
  },
  configSource('autoconfig', (domain) => `https://autoconfig.${domain}`),
  configSource('well-known', (domain) => `https://${domain}/.well-known/autoconfig`),
  { name: 'directory', find: (address, deps) => fromDirectory(address, deps, address.domain) },
  { name: 'srv', find: fromSrv },
  { name: 'mx', find: fromExchanger },
  { name: 'autodiscover', find: fromAutodiscover },
  configSource('autoconfig', (domain) => `http://autoconfig.${domain}`),
  configSource('well-known', (domain) => `http://${domain}/.well-known/autoconfig`),
]

function fromProvider(provider: Provider | undefined, user: string): AutoconfigResult | undefined {
  if (!provider) return undefined
  const server = ([host, port]: Provider['imap']) => ({
    auth: { user },
    host,
    port,
    secure: port === 993 || port === 465,
  })
  return toResult(server(provider.imap), server(provider.smtp))
}

/**
 * Requests the mail servers of a domain from the directory of clientConfig documents. Sends only
 * the domain of the email address, because the directory does not need the local part.
 */
async function fromDirectory(
  address: AddressParts,
  { fetch, directory }: SourceDeps,
  domain: string,
) {
  return directory === undefined ? undefined : fromDocument(address, fetch, directory + domain)
}

async function fromDocument(address: AddressParts, fetch: FetchText, url: string) {
  const text = await fetch({ url })
  return text === undefined ? undefined : readClientConfig(text, address)
}

/**
 * Reads the mail servers of a domain from SRV records (RFC 6186 §3). RFC 8314 §5.1 prefers
 * services with TLS from the start.
 */
async function fromSrv(
  { domain, email }: AddressParts,
  { dns }: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const lookUp = async (service: string, secure: boolean) => {
    const records = await dns.resolveSrv(`${service}._tcp.${domain}`).catch(() => [])
    const [first] = records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
    // An SRV record with the target "." means that the domain does not offer the service (RFC
    // 2782).
    if (!first || first.name === '' || first.name === '.') return undefined
    return parseServer({ host: first.name, port: first.port, secure, user: email })
  }
  const [imaps, imap, submissions, submission] = await Promise.all([
    lookUp('_imaps', true),
    lookUp('_imap', false),
    lookUp('_submissions', true),
    lookUp('_submission', false),
  ])
  return toResult(imaps ?? imap, submissions ?? submission)
}

/**
 * Guesses the mail servers of a domain from its mail exchanger, which usually belongs to the
 * provider of the mailboxes.
 */
async function fromExchanger(
  address: AddressParts,
  deps: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const records = await deps.dns.resolveMx(address.domain).catch(() => [])
  const [first] = records.toSorted((a, b) => a.priority - b.priority)
  if (!first) return undefined
  const provider = providerOfExchanger(first.exchange)
  if (provider) return fromProvider(provider, address.email)
  const domain = first.exchange.toLowerCase().split('.').filter(Boolean).slice(-2).join('.')
  const isOtherDomain = domain !== address.domain && /^[a-z0-9-]+\.[a-z0-9-]+$/.test(domain)
  return isOtherDomain ? fromDirectory(address, deps, domain) : undefined
}

async function fromAutodiscover(
  address: AddressParts,
  { fetch }: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const body = autodiscoverRequest(address)
  const hosts = [`autodiscover.${address.domain}`, address.domain]
  const responses = hosts.map((host) =>
    fetch({ url: `https://${host}/autodiscover/autodiscover.xml`, body }),
  )
  for (const response of await Promise.all(responses)) {
    const servers = response === undefined ? undefined : readAutodiscover(response, address)
    if (servers) return servers
  }
  return undefined
}
