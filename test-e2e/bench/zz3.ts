import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { startWorld, untilConnected } from '../world.ts'
import { logIn } from '../stories/imap-client.ts'
import { fillFolders } from './export-mailbox.ts'
import { exportAll } from './exports.ts'
import { containerOptions } from './container-options.ts'
const trace = (o: Record<string, Record<string, string>>) => { o['sync-worker']!['NODE_OPTIONS'] += ' ' + (process.argv[3] ?? ''); return o }
const world = await startWorld({ servers: 'own', durable: true, envByService: trace(await containerOptions()) })
const rss = (pid: number) => { const s = readFileSync(`/proc/${pid}/status`, 'utf8'); return ['VmRSS', 'RssAnon', 'RssFile'].map((k) => Math.round(Number(new RegExp(`${k}:\\s+(\\d+)`).exec(s)![1]) / 1024)) }
try {
  const user = world.mail.freshUser('exp')
  const client = await logIn(user)
  const count = await fillFolders(client, { copies: 83, withAttachments: false })
  await world.register('exp', user)
  await untilConnected(world.client, 'exp')
  const pids = Object.entries(world.services.pids).filter(([name]) => name.startsWith('sync-worker')).map(([, pid]) => pid)
  for (let n = 0; n < Number(process.argv[2] ?? 3); n++) {
    console.log('before', pids.map(rss))
    let over = false
    const done = exportAll(world, 'exp', false).finally(() => { over = true })
    let max = 0; const line: string[] = []
    while (!over) { const r = rss(pids[0]!); max = Math.max(max, r[1]!); line.push(String(r[1])); await setTimeout(500) }
    const { ms } = await done
    console.log(`${(count / ms * 1000).toFixed(0)}/s max ${max}: ${line.join(' ')}`)
  }
  await client.logout()
} finally { await world[Symbol.asyncDispose]() }
