import type { TokenRequest } from '@posthorn/contracts/schemas/token'
import { startWorld, type World } from '../world.ts'
import { cpuMs } from './cpu-ms.ts'
import type { Row } from './report.ts'

const rounds = 10
const perRound = 1_000
const atOnce = 8

/** Kinds of access tokens: from a token without restrictions to a token with all restrictions. */
const kinds: Record<string, Partial<TokenRequest>> = {
  'token without restrictions': {},
  'token with addresses, referrers and an expiry': {
    restrictions: {
      addresses: ['192.0.2.0/24', '2001:db8::/32', '127.0.0.0/8'],
      referrers: ['https://app.example/*', '*'],
    },
    expires: '2090-01-01T00:00:00Z',
  },
  'the same token with a rate limit': {
    restrictions: {
      addresses: ['192.0.2.0/24', '2001:db8::/32', '127.0.0.0/8'],
      rateLimit: { maxRequests: 1_000_000_000, timeWindow: 3_600 },
    },
  },
}

/** CPU time of the access checks in api-gateway, compared with requests that need no token. */
export async function benchAccess(servers: 'own' | 'shared' = 'own'): Promise<Row[]> {
  const env = { SVC_REQUIRE_API_AUTH: 'false' }
  await using world = await startWorld({ servers, names: ['api-gateway'], env })
  const tokens = await Promise.all(
    Object.entries(kinds).map(async ([name, body]) => ({ name, token: await mint(world, body) })),
  )
  const open: { name: string; token?: string } = { name: 'no token needed' }
  const used = new Map<string, number>()
  await spend(world, open)
  // The kinds of access tokens alternate in each round, so that other load on the machine affects
  // all kinds.
  for (let round = 0; round < rounds; round++)
    for (const kind of [open, ...tokens])
      used.set(kind.name, (used.get(kind.name) ?? 0) + (await spend(world, kind)))
  const microseconds = (name: string) => ((used.get(name) ?? 0) * 1_000) / (rounds * perRound)
  return tokens.map(({ name }) => ({
    what: `CPU time of a request to api-gateway, ${name}`,
    measured: microseconds(name),
    reference: microseconds(open.name),
    unit: ' µs',
    referenceIs: 'the same process without a token; the difference is the checks',
  }))
}

async function mint({ posthorn }: World, body: TokenRequest): Promise<string> {
  return (await posthorn.createToken({ body })).token
}

/**
 * Sends requests whose only cost is the access check. Resolves with the CPU time of api-gateway in
 * milliseconds.
 */
async function spend({ url, services }: World, { token }: { token?: string }): Promise<number> {
  const pid = services.pids['api-gateway'] ?? 0
  const headers = {
    referer: 'https://app.example/page',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const before = await cpuMs(pid)
  let left = perRound
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const response = await fetch(`${url}/v1/license`, { headers })
        if (response.status !== 200) throw new Error(await response.text())
        await response.arrayBuffer()
      }
    }),
  )
  return (await cpuMs(pid)) - before
}
