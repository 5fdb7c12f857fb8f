import { readFileSync } from 'node:fs'
import { startWorld, untilConnected } from '../world.ts'
import { logIn } from '../stories/imap-client.ts'
import { fillFolders } from './export-mailbox.ts'
import { exportAll, loopOf } from './exports.ts'
const attachments = process.argv[2] === 'att'
const rounds = Number(process.argv[3] ?? 2)
const env: Record<string, string> = process.argv[4] ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${process.argv[4]}` } : {}
const world = await startWorld({ servers: 'own', durable: true, env })
const cpu = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10 }
try {
  const user = world.mail.freshUser('exp')
  const client = await logIn(user)
  const count = await fillFolders(client, { copies: attachments ? 21 : 83, withAttachments: attachments })
  await world.register('exp', user)
  await untilConnected(world.client, 'exp')
  const pids = Object.entries(world.services.pids)
  for (let n = 0; n < rounds; n++) {
    const before = pids.map(([, pid]) => cpu(pid))
    const { ms } = await exportAll(world, 'exp', attachments)
    console.log(`${count} in ${ms.toFixed(0)} ms: ${(count / ms * 1000).toFixed(0)}/s`, pids.map(([name, pid], i) => `${name} ${cpu(pid) - before[i]!}`).join(', '))
    const ref = await loopOf(client, attachments)
    console.log(`   reference ${(count / ref * 1000).toFixed(0)}/s ${ref.toFixed(0)} ms`)
  }
  await client.logout()
} finally { await world[Symbol.asyncDispose]() }
