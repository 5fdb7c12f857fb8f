// Benchmark of the CPU time of a webhook route's filter and map function for a 5 kB payload, in the
// sandbox and as plain functions. Run: node libs/sandbox/bench.ts
import { Sandbox } from './src/index.ts'

await using sandbox = new Sandbox()
const text = 'Lorem ipsum dolor sit amet. '.repeat(160)
const event = { account: 'a1', date: new Date(), event: 'messageNew', eventId: 'e1' }
const payload = JSON.stringify({ ...event, data: { subject: 'Hello', text }, _route: { id: 'r1' } })
const filter = 'return payload.event === "messageNew" && payload.data.subject.includes("Hello")'
const map = 'return { title: `${payload.data.subject} (${payload.account})`, data: payload.data }'
const together = 200
const batches = 20

interface Payload {
  event: string
  account: string
  data: { subject: string }
}
const parsed = () => JSON.parse(payload) as Payload
const plainFilter = ({ event, data }: Payload) =>
  event === 'messageNew' && data.subject.includes('Hello')
const plainMap = ({ account, data }: Payload) => ({ title: `${data.subject} (${account})`, data })
const plain = () => plainFilter(parsed()) && JSON.stringify(plainMap(parsed()))

async function measure(name: string, batch: () => Promise<unknown> | void): Promise<void> {
  for (let round = 0; round < 5; round++) await batch()
  const before = process.cpuUsage()
  const since = performance.now()
  for (let round = 0; round < batches; round++) await batch()
  const { user, system } = process.cpuUsage(before)
  const each = (ms: number) => `${(ms / (batches * together)).toFixed(3)} ms`
  const used = each((user + system) / 1000)
  const clock = each(performance.now() - since)
  process.stdout.write(`${name}: ${used} CPU time per call, ${clock} wall-clock time\n`)
}

process.stdout.write(`filter and map of a payload of ${payload.length} bytes\n`)
await measure('    in the sandbox', () => {
  const apply = () => sandbox.apply({ filter, map }, { payload, env: '{}' })
  return Promise.all(Array.from({ length: together }, apply))
})
await measure('    plain functions', () => {
  for (let call = 0; call < together; call++) plain()
})
