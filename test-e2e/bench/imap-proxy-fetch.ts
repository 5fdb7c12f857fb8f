import type { World } from '../world.ts'
import { type ImapAddress, openImapLine } from './imap-line.ts'
import { cpuMs } from './cpu-ms.ts'
import { percentile, type Row } from './report.ts'
import { startPart } from './start-part.ts'

/** IMAP server from which messages are fetched, and the login at this server. */
export interface Side extends ImapAddress {
  login: string
}

/**
 * Comparison of reading one set of messages through the IMAP proxy and directly from the mail
 * server.
 */
export interface Comparison {
  what: string
  proxy: Side
  /**
   * Connection from the IMAP proxy to the mail server. The plain relay uses such a connection, too.
   */
  upstream: Side
  direct: Side
  referenceIs: string
}

const turns = 7

/**
 * Measures MB/s and CPU time of FETCH through the IMAP proxy and through a plain relay of Node.
 * Compares them with the mail server itself. The measurements alternate, so that other load affects
 * all of them.
 */
export async function compareFetch(world: World, comparison: Comparison): Promise<Row[]> {
  const { what, proxy, upstream, direct, referenceIs } = comparison
  const relay = await startPart('reference-relay-main.ts', [
    String(upstream.port),
    proxy.tls ? 'tls' : 'clear',
    upstream.tls ? 'tls' : 'clear',
  ])
  try {
    const lanes = [
      lane(proxy, world.services.pids['imap-proxy'] ?? 0),
      lane({ ...upstream, port: relay.port, tls: proxy.tls }, relay.pid),
      lane(direct, 0),
    ] as const
    for (let turn = 0; turn < turns; turn++) for (const lane of lanes) await lane.run()
    const [measured, plain, itself] = lanes
    const mbs = (values: number[]) => percentile(values, 50)
    const row = { unit: ' MB/s', reference: mbs(itself.rates), referenceIs }
    return [
      { what: `IMAP proxy: FETCH, ${what}, p50`, measured: mbs(measured.rates), ...row },
      { what: `    plain relay of Node in its place`, measured: mbs(plain.rates), ...row },
      {
        what: `    CPU time of the proxy per MB`,
        measured: mbs(measured.costs),
        reference: mbs(plain.costs),
        unit: ' ms',
        referenceIs: 'plain relay',
      },
    ]
  } finally {
    await relay[Symbol.asyncDispose]()
  }
}

function lane(side: Side, pid: number) {
  const rates: number[] = []
  const costs: number[] = []
  return {
    rates,
    costs,
    async run() {
      const line = await openImapLine(side)
      await line.command(`LOGIN ${side.login}`)
      await line.command('EXAMINE INBOX')
      const used = pid === 0 ? 0 : await cpuMs(pid)
      const from = performance.now()
      const bytes = await line.command('FETCH 1:* BODY.PEEK[]')
      const ms = performance.now() - from
      const cost = pid === 0 ? 0 : (await cpuMs(pid)) - used
      line.close()
      rates.push(bytes / 1_000 / ms)
      costs.push((cost * 1e6) / bytes)
    },
  }
}
