import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** TCP link to Postgres that can fail on request. */
export interface PostgresLink extends AsyncDisposable {
  /** URL of the Postgres database through the link. */
  url: string
  /**
   * Resets all connections to Postgres and refuses new connections, or holds all data back, until
   * `restore`.
   */
  fail: (how: 'reset' | 'freeze') => void
  restore: () => void
}

export async function postgresLink(databaseUrl: string): Promise<PostgresLink> {
  const { hostname, port } = new URL(databaseUrl)
  const pairs = new Set<[near: Socket, far: Socket]>()
  let failure: 'reset' | 'freeze' | undefined
  const server = createServer((near) => {
    if (failure === 'reset') return void near.resetAndDestroy()
    const pair: [Socket, Socket] = [near, connect(Number(port), hostname)]
    pairs.add(pair)
    for (const socket of pair)
      socket
        .on('error', () => undefined)
        .once('close', () => {
          pairs.delete(pair)
          pair.forEach((each) => each.destroy())
        })
    if (failure === undefined) forward(pair)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(own) }).href,
    fail(how) {
      failure = how
      for (const [near, far] of pairs)
        if (how === 'reset') near.resetAndDestroy()
        else [near, far].forEach((socket) => socket.unpipe().pause())
    },
    restore() {
      failure = undefined
      for (const pair of pairs) forward(pair)
    },
    async [Symbol.asyncDispose]() {
      for (const [near] of pairs) near.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward([near, far]: [Socket, Socket]): void {
  near.pipe(far)
  far.pipe(near)
}
