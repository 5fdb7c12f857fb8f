import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blockedMs, hostileMessages } from '@posthorn/testkit'
import { readingsOf } from './readings.ts'

// Benchmark: prints CPU time and memory of reading the hostile messages as a table, worst message
// per kind and function, or every message: node libs/mime/test/measure-hostile.ts [--all]

interface Row {
  kind: string
  reading: string
  message: string
  ms: number
  megabytes: number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const usedMegabytes = () => {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

const rows: Row[] = []
for (const message of hostileMessages)
  for (const [reading, read] of Object.entries(readingsOf(message))) {
    await blockedMs(read) // the first run compiles the code that reads the message
    collectGarbage()
    const before = usedMegabytes()
    const ms = await blockedMs(read)
    // The measured memory includes garbage of the function that reads the message, unless a
    // collection happened meanwhile.
    const megabytes = Math.max(0, usedMegabytes() - before)
    const kind = message.name.slice(0, message.name.indexOf(':'))
    rows.push({ kind, reading: reading.replace(/ .*/, ''), message: message.name, ms, megabytes })
  }

const worst = new Map<string, Row>()
for (const row of rows.toSorted((a, b) => a.ms - b.ms)) worst.set(`${row.kind} ${row.reading}`, row)
const shown = process.argv.includes('--all') ? rows : [...worst.values()]
const lines = shown
  .toSorted((a, b) => b.ms - a.ms)
  .map(({ reading, message, ms, megabytes }) => {
    const name = message.replaceAll('|', '\\|').replaceAll('<', '\\<')
    return `| ${reading} | ${name} | ${ms.toFixed(1)} | ${megabytes.toFixed(0)} |`
  })
const head = ['| function | slowest message | CPU time (ms) | memory (MB) |', '|---|---|---|---|']
process.stdout.write(`${[...head, ...lines].join('\n')}\n`)
