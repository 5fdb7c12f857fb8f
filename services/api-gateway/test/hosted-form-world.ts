import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { verifyImap, verifySmtp } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { startProviderStub } from './provider-stub.ts'
import { LinkKey } from '@posthorn/links'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { testServers } from './gateway.ts'

export const serviceUrl = 'https://mail.posthorn.example'
/** Password that the stub mail servers accept. */
export const goodPass = 'open <sesame> & "more"'

/**
 * Two gateways with stubs of the services behind the hosted form: mail servers that accept
 * `goodPass`, a directory that contains `known.test`, and a provider.
 */
export async function hostedFormWorld() {
  const servers = await testServers()
  const directory = await startDirectory()
  const options = {
    SVC_AUTOCONFIG_DIRECTORY: directory.url,
    SVC_TRUSTED_PROXIES: '127.0.0.0/8',
    SVC_UNUSABLE_SERVER_TIME: '5s',
  }
  const gateways = [await servers.start(options), await servers.start(options)] as const
  const bus = await servers.connectBus()
  const unsealer = createUnsealer([keyPairFromSecret(servers.env.SVC_SECRET).privateKey])
  const { sealed } = await servers.db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', 'linkSecret')
    .executeTakeFirstOrThrow()
  const linkSecret = await unsealer.unseal(sealed, 'settings/linkSecret')
  const provider = startProviderStub(`${serviceUrl}/oauth`)
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [on(getLinkSecret, async () => ({ linkSecret })), ...provider.handlers],
  })
  const imapRequests: CommandRequest<typeof verifyImap>[] = []
  const smtpRequests: CommandRequest<typeof verifySmtp>[] = []
  await bus.serve({
    queue: 'verify.imap',
    handlers: [
      on(verifyImap, async (request) => {
        imapRequests.push(request)
        return {
          verdict: verdictFor(request.server.host, request.credentials, 'AUTHENTICATIONFAILED'),
        }
      }),
    ],
  })
  await bus.serve({
    queue: 'verify.smtp',
    handlers: [
      on(verifySmtp, async (request) => {
        smtpRequests.push(request)
        return { verdict: verdictFor(request.server.host, request.credentials, 'EAUTH') }
      }),
    ],
  })
  await gateways[0].call('POST', '/v1/settings', { body: { serviceUrl } })
  return {
    servers,
    gateways,
    bus,
    unsealer,
    provider,
    imapRequests,
    smtpRequests,
    key: new LinkKey(Buffer.from(linkSecret, 'hex')),
    async stop() {
      await bus[Symbol.asyncDispose]()
      await servers.stop()
      directory.stop()
    },
  }
}

function verdictFor(host: string, credentials: object | undefined, code: string) {
  if (host.startsWith('closed'))
    return { success: false, error: 'connect ECONNREFUSED 10.1.2.3:993', code: 'ECONNREFUSED' }
  if (host.startsWith('forbidden'))
    return { success: false, error: 'is not allowed', code: 'EEGRESSBLOCKED' }
  if (host.startsWith('forged'))
    return { success: false, error: 'self-signed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }
  if (credentials && 'pass' in credentials && credentials.pass === goodPass)
    return { success: true }
  return { success: false, error: 'refused', code, responseText: 'NO <b>not</b> you' }
}

async function startDirectory() {
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/known.test')) return response.writeHead(404).end()
    const servers = ['imap', 'smtp'].map((kind) => {
      const element = kind === 'imap' ? 'incomingServer' : 'outgoingServer'
      const port = kind === 'imap' ? 993 : 587
      const socket = kind === 'imap' ? 'SSL' : 'STARTTLS'
      return `<${element} type="${kind}"><hostname>${kind}.known.test</hostname><port>${port}</port><socketType>${socket}</socketType><username>%EMAILADDRESS%</username></${element}>`
    })
    return response.end(
      `<clientConfig><emailProvider id="known.test">${servers.join('')}</emailProvider></clientConfig>`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1.1/`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Path of a step of the hosted form, with the signed link that the page has put into the query. */
export function targetOf(html: string, step: string): string {
  const targets = [...html.matchAll(/action="[./]*(new\/[^"]*)"/g)].map(([, target = '']) => target)
  const target = targets.find((target) => target.startsWith(`new/${step}?`))
  if (target === undefined) throw new Error(`the page has no target ${step}`)
  return `/accounts/${unescape(target)}`
}

/**
 * Fields that a browser submits for an HTML form of the hosted form. `values` replaces some of the
 * fields.
 */
export function fillIn(html: string, values: Record<string, string> = {}): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [tag] of html.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? ''
    fields.set(name, unescape(/value="([^"]*)"/.exec(tag)?.[1] ?? ''))
  }
  const selected = /<option value="(\w+)" selected>/.exec(html)?.[1]
  if (selected !== undefined) fields.set('imapSecurity', selected)
  for (const [name, value] of Object.entries(values)) fields.set(name, value)
  return fields
}

export function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
