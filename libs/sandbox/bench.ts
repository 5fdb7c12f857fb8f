// What a filter and a map of a payload of 5 kB cost. Run: node libs/sandbox/bench.ts
import { Sandbox } from './src/index.ts'

await using sandbox = new Sandbox()
const text = 'Lorem ipsum dolor sit amet. '.repeat(160)
const payload = {
  account: 'a1',
  date: new Date(),
  event: 'messageNew',
  data: { subject: 'Hello', text },
}
const input = {
  payload: JSON.stringify({ ...payload, eventId: 'e1', _route: { id: 'r1' } }),
  env: '{}',
}
const filter = 'return payload.event === "messageNew" && payload.data.subject.includes("Hello")'
const map = 'return { title: `${payload.data.subject} (${payload.account})`, data: payload.data }'

async function run(batches: number): Promise<void> {
  let usedMs = 0
  const before = process.cpuUsage()
  for (let batch = 0; batch < batches; batch++) {
    const calls = Array.from({ length: 200 }, () => sandbox.apply({ filter, map }, input))
    for (const outcome of await Promise.all(calls)) usedMs += outcome.usedMs
  }
  const { user, system } = process.cpuUsage(before)
  const of = (ms: number) => `${(ms / (batches * 200)).toFixed(3)} ms`
  process.stdout.write(
    `filter + map of ${input.payload.length} bytes: ${of(usedMs)} in the thread, ${of((user + system) / 1000)} of the process\n`,
  )
}

await run(5)
await run(20)
