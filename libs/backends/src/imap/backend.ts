import { isIP } from 'node:net'
import { resolveAllowed, type ResolvedAddress } from '@posthorn/net'
import type { ImapFlowOptions } from 'imapflow'
import type { ConnectOptions, MailBackend } from '../backend.ts'
import { ImapConnection } from './connection.ts'
import { connectError, gaveUp } from './errors.ts'
import { ImapSession } from './session.ts'
import { defaultTimings, type Timings } from './watch.ts'

const defaultConnectMs = 30_000
/** A command without a byte of answer for so long means that nobody is there. */
const silenceMs = 100_000

/** Accounts behind IMAP servers. The timings are those of watching; tests have shorter ones. */
export function createImapBackend(timings: Timings = defaultTimings): MailBackend {
  return {
    async connect(options) {
      const deadline = AbortSignal.timeout(options.connectTimeoutMs ?? defaultConnectMs)
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const addresses = await addressesOf(options, signal)
      const connection = new ImapConnection(clientOptions(options, addresses), options.log)
      await connection.connect(signal, timings.keepAliveMs)
      return new ImapSession(connection, options.credentials.user, timings)
    },
  }
}

export const imapBackend: MailBackend = createImapBackend()

async function addressesOf(
  { host, egress = 'off' }: ConnectOptions,
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  try {
    return await resolveAllowed(host, egress, { signal })
  } catch (error) {
    throw signal.aborted ? gaveUp(signal) : connectError(error)
  }
}

function clientOptions(options: ConnectOptions, addresses: ResolvedAddress[]): ImapFlowOptions {
  const { host, port, secure, credentials, rejectUnauthorized = true } = options
  const connectMs = options.connectTimeoutMs ?? defaultConnectMs
  // A password in clear is for machines that talk to themselves, and for whoever has asked not to look at certificates either.
  const mayBeClear = !rejectUnauthorized || isLoopback(host)
  return {
    host,
    port,
    secure,
    ...(secure || mayBeClear ? {} : { doSTARTTLS: true }),
    auth:
      'accessToken' in credentials
        ? { user: credentials.user, accessToken: credentials.accessToken }
        : credentials,
    tls: { rejectUnauthorized, ...pinnedTo(addresses) },
    clientInfo: { name: 'Posthorn', version: '1', vendor: 'Posthorn', 'support-url': false },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // IDLE is entered by watch() alone; DEFLATE costs more memory per connection than the bytes it saves.
    disableAutoIdle: true,
    qresync: true,
    disableCompression: true,
    // Exchange and others misbehave in IMAP4rev2 mode, which gives nothing that the extensions do not.
    disableIMAP4rev2: true,
    // A SEARCH answer of a million UIDs is a line of 8 MB. Literals are asked for in pieces, but some servers send all at once.
    maxLineLength: 16 * 2 ** 20,
    maxLiteralSize: 64 * 2 ** 20,
    maxResponseSize: 96 * 2 ** 20,
    maxResponseTokens: 250_000,
  }
}

/** Options that net.connect and tls.connect take alike: the addresses that were checked and no others, and no delay for small writes. */
function pinnedTo(addresses: ResolvedAddress[]): object {
  type Callback = (error: null, found: ResolvedAddress[] | string, family?: number) => void
  const lookup = (_host: string, { all }: { all?: boolean }, callback: Callback) => {
    const [first] = addresses
    if (all || !first) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
  return { lookup, noDelay: true }
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}
