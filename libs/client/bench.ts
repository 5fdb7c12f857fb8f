import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from './src/create-client.ts'
import { submitMessage } from './src/generated/operations.ts'
import { bundledSize, measuredPrograms } from './test/bundled-size.ts'

// Sizes of the typed API client, and the time that an API call adds to a bare `fetch`. Part of
// `make bench`.
for (const [name, { program, limit }] of Object.entries(measuredPrograms)) {
  const size = await bundledSize(program)
  process.stdout.write(`client with ${name}: ${size} bytes   limit ${limit}\n`)
}

const rounds = 40
const perRound = 200
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => response.end('{"queueId":"q1"}'))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const client = createClient({ url, token: 'secret' })
const body = { to: [{ address: 'ben@example.com' }], subject: 'Hello', text: 'Hello' }
const calls = {
  client: () => submitMessage(client, { account: 'anna', body }),
  fetch: async () => {
    const response = await fetch(`${url}/v1/account/anna/submit`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer secret',
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    })
    return response.json()
  },
}

/**
 * CPU time per API call in a benchmark round, in milliseconds. Other load on the machine adds
 * little to this time.
 */
const measured: Record<string, number[]> = { client: [], fetch: [] }
for (let round = -2; round < rounds; round += 1)
  for (const [name, call] of Object.entries(calls)) {
    const before = process.cpuUsage()
    for (let calls = 0; calls < perRound; calls += 1) await call()
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) measured[name]?.push((user + system) / 1_000 / perRound)
  }
const fastest = (values: number[] = []) => Math.min(...values)
const [own, bare] = [fastest(measured['client']), fastest(measured['fetch'])]
process.stdout.write(
  `CPU time of a call through the client: ${own.toFixed(3)} ms   beside ${bare.toFixed(3)} ms (bare fetch), difference ${(own - bare).toFixed(3)} ms, limit 0.1 ms\n`,
)
server.closeAllConnections()
server.close()
