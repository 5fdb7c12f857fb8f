import { blockedMs } from '@posthorn/testkit'
import { limitEventData } from '../src/events/limit-data.ts'

// Part of `make bench`. Measures the CPU time to limit the data of an event with four huge members
// of a hostile message. The event loop is blocked for that time. Prints the longest of five runs,
// next to JSON.stringify. To run only this file: node libs/db/test/measure-event-limit.ts

const list = <T>(length: number, one: (at: number) => T) =>
  Array.from({ length }, (_, at) => one(at))
const members: Record<string, () => unknown> = {
  addresses: () => list(60_000, (at) => ({ name: `Name ${at}`, address: `${at}@example.com` })),
  'empty records': () => list(500_000, () => ({})),
  'empty texts': () => list(500_000, () => ''),
  'nested lists': () => list(1_000, () => list(500, () => ['x', 'y'])),
  // A message header of 256 KiB has at most 50,000 lines.
  'header lines': () => Object.fromEntries(list(50_000, (at) => [`x-${at}`, ['v']])),
  'shared lists': () => Object.fromEntries(list(90, (at) => [`m${at}`, list(3_000, String)])),
  'text with escapes': () => '"\u0001'.repeat(1_000_000),
  'text with surrogate pairs': () => '😀'.repeat(1_000_000),
}

for (const [name, create] of Object.entries(members)) {
  const data = { id: 'id', subject: 'Hello', to: create(), cc: create(), a: create(), b: create() }
  let [limited, written] = [0, 0]
  for (let run = 0; run < 5; run++) {
    limited = Math.max(limited, await blockedMs(() => limitEventData(data)))
    written = Math.max(written, await blockedMs(() => JSON.stringify(data)))
  }
  process.stdout.write(
    `event limit, four huge members, ${name}\n    ${limited.toFixed(1)} ms   beside ${written.toFixed(1)} ms (JSON.stringify of the whole data)\n`,
  )
}
