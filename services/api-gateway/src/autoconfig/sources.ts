import type { MxRecord, SrvRecord } from 'node:dns'
import { autodiscoverRequest, readAutodiscover } from './autodiscover.ts'
import { readClientConfig } from './client-config.ts'
import {
  type AddressParts,
  type AutoconfigResult,
  type DiscoveredServer,
  parseServer,
} from './autoconfig-result.ts'
import { type Provider, providerOfDomain, providerOfExchanger } from './providers.ts'

/** The two kinds of records that are asked for; rejects where there are none. */
export interface Dns {
  resolveSrv(name: string): Promise<SrvRecord[]>
  resolveMx(name: string): Promise<MxRecord[]>
}

/** Fetches a document that is there; undefined for everything else. */
export type FetchText = (request: { url: string; body?: string }) => Promise<string | undefined>

export interface SourceDeps {
  dns: Dns
  fetch: FetchText
  /** Where documents of domains are collected: the domain is put behind it. */
  directory: string | undefined
}

/** Who may know, best first. What is fetched in clear, or guessed from who takes the mail, comes last. */
export const sources: readonly {
  readonly name: string
  readonly find: (asked: AddressParts, deps: SourceDeps) => Promise<AutoconfigResult | undefined>
}[] = [
  {
    name: 'provider',
    find: async ({ domain, email }) => fromProvider(providerOfDomain(domain), email),
  },
  { name: 'autoconfig', find: (asked, deps) => fromDomain(asked, deps, 'https') },
  { name: 'well-known', find: (asked, deps) => fromWellKnown(asked, deps, 'https') },
  { name: 'directory', find: (asked, deps) => fromDirectory(asked, deps, asked.domain) },
  { name: 'srv', find: fromSrv },
  { name: 'mx', find: fromExchanger },
  { name: 'autodiscover', find: fromAutodiscover },
  { name: 'autoconfig', find: (asked, deps) => fromDomain(asked, deps, 'http') },
  { name: 'well-known', find: (asked, deps) => fromWellKnown(asked, deps, 'http') },
]

function fromProvider(provider: Provider | undefined, user: string): AutoconfigResult | undefined {
  if (!provider) return undefined
  const server = (endpoint: Provider['imap']) =>
    endpoint && {
      auth: { user },
      host: endpoint[0],
      port: endpoint[1],
      secure: endpoint[1] === 993 || endpoint[1] === 465,
    }
  return toResult(server(provider.imap), server(provider.smtp))
}

async function fromDomain(asked: AddressParts, { fetch }: SourceDeps, scheme: string) {
  const url = `${scheme}://autoconfig.${asked.domain}/mail/config-v1.1.xml?emailaddress=${encodeURIComponent(asked.email)}`
  return parseClientConfig(await fetch({ url }), asked)
}

async function fromWellKnown(asked: AddressParts, { fetch }: SourceDeps, scheme: string) {
  const url = `${scheme}://${asked.domain}/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=${encodeURIComponent(asked.email)}`
  return parseClientConfig(await fetch({ url }), asked)
}

/** Told the domain alone: whose address it is does not concern the directory. */
async function fromDirectory(
  asked: AddressParts,
  { fetch, directory }: SourceDeps,
  domain: string,
) {
  return directory === undefined
    ? undefined
    : parseClientConfig(await fetch({ url: `${directory}${domain}` }), asked)
}

function parseClientConfig(
  text: string | undefined,
  asked: AddressParts,
): AutoconfigResult | undefined {
  return text === undefined ? undefined : readClientConfig(text, asked)
}

/** RFC 6186 §3, RFC 8314 §5.1: TLS from the start is better. */
async function fromSrv(
  { domain, email }: AddressParts,
  { dns }: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const ask = async (service: string, secure: boolean) => {
    const records = await dns.resolveSrv(`${service}._tcp.${domain}`).catch(() => [])
    const [first] = records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
    // A single dot says that there is no such service.
    if (!first || first.name === '' || first.name === '.') return undefined
    return parseServer({ host: first.name, port: first.port, secure, user: email })
  }
  const [imaps, imap, submissions, submission] = await Promise.all([
    ask('_imaps', true),
    ask('_imap', false),
    ask('_submissions', true),
    ask('_submission', false),
  ])
  return toResult(imaps ?? imap, submissions ?? submission)
}

/** Who takes the mail of a domain mostly keeps it as well. */
async function fromExchanger(
  asked: AddressParts,
  deps: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const records = await deps.dns.resolveMx(asked.domain).catch(() => [])
  const [first] = records.toSorted((a, b) => a.priority - b.priority)
  if (!first) return undefined
  const provider = providerOfExchanger(first.exchange)
  if (provider) return fromProvider(provider, asked.email)
  const domain = first.exchange.toLowerCase().split('.').filter(Boolean).slice(-2).join('.')
  const names = domain !== asked.domain && /^[a-z0-9-]+\.[a-z0-9-]+$/.test(domain)
  return names ? fromDirectory(asked, deps, domain) : undefined
}

async function fromAutodiscover(
  asked: AddressParts,
  { fetch }: SourceDeps,
): Promise<AutoconfigResult | undefined> {
  const body = autodiscoverRequest(asked)
  const hosts = [`autodiscover.${asked.domain}`, asked.domain]
  const answers = hosts.map((host) =>
    fetch({ url: `https://${host}/autodiscover/autodiscover.xml`, body }),
  )
  for (const answer of await Promise.all(answers)) {
    const servers = answer === undefined ? undefined : readAutodiscover(answer, asked)
    if (servers) return servers
  }
  return undefined
}

function toResult(
  imap: DiscoveredServer | undefined,
  smtp: DiscoveredServer | undefined,
): AutoconfigResult | undefined {
  return imap || smtp ? { ...(imap ? { imap } : {}), ...(smtp ? { smtp } : {}) } : undefined
}
